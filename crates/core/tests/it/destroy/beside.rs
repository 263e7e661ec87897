//! What is alive while something of the same name goes: nothing that was begun for a life that has ended reaches the next.

use std::sync::Arc;

use memoseal_core::{state::VersionId, witness::FileWitness};
use memoseal_testkit::{Op, errors};

use super::*;

/// A user whose destruction was begun, and stopped before its tombstone.
async fn begun() -> (Bucket, Vault) {
    let (bucket, vault) = lived_in().await;
    let broken = bucket.again();
    broken.faults.on(Op::PutCreate).path_contains("/keyring/").times(99).fail_before(errors::permission_denied());
    let stopped = broken.open().await.user("alice").destroy(&actor(), |_| {}).await;
    assert!(matches!(&stopped, Err(Error::Backend { .. })), "{stopped:?}");
    (bucket, vault)
}

async fn made_anew(bucket: &Bucket) {
    destroy(&bucket.open().await.user("alice")).await;
    ok(&open(&bucket.open().await, "default").await.unwrap(), create("/memories/new", "alive")).await;
}

async fn is_alive(bucket: &Bucket) {
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/new".into(), "alive".into())]);
    assert_eq!(findings(bucket).await, [""; 0]);
}

#[tokio::test]
async fn whoever_finishes_a_destruction_leaves_the_user_who_came_anew_meanwhile() {
    // Held before the tombstone, or before a log is closed.
    for by_maintenance in [true, false] {
        for held in ["/keyring/", "/log/"] {
            let (bucket, _) = if held == "/log/" { lived_in().await } else { begun().await };
            if by_maintenance && held == "/log/" {
                continue;
            }
            let slow = bucket.again();
            let vault = slow.open().await;
            let gate = slow.faults.on(Op::PutCreate).path_contains(held).hold();
            let late = tokio::spawn(async move {
                if by_maintenance {
                    vault.maintain(&MaintainOptions::default(), |_, _| {}).await.map(drop)
                } else {
                    let destroyed = vault.user("alice").destroy(&actor(), |_| {}).await?;
                    assert!(destroyed.damaged.is_empty(), "{:?}", destroyed.damaged);
                    Ok(())
                }
            });
            gate.reached().await;
            made_anew(&bucket).await;
            gate.release();
            late.await.unwrap().unwrap();
            is_alive(&bucket).await;
            assert_eq!(keys_left(&bucket).await, 1);
        }
    }
}

#[tokio::test]
async fn maintenance_that_found_a_closed_catalogue_leaves_the_user_who_came_anew_since() {
    let (bucket, _) = begun().await;
    let slow = bucket.again();
    let vault = slow.open().await;
    // The first commit that it reads says that the catalogue is closed.
    let gate = slow.faults.on(Op::Get).path_contains("/log/").hold_answer();
    let late = tokio::spawn(async move { vault.maintain(&MaintainOptions::default(), |_, _| {}).await });
    gate.reached().await;
    made_anew(&bucket).await;
    gate.release();
    late.await.unwrap().unwrap();
    is_alive(&bucket).await;
}

#[tokio::test]
async fn a_checkpoint_that_outlived_its_commit_keeps_nobody_from_coming_anew() {
    let (bucket, vault) = lived_in().await;
    destroy(&vault.user("alice")).await;
    // A checkpoint that came late was emptied later, and so its name goes later too.
    for object in objects(&bucket).await.iter().filter(|object| object.location.as_ref().contains("/log/")) {
        if !object.location.as_ref().ends_with(".checkpoint") {
            bucket.memory.delete(&object.location).await.unwrap();
        }
    }
    assert!(names(&bucket).await.iter().any(|name| name.ends_with(".checkpoint")));
    assert_eq!(findings(&bucket).await, [""; 0]);
    let store = open(&bucket.open().await, "default").await.unwrap();
    ok(&store, create("/memories/new", "alive")).await;
    is_alive(&bucket).await;
}

#[tokio::test]
async fn every_older_keyring_of_a_destroyed_user_is_overwritten_however_many_names_lie_above_it() {
    let (bucket, vault) = lived_in().await;
    let is_keyring = |object: &&ObjectMeta| object.location.as_ref().contains("/keyring/");
    let listed = objects(&bucket).await;
    let keyring = &listed.iter().find(is_keyring).unwrap().location;
    let folder = keyring.as_ref().rsplit_once('/').unwrap().0;
    for n in 0..999 {
        bucket.memory.put(&Path::from(format!("{folder}/!{n:03}")), "foreign".into()).await.unwrap();
    }
    destroy(&vault.user("alice")).await;
    for n in 0..999 {
        bucket.memory.delete(&Path::from(format!("{folder}/!{n:03}"))).await.unwrap();
    }
    assert_eq!(keys_left(&bucket).await, 0);
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_version_of_what_was_destroyed_is_not_found() {
    for whole in [true, false] {
        for met in [true, false] {
            let (bucket, vault) = lived_in().await;
            let warm = open(&bucket.open().await, "default").await.unwrap();
            if whole {
                destroy(&vault.user("alice")).await
            } else {
                destroy_store(&vault, "default").await
            }
            if met {
                assert!(stops(&warm).await);
            }
            let id = VersionId { seq: 3, index: 0 };
            assert!(is_gone(warm.version(id).await), "{whole} {met}");
            assert!(is_gone(warm.read_version(id).await), "{whole} {met}");
            assert!(is_gone(warm.redact(&[id]).await), "{whole} {met}");
            assert!(is_gone(warm.preview_redaction(&[id]).await), "{whole} {met}");
            assert!(is_gone(warm.retention().await), "{whole} {met}");
        }
    }
}

#[tokio::test]
async fn a_restore_from_before_a_destruction_can_be_accepted_for_the_catalogue_too() {
    let folder = tempfile::tempdir().unwrap();
    let machine = async |bucket: &Bucket, accept_rollback: bool| {
        let mut options = options();
        options.witness = Some(Arc::new(FileWitness::new(folder.path().join("witness"))));
        options.accept_rollback = accept_rollback;
        Vault::open(bucket.backend(), key(), options).await.unwrap()
    };
    let bucket = Bucket::new();
    bucket.create().await;
    let store = open(&bucket.open().await, "default").await.unwrap();
    ok(&store, create("/memories/a", "a")).await;
    let bob = bucket.open().await.user("bob").store("default").open().await.unwrap();
    ok(&bob, create("/memories/b", "b")).await;
    let backup = bucket.copy().await.0;
    let vault = machine(&bucket, false).await;
    ok(&open(&vault, "work").await.unwrap(), create("/memories/w", "w")).await;
    destroy(&vault.user("alice")).await;
    // Maintenance tells of it, and goes on with the others.
    let told = machine(&backup, false).await.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    let outcomes: Vec<_> = told.stores.iter().map(|store| store.outcome.is_ok()).collect();
    assert_eq!(outcomes.iter().filter(|is_ok| **is_ok).count(), 1, "{told:?}");
    // One run takes what is there for right.
    let accepting = machine(&backup, true).await;
    open(&accepting, "default").await.unwrap();
    accepting.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    let vault = machine(&backup, false).await;
    vault.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    ok(&open(&vault, "new").await.unwrap(), create("/memories/n", "n")).await;
    assert_eq!(vault.user("alice").stores().await.unwrap(), ["default", "new"]);
}

#[tokio::test]
async fn a_store_whose_destruction_slept_keeps_the_last_commit_of_that_life() {
    let (bucket, vault) = lived_in().await;
    let slow = bucket.again();
    let late = slow.open().await;
    // It has found the store, and is about to look for the end of its log.
    let gate = slow.faults.on(Op::List).path_contains("/log/").nth(2).hold();
    let late = tokio::spawn(async move { late.user("alice").destroy_store("default", &actor(), |_| {}).await });
    gate.reached().await;
    destroy_store(&vault, "default").await;
    // A week later; and the store is there again.
    for object in objects(&bucket).await.iter().filter(|object| object.size == 0) {
        bucket.memory.delete(&object.location).await.unwrap();
    }
    ok(&open(&bucket.open().await, "default").await.unwrap(), create("/memories/new", "alive")).await;
    gate.release();
    late.await.unwrap().unwrap();
    is_alive(&bucket).await;
    maintain(&bucket).await;
    is_alive(&bucket).await;
}

#[tokio::test]
async fn a_store_that_is_destroyed_while_it_is_looked_at_is_not_damaged() {
    for whole in [true, false] {
        for nth in 1..10 {
            let (bucket, vault) = lived_in().await;
            let slow = bucket.again();
            let late = slow.open().await;
            let gate = slow.faults.on(Op::Get).path_contains("/log/").nth(nth).hold();
            let looking = tokio::spawn(async move {
                let user = late.user("alice");
                let stores = user.stores().await;
                (stores, user.destroy_store("default", &actor(), |_| {}).await)
            });
            gate.reached().await;
            if whole {
                destroy(&vault.user("alice")).await
            } else {
                destroy_store(&vault, "default").await
            }
            gate.release();
            let (stores, destroyed) = looking.await.unwrap();
            stores.unwrap();
            assert!(matches!(&destroyed, Ok(_) | Err(Error::NotFound { .. })), "{whole} {nth}: {destroyed:?}");
        }
    }
}

#[tokio::test]
async fn a_user_that_is_destroyed_while_maintenance_looks_at_it_is_not_damaged() {
    for nth in 1..8 {
        let (bucket, vault) = lived_in().await;
        let slow = bucket.again();
        let late = slow.open().await;
        let gate = slow.faults.on(Op::Get).path_contains("/log/").nth(nth).hold();
        let late = tokio::spawn(async move { late.maintain(&MaintainOptions::default(), |_, _| {}).await });
        gate.reached().await;
        destroy(&vault.user("alice")).await;
        gate.release();
        for store in late.await.unwrap().unwrap().stores {
            assert!(matches!(&store.outcome, Ok(_) | Err(Error::NotFound { .. })), "{nth}: {store:?}");
        }
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_folder_that_only_looks_newer_does_not_keep_a_log_from_being_closed() {
    for (from, to) in [(".fffffffffffffffe", ".fffffffffffffffd"), ("/fffffffffffffffe.", "/fffffffffffffffd.")] {
        for suffix in ["", ".checkpoint"] {
            let (bucket, vault) = lived_in().await;
            let warm = open(&bucket.open().await, "default").await.unwrap();
            let listed = names(&bucket).await;
            let first = listed.iter().find(|name| name.ends_with("/fd6")).unwrap();
            let planted = Path::from(format!("{}{suffix}", first.replace(from, to)));
            bucket.memory.put(&planted, "junk".into()).await.unwrap();
            let _told = vault.user("alice").destroy(&actor(), |_| {}).await.unwrap();
            assert!(stops(&warm).await, "{from} {suffix}");
            assert_eq!(keys_left(&bucket).await, 0);
        }
    }
}

#[tokio::test]
async fn a_listing_that_hides_the_newest_keyring_is_not_asked_for_ever() {
    let (bucket, vault) = lived_in().await;
    let listed = objects(&bucket).await;
    let keyring = &listed.iter().find(|object| object.location.as_ref().contains("/keyring/")).unwrap().location;
    let hidden = Path::from(keyring.as_ref().replace("fffffffffffffffe", "fffffffffffffffd"));
    bucket.memory.put(&hidden, "junk".into()).await.unwrap();
    bucket.faults.on(Op::List).always().missing(hidden);
    let told = vault.user("alice").destroy(&actor(), |_| {}).await;
    assert!(matches!(&told, Err(Error::Damaged { .. })), "{told:?}");
}

#[tokio::test]
async fn a_dry_run_of_maintenance_finishes_no_destruction_and_deletes_no_name() {
    let mut options = MaintainOptions::default();
    options.dry_run = true;
    options.unused_days = Some(1);
    let finished = async || {
        let (bucket, vault) = lived_in().await;
        destroy(&vault.user("alice")).await;
        bucket
    };
    let of_a_store = async || {
        let (bucket, vault) = lived_in().await;
        destroy_store(&vault, "default").await;
        bucket
    };
    let anew = async || {
        let (bucket, _) = lived_in().await;
        made_anew(&bucket).await;
        bucket
    };
    for bucket in [begun().await.0, finished().await, of_a_store().await, anew().await] {
        let ahead = crate::redaction::clock::Ahead::new(Arc::clone(&bucket.memory));
        ahead.advance(8);
        // Something that landed late.
        let empty = objects(&bucket).await.into_iter().find(|object| object.size == 0);
        if let Some(object) = empty {
            bucket.memory.put(&object.location, "late".into()).await.unwrap();
        }
        let is_clock = |object: &ObjectMeta| object.location.as_ref() == "clock";
        let sizes = async || {
            let objects = objects(&bucket).await.into_iter().filter(|object| !is_clock(object));
            objects.map(|object| (object.location, object.size)).collect::<Vec<_>>()
        };
        let before = sizes().await;
        ahead.open().await.maintain(&options, |_, _| {}).await.unwrap();
        assert_eq!(sizes().await, before);
    }
}

#[tokio::test]
async fn what_is_destroyed_while_history_is_read_or_a_version_is_redacted_is_not_damaged() {
    let id = VersionId { seq: 3, index: 0 };
    for whole in [true, false] {
        for what in ["history", "version", "content", "redact", "preview", "maintain"] {
            for nth in 1..4 {
                let (bucket, vault) = lived_in().await;
                let store = open(&vault, "default").await.unwrap();
                ok(&store, replace("/memories/2", "swordfish", "pike")).await;
                let slow = bucket.again();
                let warm = open(&slow.open().await, "default").await.unwrap();
                let gate = slow.faults.on(Op::Get).path_contains("/log/").nth(nth).hold();
                let late = tokio::spawn(async move {
                    match what {
                        "history" => warm.history(&Default::default()).await.map(drop),
                        "version" => warm.version(id).await.map(drop),
                        "content" => warm.read_version(id).await.map(drop),
                        "redact" => warm.redact(&[id]).await.and_then(|done| done.unfinished.map_or(Ok(()), Err)),
                        "preview" => warm.preview_redaction(&[id]).await.map(drop),
                        _ => warm.maintain(&MaintainOptions::default()).await.map(drop),
                    }
                });
                // Not everything takes so many requests.
                while !late.is_finished() && !slow.faults.all_fired() {
                    tokio::task::yield_now().await;
                }
                if whole {
                    destroy(&vault.user("alice")).await
                } else {
                    destroy_store(&vault, "default").await
                }
                gate.release();
                let answer = late.await.unwrap();
                assert!(matches!(&answer, Ok(()) | Err(Error::NotFound { .. })), "{whole} {what} {nth}: {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_end_of_a_life_that_another_followed_does_not_vanish_unseen() {
    for all_lives in [true, false] {
        let (bucket, vault) = lived_in().await;
        destroy_store(&vault, "default").await;
        ok(&open(&bucket.open().await, "default").await.unwrap(), create("/memories/new", "alive")).await;
        is_alive(&bucket).await;
        let listed = names(&bucket).await;
        let anew = listed.iter().find(|name| name.contains(".fffffffffffffffd/")).unwrap();
        let store = anew.split("/fffffffffffffffe.").next().unwrap();
        let gone = if all_lives { format!("{store}/") } else { format!("{store}/fffffffffffffffe.fffffffffffffffe/") };
        for name in listed.iter().filter(|name| name.starts_with(&gone)) {
            bucket.memory.delete(&Path::from(name.as_str())).await.unwrap();
        }
        let found = findings(&bucket).await;
        assert!(found.iter().any(|finding| finding.contains("the end of life 1 is gone")), "{found:?}");
    }
}
