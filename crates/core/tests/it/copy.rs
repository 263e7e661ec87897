//! A copy is the same vault at another place, and never the worse for it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use memoseal_core::{
    Actor, Copied, CopyOptions, Depth, Error, MaintainOptions, Result, Store, Vault, command::Command, state::VersionId,
};
use memoseal_testkit::{
    Op,
    errors::{permission_denied, unavailable},
};
use object_store::{ObjectStoreExt, path::Path};

use crate::{
    redaction::{clock::Ahead, opened::objects},
    support::*,
};

async fn copy(from: &Vault, to: &Bucket) -> Result<Copied> {
    from.copy_to(&to.backend(), &CopyOptions::default(), |_, _| {}).await
}

/// All objects but the clock.
async fn held(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    let mut objects = objects(bucket).await;
    objects.retain(|(path, _)| path.as_ref() != "clock");
    objects
}

/// The two places hold the same, and nothing is wrong with it.
async fn check_same(from: &Bucket, to: &Bucket) {
    let names = |objects: Vec<(Path, Vec<u8>)>| objects.into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(names(held(from).await), names(held(to).await));
    assert!(held(from).await == held(to).await);
    let inspection = to.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
}

async fn write(store: &Store, path: &str, text: &str) {
    ok(store, Command::Put { path: path.into(), content: text.as_bytes().to_vec().into() }).await;
}

fn ids(texts: &[&str]) -> Vec<VersionId> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn actor() -> Actor {
    Actor::Local { name: "operator".into() }
}

/// Two users, one with enough commits for a checkpoint.
async fn lived_in() -> (Bucket, Vault) {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let alice = roomy(&vault, "alice").await;
    for n in 0..40 {
        write(&alice, &format!("/memories/{}", n % 7), &format!("alice {n}\n")).await;
    }
    alice.settle().await;
    let bob = roomy(&vault, "bob").await;
    write(&bob, "/memories/secret", "swordfish\n").await;
    write(&bob, "/memories/secret", "nothing\n").await;
    write(&bob, "/memories/tea", "green\n").await;
    (bucket, vault)
}

/// Everything that takes something away, and more.
async fn live_on(bucket: &Bucket, vault: &Vault) {
    let alice = roomy(vault, "alice").await;
    for n in 0..40 {
        write(&alice, &format!("/memories/{}", n % 7), &format!("alice again {n}\n")).await;
    }
    alice.settle().await;
    let bob = roomy(vault, "bob").await;
    bob.redact(&ids(&["1.0"])).await.unwrap();
    let carol = roomy(vault, "carol").await;
    write(&carol, "/memories/a", "carol\n").await;
    vault.user("carol").destroy(&actor(), |_| {}).await.unwrap();
    let notes = vault.user("bob").store("notes").open().await.unwrap();
    write(&notes, "/memories/a", "notes\n").await;
    vault.user("bob").destroy_store("notes", &actor(), |_| {}).await.unwrap();
    vault.rotate(vec![key()], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    bucket.open().await.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
}

#[tokio::test]
async fn a_copy_holds_the_same_bytes_and_copying_again_writes_nothing() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    let copied = copy(&vault, &to).await.unwrap();
    check_same(&from, &to).await;
    let all = held(&from).await;
    assert_eq!((copied.created, copied.unchanged), (all.len() as u64, 0));
    assert_eq!(copied.bytes, all.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>());
    to.spent();
    let again = copy(&vault, &to).await.unwrap();
    assert_eq!((again.created, again.unchanged), (0, all.len() as u64));
    // The probe.
    assert_eq!(to.spent().put_create, 1);
    assert_eq!(to.spent().put_overwrite, 0);
}

#[tokio::test]
async fn a_copy_that_was_stopped_anywhere_goes_on_and_is_no_vault_before_it_is_whole() {
    let (from, vault) = lived_in().await;
    let total = held(&from).await.len() as u64;
    for nth in 1..=total {
        let to = Bucket::new();
        // The probe comes first.
        to.faults.on(Op::PutCreate).nth(nth + 2).always().fail_before(permission_denied());
        let stopped = copy(&vault, &to).await;
        assert!(matches!(stopped, Err(Error::Backend { .. })), "{nth}: {stopped:?}");
        to.faults.clear();
        let opened = Vault::open(to.backend(), key(), options()).await;
        // With memory in it, it could be a vault whose header was taken away.
        assert!(matches!(opened, Err(Error::NotFound { .. } | Error::Damaged { .. })), "{nth}");
        let there = held(&to).await.len() as u64;
        let copied = copy(&vault, &to).await.unwrap();
        assert_eq!((copied.created, copied.unchanged), (total - there, there));
        check_same(&from, &to).await;
    }
}

#[tokio::test]
async fn an_older_copy_comes_to_hold_no_more_than_the_vault() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    let with_carol = Bucket::new();
    write(&roomy(&vault, "carol").await, "/memories/early", "carol\n").await;
    copy(&vault, &with_carol).await.unwrap();
    live_on(&from, &vault).await;
    let copied = copy(&vault, &to).await.unwrap();
    assert!(copied.created > 40 && copied.overwritten > 2 && copied.kept == 0, "{copied:?}");
    check_same(&from, &to).await;
    copy(&vault, &with_carol).await.unwrap();
    check_same(&from, &with_carol).await;
}

#[tokio::test]
async fn names_that_were_freed_after_a_destruction_are_emptied_in_an_older_copy() {
    let (from, vault) = lived_in().await;
    write(&vault.user("bob").store("notes").open().await.unwrap(), "/memories/a", "notes\n").await;
    write(&roomy(&vault, "carol").await, "/memories/a", "carol\n").await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    live_on(&from, &vault).await;
    let ahead = Ahead::new(Arc::clone(&from.memory));
    ahead.advance(8);
    let done = ahead.open().await.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    assert!(done.deleted > 0);
    copy(&vault, &to).await.unwrap();
    let (names, copies) = (held(&from).await, held(&to).await);
    let mut alone = copies.iter().filter(|(path, _)| names.iter().all(|(name, _)| name != path));
    assert!(alone.clone().count() > 0 && alone.all(|(_, bytes)| bytes.is_empty()));
    let inspection = to.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    // Nothing is left to be done.
    let again = copy(&vault, &to).await.unwrap();
    assert_eq!((again.created, again.overwritten, again.deleted), (0, 0, 0), "{again:?}");
}

#[tokio::test]
async fn an_older_copy_that_was_caught_up_in_part_can_be_read_at_any_moment() {
    let (from, vault) = lived_in().await;
    let old = Bucket::new();
    copy(&vault, &old).await.unwrap();
    live_on(&from, &vault).await;
    let now = tree(&vault, "bob").await;
    let mut nth = 0;
    loop {
        let to = Bucket::new();
        for (path, bytes) in objects(&old).await {
            to.memory.put(&path, bytes.into()).await.unwrap();
        }
        // So many writes of any kind, and no more.
        let left = Arc::new(std::sync::atomic::AtomicI64::new(nth));
        for op in [Op::PutCreate, Op::PutOverwrite, Op::Delete] {
            let left = Arc::clone(&left);
            let is_over = move |_: &Path| left.fetch_sub(1, Ordering::SeqCst) <= 0;
            to.faults.on(op).path(is_over).always().fail_before(permission_denied());
        }
        let done = copy(&vault, &to).await.is_ok();
        to.faults.clear();
        let opened = to.open().await;
        let tree = tree(&opened, "bob").await;
        assert!(tree == now, "{nth}: {tree:?}");
        let alice = roomy(&opened, "alice").await;
        assert_eq!(alice.memories().await.unwrap().len(), 7, "{nth}");
        if done {
            check_same(&from, &to).await;
            break;
        }
        copy(&vault, &to).await.unwrap();
        check_same(&from, &to).await;
        nth += 1;
    }
    assert!(nth > 50, "{nth}");
}

#[tokio::test]
async fn a_copy_that_was_written_to_is_refused_before_anything_is_written() {
    let (_from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    write(&roomy(&to.open().await, "bob").await, "/memories/there", "x\n").await;
    let refused = |answer| matches!(answer, Err(Error::Diverged { .. }));
    to.spent();
    assert!(refused(copy(&vault, &to).await), "the target is ahead");
    write(&roomy(&vault, "bob").await, "/memories/here", "x\n").await;
    write(&roomy(&vault, "bob").await, "/memories/here too", "x\n").await;
    assert!(refused(copy(&vault, &to).await), "both went on");
    let spent = to.spent();
    assert_eq!((spent.put_create, spent.put_overwrite, spent.delete), (0, 0, 0));
}

#[tokio::test]
async fn two_generations_that_were_made_apart_are_refused() {
    let (_from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    let rotate = async |vault: &Vault| {
        vault.rotate(vec![key()], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    };
    rotate(&vault).await;
    to.open().await.user("bob").destroy(&actor(), |_| {}).await.unwrap();
    let refused = copy(&vault, &to).await.unwrap_err();
    assert!(matches!(refused, Error::Diverged { .. }), "{refused}");
    rotate(&to.open().await).await;
    let refused = copy(&vault, &to).await.unwrap_err();
    assert!(matches!(refused, Error::Diverged { .. }), "{refused}");
}

#[tokio::test]
async fn another_vault_and_what_is_no_vault_are_refused() {
    let (_from, vault) = lived_in().await;
    let other = Bucket::new();
    other.create().await;
    let refused = copy(&vault, &other).await.unwrap_err();
    assert!(refused.to_string().contains("another vault"), "{refused}");
    let full = Bucket::new();
    full.memory.put(&Path::from("photos/1.jpg"), "x".into()).await.unwrap();
    let refused = copy(&vault, &full).await.unwrap_err();
    assert!(refused.to_string().contains("photos/1.jpg"), "{refused}");
    // The other vault's header, and its probe.
    assert_eq!((full.spent().put_create, other.spent().put_create), (0, 2));
}

#[tokio::test]
async fn damage_does_not_go_on_to_a_good_copy() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    let before = held(&to).await;
    let logs: Vec<_> = before.iter().filter(|(path, _)| path.as_ref().contains("/log/")).collect();
    let (path, bytes) = logs.iter().rev().find(|(path, _)| !path.as_ref().ends_with("point")).unwrap();
    // Somebody empties a commit, or strips it.
    let header = 51 + u32::from_be_bytes(bytes[47..51].try_into().unwrap()) as usize;
    let stripped = [&bytes[..header], &[0; 8]].concat();
    for hostile in [Vec::new(), stripped] {
        from.memory.put(path, hostile.into()).await.unwrap();
        to.spent();
        let refused = copy(&vault, &to).await.unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{refused}");
        assert_eq!((to.spent().put_create, to.spent().put_overwrite), (0, 0));
    }
    // A checkpoint that was changed, or emptied; and what is new, by somebody without the key.
    from.memory.put(path, bytes.clone().into()).await.unwrap();
    let (checkpoint, held_there) = logs.iter().find(|(path, _)| path.as_ref().ends_with("point")).unwrap();
    let mut changed = held_there.clone();
    changed[100] ^= 1;
    let above = |path: &Path| {
        let (folder, last) = path.as_ref().rsplit_once('/').unwrap();
        Path::from(format!("{folder}/{:03x}", u32::from_str_radix(last.split('.').next().unwrap(), 16).unwrap() - 1))
    };
    let newest = logs.iter().map(|(path, _)| path).filter(|path| !path.as_ref().ends_with("point")).min().unwrap();
    for (path, hostile, genuine) in [
        (checkpoint.clone(), changed, Some(held_there)),
        (checkpoint.clone(), Vec::new(), Some(held_there)),
        (above(newest), b"noise".to_vec(), None),
    ] {
        from.memory.put(&path, hostile.into()).await.unwrap();
        let refused = copy(&vault, &to).await.unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{path}: {refused}");
        match genuine {
            Some(bytes) => drop(from.memory.put(&path, bytes.clone().into()).await.unwrap()),
            None => from.memory.delete(&path).await.unwrap(),
        }
    }
    assert!(held(&to).await == before);
    // A changed byte, or a commit that is gone.
    let mut changed = bytes.clone();
    changed[header - 1] ^= 1;
    from.memory.put(path, changed.into()).await.unwrap();
    assert!(matches!(copy(&vault, &to).await, Err(Error::Diverged { .. })));
    from.memory.delete(path).await.unwrap();
    assert!(matches!(copy(&vault, &to).await, Err(Error::Diverged { .. })));
    assert!(held(&to).await == before);
}

#[tokio::test]
async fn what_the_target_has_removed_and_the_source_has_not_stays_removed() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    let before = held(&from).await;
    roomy(&vault, "bob").await.redact(&ids(&["1.0"])).await.unwrap();
    copy(&vault, &to).await.unwrap();
    // A strip that lands late carries back what was taken out.
    let after = held(&from).await;
    let (path, carried) = before.iter().find(|object| !after.contains(object)).unwrap();
    from.memory.put(path, carried.clone().into()).await.unwrap();
    let copied = copy(&vault, &to).await.unwrap();
    assert_eq!((copied.kept, copied.overwritten), (1, 0));
    let there = held(&to).await;
    assert!(there.iter().any(|(name, bytes)| name == path && bytes.len() < carried.len()));
}

#[tokio::test]
async fn one_user_goes_with_the_header_and_without_the_others() {
    let (_from, vault) = lived_in().await;
    let to = Bucket::new();
    let mut options = CopyOptions::default();
    options.user = Some("bob".into());
    vault.copy_to(&to.backend(), &options, |_, _| {}).await.unwrap();
    let copy = to.open().await;
    assert_eq!(copy.users().await.unwrap(), ["bob"]);
    assert_eq!(tree(&copy, "bob").await, tree(&vault, "bob").await);
    options.user = Some("nobody".into());
    let missing = vault.copy_to(&to.backend(), &options, |_, _| {}).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn a_target_that_ignores_put_if_absent_is_refused() {
    let (_from, vault) = lived_in().await;
    let to = Bucket::new();
    to.faults.on(Op::PutCreate).always().ignore_mode();
    let refused = copy(&vault, &to).await;
    assert!(matches!(refused, Err(Error::Unsuitable(_))), "{refused:?}");
    assert!(held(&to).await.is_empty());
}

#[tokio::test]
async fn a_redaction_while_the_copy_is_made_reaches_it() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    // The header is the last.
    let gate = to.faults.on(Op::PutCreate).path_contains("vault/").hold();
    let copying = {
        let (vault, backend) = (vault.clone(), to.backend());
        tokio::spawn(async move { vault.copy_to(&backend, &CopyOptions::default(), |_, _| {}).await })
    };
    gate.reached().await;
    roomy(&vault, "bob").await.redact(&ids(&["1.0"])).await.unwrap();
    gate.release();
    let copied = copying.await.unwrap().unwrap();
    assert!(copied.overwritten > 0 && !copied.is_behind, "{copied:?}");
    check_same(&from, &to).await;
}

#[tokio::test]
async fn an_answer_that_is_lost_on_the_way_does_no_harm() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    let odd = AtomicBool::new(false);
    to.faults
        .on(Op::PutCreate)
        .path(move |path| path.as_ref() != "clock" && odd.fetch_not(Ordering::SeqCst))
        .always()
        .land_then_fail(unavailable());
    let copied = copy(&vault, &to).await.unwrap();
    assert_eq!(copied.created, held(&from).await.len() as u64);
    to.faults.clear();
    check_same(&from, &to).await;
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_done_and_writes_nothing() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    copy(&vault, &to).await.unwrap();
    live_on(&from, &vault).await;
    let mut options = CopyOptions::default();
    options.dry_run = true;
    to.spent();
    let would = vault.copy_to(&to.backend(), &options, |_, _| {}).await.unwrap();
    let spent = to.spent();
    assert_eq!((spent.put_create, spent.put_overwrite, spent.delete), (0, 0, 0));
    assert_eq!(would, copy(&vault, &to).await.unwrap());
}

#[tokio::test]
async fn for_a_copy_of_one_user_nothing_of_the_others_is_read() {
    let (from, vault) = lived_in().await;
    let to = Bucket::new();
    let mut options = CopyOptions::default();
    options.user = Some("bob".into());
    vault.copy_to(&to.backend(), &options, |_, _| {}).await.unwrap();
    let bob = roomy(&vault, "bob").await;
    write(&bob, "/memories/more", "more\n").await;
    bob.settle().await;
    let names = |objects: Vec<(Path, Vec<u8>)>| objects.into_iter().map(|(path, _)| path.to_string());
    let bobs = names(held(&to).await).find(|name| name.starts_with("users/")).unwrap();
    let folder = bobs.split('/').take(2).collect::<Vec<_>>().join("/");
    // Damage of another user is none of what is copied.
    let others = names(held(&from).await).find(|name| name.contains("/log/") && !name.starts_with(&folder)).unwrap();
    from.memory.put(&Path::from(others), "junk".into()).await.unwrap();
    from.counting.reset();
    let copied = vault.copy_to(&to.backend(), &options, |_, _| {}).await.unwrap();
    assert_eq!(copied.created, 1);
    let asked: Vec<_> = from.counting.ops().into_iter().map(|(_, path)| path).collect();
    assert!(asked.iter().all(|path| path.starts_with(&folder) || path.starts_with("vault")), "{asked:?}");
    let new = asked.iter().filter(|path| path.ends_with("/ffb")).count();
    assert_eq!(new, 3, "the new commit: to see how the log ends, to walk along it, and to copy it");
    // Damage of the user is.
    let own = names(held(&from).await).find(|name| name.contains("/log/") && name.starts_with(&folder)).unwrap();
    write(&roomy(&vault, "bob").await, "/memories/again", "more\n").await;
    from.memory.put(&Path::from(own), "junk".into()).await.unwrap();
    let refused = vault.copy_to(&to.backend(), &options, |_, _| {}).await;
    assert!(refused.is_err(), "{refused:?}");
}
