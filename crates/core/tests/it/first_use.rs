//! Vaults, users and stores: how they come to be, and what is refused.

use memoseal_core::{Error, Key, Vault};
use memoseal_testkit::{Op, errors};
use object_store::{ObjectStoreExt, path::Path};

use crate::support::*;

async fn names(bucket: &Bucket) -> Vec<String> {
    use futures_util::TryStreamExt;
    let mut names: Vec<String> =
        bucket.memory.list(None).map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
    names.sort();
    names
}

#[tokio::test]
async fn a_user_and_a_store_come_with_the_first_change_and_not_before() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let before = names(&bucket).await;
    let store = roomy(&vault, "alise").await;
    ok(&store, view("/memories")).await;
    fails(&store, view("/memories/n")).await;
    fails(&store, delete("/memories/n")).await;
    assert!(store.memories().await.unwrap().is_empty());
    assert_eq!(names(&bucket).await, before, "a mistyped user creates nothing");
    ok(&store, create("/memories/n", "")).await;
    assert_eq!(names(&bucket).await.len(), before.len() + 2, "keyring and commit");
}

#[tokio::test]
async fn two_processes_that_make_the_same_user_at_once_share_one_keyring() {
    let bucket = Bucket::new();
    bucket.create().await;
    let here = roomy(&bucket.open().await, "alice").await;
    let again = bucket.again();
    let there = roomy(&again.open().await, "alice").await;
    // Both have seen that there is no such user; one is faster.
    let gate = bucket.faults.on(Op::PutCreate).path_contains("keyring").hold();
    let slow = tokio::spawn({
        let here = here.clone();
        async move { ok(&here, create("/memories/slow", "s")).await }
    });
    gate.reached().await;
    ok(&there, create("/memories/fast", "f")).await;
    gate.release();
    slow.await.unwrap();
    let expected = [("/memories/fast", "f"), ("/memories/slow", "s")].map(|(p, t)| (p.to_owned(), t.to_owned()));
    assert_eq!(tree(&bucket.open().await, "alice").await, expected);
    assert_eq!(names(&bucket).await.iter().filter(|name| name.contains("keyring")).count(), 1);
}

#[tokio::test]
async fn a_reader_that_opened_before_the_user_existed_sees_what_comes() {
    let bucket = Bucket::new();
    bucket.create().await;
    let reader = roomy(&bucket.again().open().await, "alice").await;
    let writer = roomy(&bucket.open().await, "alice").await;
    ok(&writer, create("/memories/n", "x")).await;
    assert!(ok(&reader, view("/memories/n")).await.ends_with("     1\tx"));
}

#[tokio::test(start_paused = true)]
async fn a_keyring_whose_put_has_no_answer_is_read_back() {
    for lands in [true, false] {
        let bucket = Bucket::new();
        let store = roomy(&bucket.create().await, "alice").await;
        let put = bucket.faults.on(Op::PutCreate).path_contains("keyring");
        if lands {
            put.land_then_fail(errors::timeout())
        } else {
            put.fail_before(errors::timeout())
        }
        ok(&store, create("/memories/n", "x")).await;
        assert_eq!(tree(&bucket.open().await, "alice").await.len(), 1);
    }
}

#[tokio::test]
async fn a_store_that_ignores_put_if_absent_is_refused() {
    let bucket = Bucket::new();
    bucket.faults.on(Op::PutCreate).always().ignore_mode();
    let made = Vault::create(bucket.backend(), key(), options()).await;
    assert!(matches!(made, Err(Error::Unsuitable(_))), "{made:?}");

    let bucket = Bucket::new();
    let vault = bucket.create().await;
    ok(&roomy(&vault, "alice").await, create("/memories/n", "x")).await;
    let again = bucket.again();
    again.faults.on(Op::PutCreate).always().ignore_mode();
    let store = roomy(&again.open().await, "alice").await;
    let answer = store.execute(create("/memories/m", "")).await;
    assert!(matches!(answer, Err(Error::Unsuitable(_))), "{answer:?}");
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "x".into())], "nothing was changed");
}

#[tokio::test]
async fn a_store_that_lists_out_of_order_is_refused() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for i in 0..20 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
    }
    let again = bucket.again();
    let vault = again.open().await;
    for seed in 1..6 {
        again.faults.clear();
        again.faults.on(Op::List).path_contains("log/").always().unordered(seed);
        let opened = vault.user("alice").store("default").open().await;
        assert!(matches!(opened, Err(Error::Unsuitable(_))), "{opened:?}");
    }
    again.faults.clear();
    again.faults.on(Op::List).path_contains("log/").always().doubled();
    let opened = vault.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::Unsuitable(_))), "{opened:?}");
}

#[tokio::test]
async fn a_vault_is_made_once_and_opened_only_with_its_key() {
    let bucket = Bucket::new();
    let empty = Vault::open(bucket.backend(), key(), options()).await;
    assert!(matches!(empty, Err(Error::NotFound { .. })), "{empty:?}");
    bucket.create().await;
    let again = Vault::create(bucket.backend(), Key::raw([8; 32]), options()).await;
    assert!(matches!(again, Err(Error::AlreadyExists { .. })), "{again:?}");
    let wrong = Vault::open(bucket.backend(), Key::raw([8; 32]), options()).await;
    assert!(matches!(wrong, Err(Error::WrongKey)), "{wrong:?}");
    let other_kind = Vault::open(bucket.backend(), Key::passphrase("x"), options()).await;
    assert!(matches!(other_kind, Err(Error::Key(_))), "{other_kind:?}");
    bucket.open().await;
}

#[tokio::test]
async fn what_is_not_a_vault_is_told_from_a_newer_and_from_a_damaged_one() {
    type Expected = fn(&Error) -> bool;
    let table: [(&[u8], Expected); 4] = [
        (b"hello", |error| matches!(error, Error::NotFound { .. })),
        (b"", |error| matches!(error, Error::Damaged { .. })),
        (br#"{"memoseal":"vault","format":2,"other":[]}"#, |error| matches!(error, Error::NewerFormat { .. })),
        (br#"{"memoseal":"vault","format":1,"vault":7}"#, |error| matches!(error, Error::Damaged { .. })),
    ];
    for (bytes, expected) in table {
        let bucket = Bucket::new();
        bucket.memory.put(&Path::from("vault/fffffffffffffffe"), bytes.into()).await.unwrap();
        let opened = Vault::open(bucket.backend(), key(), options()).await;
        assert!(opened.as_ref().is_err_and(expected), "{opened:?}");
        let made = Vault::create(bucket.backend(), key(), options()).await;
        assert!(matches!(made, Err(Error::AlreadyExists { .. })), "nothing is written over it: {made:?}");
    }
}

#[tokio::test]
async fn a_commit_of_a_newer_format_stops_with_newer_format() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    let commit = names(&bucket).await.into_iter().find(|name| name.contains("/log/")).unwrap();
    let path = Path::from(commit);
    let mut bytes = bucket.memory.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
    bytes[9] = 2;
    bucket.memory.put(&path, bytes.into()).await.unwrap();
    let opened = bucket.open().await.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::NewerFormat { .. })), "{opened:?}");
}

#[tokio::test]
async fn names_of_users_and_stores_are_kept_apart() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    for (user, store) in [("a", "bc"), ("ab", "c"), ("ab", "default"), ("a", "default"), ("A", "default")] {
        let handle = vault.user(user).store(store).open().await.unwrap();
        ok(&handle, create("/memories/mine", &format!("{user}/{store}"))).await;
        assert_eq!(handle.memories().await.unwrap().len(), 1, "{user} {store}");
    }
    for bad in ["", "a\nb", &"x".repeat(256)] {
        let opened = vault.user(bad).store("default").open().await;
        assert!(matches!(opened, Err(Error::Invalid(_))), "{opened:?}");
        let opened = vault.user("a").store(bad).open().await;
        assert!(matches!(opened, Err(Error::Invalid(_))), "{opened:?}");
    }
}

#[tokio::test]
async fn a_read_only_handle_answers_views_and_refuses_the_rest() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    ok(&roomy(&vault, "alice").await, create("/memories/n", "x")).await;
    let store = vault.user("alice").store("default").read_only(true).open().await.unwrap();
    bucket.spent();
    let turn = vec![view("/memories/n"), delete("/memories/n"), view("/memories")];
    let answers: Vec<_> = store.execute_turn(turn).await.into_iter().map(|answer| answer.unwrap().is_error()).collect();
    assert_eq!(answers, [false, true, false]);
    assert_eq!(bucket.spent().put_create, 0);
}

#[tokio::test]
async fn a_vault_that_was_made_but_cannot_be_tried_is_not_called_unmade() {
    let bucket = Bucket::new();
    bucket.faults.on(Op::PutCreate).nth(2).always().fail_before(errors::disk_full());
    let made = Vault::create(bucket.backend(), key(), options()).await;
    assert!(matches!(made, Err(Error::OutcomeUnknown { .. })), "{made:?}");
    bucket.faults.clear();
    bucket.open().await;

    let bucket = Bucket::new();
    bucket.faults.on(Op::PutCreate).fail_before(errors::disk_full());
    let made = Vault::create(bucket.backend(), key(), options()).await;
    assert!(matches!(made, Err(Error::Backend { .. })), "nothing was made: {made:?}");
    bucket.create().await;
}

#[tokio::test]
async fn a_listing_full_of_foreign_names_is_not_taken_for_an_empty_one() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    let commit = names(&bucket).await.into_iter().find(|name| name.contains("/log/")).unwrap();
    let lives = commit.rsplitn(4, '/').last().unwrap();
    let vault = bucket.open().await;
    for folder in [lives, "vault"] {
        for i in 0..1_000 {
            bucket.memory.put(&Path::from(format!("{folder}/!{i:04}")), "x".into()).await.unwrap();
        }
    }
    let opened = vault.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
    let opened = Vault::open(bucket.backend(), key(), options()).await;
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
    let made = Vault::create(bucket.backend(), key(), options()).await;
    assert!(matches!(made, Err(Error::Damaged { .. })), "{made:?}");
}

#[tokio::test]
async fn equal_names_of_different_users_are_different_in_the_bucket() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    for (user, store) in [("alice", "default"), ("bob", "default"), ("alice", "alice"), ("default", "default")] {
        ok(&vault.user(user).store(store).open().await.unwrap(), create("/memories/n", "x")).await;
    }
    let names = names(&bucket).await;
    let part = |at: usize| -> std::collections::BTreeSet<&str> {
        names.iter().filter(|name| name.contains("/log/")).map(|name| name.split('/').nth(at).unwrap()).collect()
    };
    let (users, stores) = (part(1), part(3));
    assert_eq!((users.len(), stores.len()), (3, 5), "and the catalogue of the user with a named store");
    assert!(users.is_disjoint(&stores));
}

#[tokio::test]
async fn users_and_stores_are_found_with_the_bucket_and_the_key_alone() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    assert!(vault.users().await.unwrap().is_empty());
    assert!(vault.user("alice").stores().await.unwrap().is_empty());
    for (user, store) in [("bob", "default"), ("alice", "work"), ("alice", "default"), ("zoë/…", "a/b")] {
        ok(&vault.user(user).store(store).open().await.unwrap(), create("/memories/n", "x")).await;
    }
    let vault = bucket.open().await;
    assert_eq!(vault.users().await.unwrap(), ["alice", "bob", "zoë/…"]);
    assert_eq!(vault.user("alice").stores().await.unwrap(), ["default", "work"]);
    assert_eq!(vault.user("zoë/…").stores().await.unwrap(), ["a/b"]);
}
