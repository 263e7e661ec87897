//! Others at work while a user or a store is destroyed.

use memoseal_core::Key;
use memoseal_testkit::{Op, errors};

use super::*;

#[tokio::test]
async fn whoever_works_on_a_user_or_store_that_is_destroyed_stops() {
    for whole in [true, false] {
        let (bucket, vault) = lived_in().await;
        let warm = open(&bucket.open().await, "default").await.unwrap();
        let unread = open(&bucket.open().await, "default").await.unwrap();
        let never = open(&bucket.open().await, "never").await.unwrap();
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        assert!(stops(&warm).await);
        assert!(is_gone(unread.read("/memories/7").await), "what it wants to read is empty by now");
        assert!(stops(&unread).await, "for good");
        // A store that was not there yet cannot be made for a user that is gone.
        let answer = never.execute(create("/memories/a", "")).await;
        if whole {
            assert!(is_gone(answer))
        } else {
            answer.unwrap();
        }
        assert_eq!(full(&bucket).await, if whole { 0 } else { 5 });
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_write_on_its_way_is_in_the_log_before_its_end_or_refused() {
    for whole in [true, false] {
        let (bucket, vault) = lived_in().await;
        let slow = bucket.again();
        let writer = open(&slow.open().await, "default").await.unwrap();
        ok(&writer, create("/memories/before", "")).await;
        let gate = slow.faults.on(Op::PutCreate).path_contains("/log/").hold();
        let late = tokio::spawn(async move { writer.execute(create("/memories/late", "")).await });
        gate.reached().await;
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        gate.release();
        assert!(is_gone(late.await.unwrap()));
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_store_about_to_be_made_is_closed_too() {
    let (bucket, vault) = lived_in().await;
    let slow = bucket.again();
    let writer = open(&slow.open().await, "new").await.unwrap();
    // It stands in the catalogue, and its first commit is on its way.
    let gate = slow.faults.on(Op::PutCreate).path_contains("/log/").nth(2).hold();
    let late = tokio::spawn(async move { writer.execute(create("/memories/late", "")).await });
    gate.reached().await;
    destroy(&vault.user("alice")).await;
    gate.release();
    assert!(is_gone(late.await.unwrap()));
    assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_store_that_is_not_in_the_catalogue_in_time_is_not_made() {
    let (bucket, vault) = lived_in().await;
    let slow = bucket.again();
    let writer = open(&slow.open().await, "new").await.unwrap();
    let gate = slow.faults.on(Op::PutCreate).path_contains("/log/").nth(1).hold();
    let late = tokio::spawn(async move { writer.execute(create("/memories/late", "")).await });
    gate.reached().await;
    let names = names(&bucket).await.len();
    destroy(&vault.user("alice")).await;
    gate.release();
    assert!(is_gone(late.await.unwrap()));
    let more = super::names(&bucket).await.len() - names;
    assert_eq!(more, 4, "the last commits of three logs, and the tombstone");
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_keyring_sealed_anew_meanwhile_opens_nothing_afterwards() {
    // The resealing comes before the tombstone, at the same number, or after it.
    for nth in [0, 1, 2] {
        let (bucket, vault) = lived_in().await;
        let operator = bucket.open().await;
        operator.rotate(vec![Key::raw([7; 32])], false, |_, _| {}).await.unwrap();
        let slow = bucket.again();
        let resealer = slow.open().await;
        let (put, stub) = (Op::PutCreate, Op::PutOverwrite);
        let gate = match nth {
            0 => slow.faults.on(put).path_contains("/keyring/").hold(),
            1 => slow.faults.on(put).path_contains("/keyring/").hold_answer(),
            _ => slow.faults.on(stub).path_contains("/keyring/").hold(),
        };
        let resealing = tokio::spawn(async move { resealer.reseal_keyrings(|_, _| {}).await });
        if !is_resealed(&bucket).await {
            gate.reached().await;
        }
        destroy(&vault.user("alice")).await;
        gate.release();
        let _whatever_came_of_it = resealing.await.unwrap();
        assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0), "{nth}");
        assert_eq!(bucket.open().await.users().await.unwrap(), [""; 0], "{nth}");
        // A stub that lands late on an old tombstone is looked after by maintenance.
        maintain(&bucket).await;
        assert_eq!(findings(&bucket).await, [""; 0], "{nth}");
    }
}

async fn is_resealed(bucket: &Bucket) -> bool {
    names(bucket).await.iter().filter(|name| name.contains("/keyring/")).count() > 1
}

#[tokio::test]
async fn two_may_destroy_the_same_user_at_once() {
    for _ in 0..10 {
        let (bucket, vault) = lived_in().await;
        let other = bucket.again().open().await;
        let (here, there) = (vault.user("alice"), other.user("alice"));
        tokio::join!(destroy(&here), destroy(&there));
        assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn writers_beside_a_destruction_stop_and_leave_nothing() {
    for whole in [true, false] {
        let (bucket, vault) = lived_in().await;
        let mut writers = Vec::new();
        for n in 0..4 {
            let store = open(&bucket.again().open().await, "default").await.unwrap();
            writers.push(tokio::spawn(async move {
                for i in 0.. {
                    match store.execute(create(&format!("/memories/w{n}/{i}"), "x")).await {
                        Ok(Reply::Text(_)) => {}
                        Err(Error::NotFound { .. }) => return i,
                        other => panic!("{other:?}"),
                    }
                    tokio::task::yield_now().await;
                }
                unreachable!()
            }));
        }
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        let mut done = 0;
        for writer in writers {
            done += writer.await.unwrap();
        }
        assert!(done > 0);
        // A checkpoint may have landed behind the last look.
        maintain(&bucket).await;
        if whole {
            assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
        }
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn what_lands_late_in_a_log_that_is_gone_is_emptied_by_maintenance() {
    for whole in [true, false] {
        let (bucket, vault) = lived_in().await;
        let old: Vec<_> =
            objects(&bucket).await.into_iter().filter(|object| object.location.as_ref().contains("/log/")).collect();
        let mut contents = Vec::new();
        for object in &old {
            contents.push(bytes(&bucket, &object.location).await);
        }
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        let after = full(&bucket).await;
        // A strip, or a checkpoint, that somebody sent long ago.
        for (object, content) in old.iter().zip(contents) {
            bucket.memory.put(&object.location, content.into()).await.unwrap();
        }
        assert!(full(&bucket).await > after);
        assert!(!findings(&bucket).await.is_empty());
        maintain(&bucket).await;
        assert_eq!(full(&bucket).await, after);
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_ends_it_with_an_error_and_the_next_call_goes_on() {
    let (bucket, vault) = lived_in().await;
    bucket.faults.on(Op::PutOverwrite).nth(5).fail_before(errors::permission_denied());
    let failed = vault.user("alice").destroy(&actor(), |_| {}).await;
    assert!(matches!(&failed, Err(Error::Backend { .. })), "{failed:?}");
    assert!(findings(&bucket).await.iter().all(|finding| finding.contains("not overwritten yet")));
    destroy(&vault.user("alice")).await;
    assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
}

#[tokio::test]
async fn a_user_that_is_destroyed_while_the_end_of_a_store_is_read_is_no_damage() {
    let (bucket, vault) = lived_in().await;
    destroy_store(&vault, "default").await;
    // The last commit of a store stays until its user goes.
    let in_log = |object: &ObjectMeta| object.location.as_ref().contains("/log/") && object.size > 0;
    let last = objects(&bucket).await.into_iter().filter(in_log).map(|object| object.location);
    let last = last.filter(|path| path.as_ref().ends_with("/fd5")).collect::<Vec<_>>();
    assert_eq!(last.len(), 1, "commit 42 closes it");
    let slow = bucket.again();
    let opening = slow.open().await;
    // Twice beside the listings, and then to see whether the log has ended.
    let gate = slow.faults.on(Op::Get).path_is(last[0].clone()).nth(3).hold();
    let opened = tokio::spawn(async move { open(&opening, "default").await });
    gate.reached().await;
    destroy(&vault.user("alice")).await;
    gate.release();
    let store = opened.await.unwrap().unwrap();
    assert!(store.memories().await.unwrap().is_empty());
    ok(&store, create("/memories/a", "anew")).await;
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn what_is_destroyed_while_a_vault_is_verified_is_no_damage() {
    let (bucket, _) = lived_in().await;
    bucket.spent();
    assert_eq!(bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap().findings.len(), 0);
    let reads = bucket.spent().get;
    assert!(reads > 40, "{reads}");
    // At each of its reads, and before the first.
    for (whole, nth) in (1..=reads).flat_map(|nth| [(true, nth), (false, nth)]) {
        let (bucket, vault) = bucket.copy().await;
        let slow = bucket.again();
        let looking = slow.open().await;
        let gate = slow.faults.on(Op::Get).nth(nth).hold();
        let looking = tokio::spawn(async move { looking.inspect(Depth::Contents, |_, _| {}).await });
        if nth < reads {
            gate.reached().await;
        }
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        gate.release();
        let inspection = looking.await.unwrap().unwrap();
        assert!(inspection.findings.is_empty(), "{whole} {nth}: {:?}", inspection.findings);
    }
}

#[tokio::test]
async fn damage_is_told_although_another_store_is_destroyed_while_a_vault_is_verified() {
    let (bucket, vault) = lived_in().await;
    let bob = vault.user("bob").store("default").open().await.unwrap();
    ok(&bob, create("/memories/b", "b")).await;
    let of_bob = |name: &String| name.contains("/log/");
    let alices: Vec<_> = names(&bucket.copy().await.0).await.into_iter().filter(of_bob).collect();
    let newest = alices.iter().find(|name| name.ends_with("/fd6")).unwrap();
    let user = newest.split('/').nth(1).unwrap();
    let bobs = alices.iter().find(|name| !name.contains(user)).unwrap().clone();
    bucket.memory.put(&Path::from(bobs), "junk".into()).await.unwrap();
    let slow = bucket.again();
    let looking = slow.open().await;
    let gate = slow.faults.on(Op::Get).path_is(newest.as_str()).hold();
    let looking = tokio::spawn(async move { looking.inspect(Depth::Contents, |_, _| {}).await });
    gate.reached().await;
    destroy(&vault.user("alice")).await;
    gate.release();
    let findings = looking.await.unwrap().unwrap().findings;
    assert!(!findings.is_empty() && findings.iter().all(|found| found.place.contains("bob")), "{findings:?}");
}

#[tokio::test]
async fn a_user_who_comes_while_a_vault_is_listed_is_no_damage() {
    let (bucket, _) = lived_in().await;
    let keyring = names(&bucket).await.into_iter().find(|name| name.contains("/keyring/")).unwrap();
    let late = bucket.again();
    // The page with its keyring was read before it came.
    let vault = late.open().await;
    late.faults.on(Op::List).nth(1).missing(keyring.as_str());
    assert!(vault.inspect(Depth::Contents, |_, _| {}).await.unwrap().findings.is_empty());
    bucket.memory.delete(&Path::from(keyring)).await.unwrap();
    let findings = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap().findings;
    assert!(findings.len() == 1 && findings[0].is_damage, "{findings:?}");
}
