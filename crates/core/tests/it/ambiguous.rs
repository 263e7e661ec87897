//! Answers that do not say what happened: the outcome is found out, or called unknown, never guessed.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use memoseal_core::{Depth, Error, MaintainOptions, Vault, command::Command, command::Reply};
use memoseal_testkit::{Fault, Op, errors};
use object_store::path::Path;
use serde_json::json;

use crate::support::*;

fn lost_answers() -> [Fault; 5] {
    [
        errors::timeout(),
        errors::unavailable(),
        errors::connection_reset(),
        // What a store may answer to the retry of a put that it has carried out.
        errors::already_exists(),
        errors::precondition(),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_put_that_landed_although_its_answer_was_lost_is_known_for_our_own() {
    for fault in lost_answers() {
        let bucket = Bucket::new();
        let store = roomy(&bucket.create().await, "alice").await;
        bucket.faults.on(Op::PutCreate).path_contains("log/").land_then_fail(fault.clone());
        ok(&store, create("/memories/n", "x")).await;
        assert!(bucket.faults.all_fired(), "{fault:?}");
        assert_eq!(store.seq(), 1, "{fault:?}: written once");
        ok(&store, replace("/memories/n", "x", "y")).await;
        assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "y".into())]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_put_that_did_not_land_is_sent_again_with_the_very_same_bytes() {
    for fault in lost_answers() {
        let bucket = Bucket::new();
        let store = roomy(&bucket.create().await, "alice").await;
        bucket.faults.on(Op::PutCreate).path_contains("log/").times(3).fail_before(fault.clone());
        ok(&store, create("/memories/n", "x")).await;
        assert!(bucket.faults.all_fired(), "{fault:?}");
        assert_eq!(store.seq(), 1);
        let sent: Vec<_> = bucket
            .counting
            .log()
            .into_iter()
            .filter(|request| request.op == Op::PutCreate && request.path.as_ref().contains("log/"))
            .collect();
        assert_eq!(sent.len(), 4, "{fault:?}");
        assert!(sent.windows(2).all(|pair| pair[0].path == pair[1].path && pair[0].body == pair[1].body), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_put_of_another_writer_is_not_taken_for_our_own() {
    let bucket = Bucket::new();
    let here = roomy(&bucket.create().await, "alice").await;
    ok(&here, create("/memories/first", "")).await;
    let there = roomy(&bucket.again().open().await, "alice").await;
    ok(&there, create("/memories/n", "theirs")).await;
    // Our create times out, and at that number lies what the other wrote: the same path, nearly the same change.
    bucket.faults.on(Op::PutCreate).path_contains("log/").fail_before(errors::timeout());
    assert_eq!(fails(&here, create("/memories/n", "theirs")).await, "Error: File /memories/n already exists");
}

#[tokio::test(start_paused = true)]
async fn when_patience_runs_out_the_outcome_is_unknown_and_the_next_operation_decides() {
    for lands in [false, true] {
        let bucket = Bucket::new();
        let store = roomy(&bucket.create().await, "alice").await;
        ok(&store, create("/memories/first", "")).await;
        let put = || bucket.faults.on(Op::PutCreate).always();
        if lands {
            put().land_then_fail(errors::timeout())
        } else {
            put().fail_before(errors::timeout())
        }
        bucket.faults.on(Op::Get).always().fail_before(errors::timeout());
        let begun = tokio::time::Instant::now();
        let answer = store.execute(create("/memories/n", "x")).await;
        assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
        let took = begun.elapsed();
        assert!((Duration::from_secs(29)..Duration::from_secs(45)).contains(&took), "{took:?}");

        let block = json!({ "type": "tool_use", "id": "t", "name": "memory",
            "input": { "command": "rename", "old_path": "/memories/first", "new_path": "/memories/second/" } });
        let result = store.handle(&block).await;
        assert_eq!(result["is_error"], true);
        bucket.faults.clear();

        ok(&store, create("/memories/after", "")).await;
        let paths: Vec<_> = tree(&bucket.open().await, "alice").await.into_iter().map(|(path, _)| path).collect();
        let landed: &[&str] = if lands {
            &["/memories/after", "/memories/first", "/memories/n"]
        } else {
            &["/memories/after", "/memories/first"]
        };
        assert_eq!(paths, landed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_put_that_lands_late_is_applied_once_and_later_changes_run_on_top_of_it() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "a")).await;
    let late = bucket.faults.on(Op::PutCreate).always().land_late(errors::timeout());
    let answer = store.execute(replace("/memories/n", "a", "b")).await;
    assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
    bucket.faults.clear();
    assert!(late.pending() > 1);
    let landed = late.release().await;
    assert_eq!(landed.iter().filter(|answer| answer.is_ok()).count(), 1, "the same bytes under one name");
    ok(&store, replace("/memories/n", "b", "c")).await;
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "c".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_put_that_lands_after_ours_was_sent_again_changes_nothing() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let late = bucket.faults.on(Op::PutCreate).path_contains("log/").land_late(errors::timeout());
    ok(&store, create("/memories/n", "a")).await;
    ok(&store, replace("/memories/n", "a", "b")).await;
    assert!(late.release().await.iter().all(Result::is_err));
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "b".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_fails_at_once_and_says_why_and_nothing_has_changed() {
    for fault in [
        errors::permission_denied(),
        errors::unauthenticated(),
        errors::disk_full(),
        errors::disk_read_only(),
        errors::disk_permission_denied(),
    ] {
        let bucket = Bucket::new();
        let store = roomy(&bucket.create().await, "alice").await;
        ok(&store, create("/memories/first", "")).await;
        bucket.faults.on(Op::PutCreate).always().fail_before(fault.clone());
        let begun = tokio::time::Instant::now();
        let answer = store.execute(create("/memories/n", "x")).await;
        assert!(matches!(answer, Err(Error::Backend { .. })), "{fault:?}: {answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(1), "{fault:?}: it was tried again");
        let block = json!({ "id": "t", "name": "memory", "input": { "command": "delete", "path": "/memories/first" } });
        assert_eq!(
            store.handle(&block).await["content"],
            "Error: The memory cannot be reached; nothing was changed. Try again."
        );
        bucket.faults.clear();
        assert_eq!(tree(&bucket.open().await, "alice").await.len(), 1);
        ok(&store, create("/memories/n", "x")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_whose_put_landed_all_the_same_is_a_success() {
    // A disk that is full when the folder is synced, after the file was linked.
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    bucket.faults.on(Op::PutCreate).path_contains("log/").land_then_fail(errors::disk_full());
    ok(&store, create("/memories/n", "x")).await;
    assert_eq!(store.seq(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_a_doubt_does_not_make_the_doubt_go_away() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    let late = bucket.faults.on(Op::PutCreate).land_late(errors::timeout());
    bucket.faults.on(Op::PutCreate).nth(2).always().fail_before(errors::disk_full());
    let answer = store.execute(create("/memories/n", "x")).await;
    assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
    assert!(late.release().await.iter().all(Result::is_ok), "and indeed it lands");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_tells_the_model_where_to_look() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    bucket.faults.on_any().always().fail_before(errors::timeout());
    let block = json!({ "id": "t", "name": "memory",
        "input": { "command": "create", "path": "/memories/n", "file_text": "" } });
    assert_eq!(
        store.handle(&block).await["content"],
        "Error: It is not known whether this change was saved. View /memories/n before you try again."
    );
}

#[tokio::test(start_paused = true)]
async fn a_store_that_answers_403_for_what_is_missing_is_an_error_that_says_so() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    bucket.faults.on(Op::Get).always().not_found_as_403();
    let answer = store.execute(view("/memories")).await;
    let Err(error @ Error::Backend { .. }) = answer else { panic!("{answer:?}") };
    assert!(error.to_string().contains("403 for a missing key"), "{error}");
    // What needs no look at a missing key works all the same.
    assert!(matches!(store.execute(replace("/memories/n", "x", "y")).await, Ok(Reply::Text(_))));
}

#[tokio::test(start_paused = true)]
async fn a_probe_or_a_read_without_an_answer_does_not_stop_the_writer_for_good() {
    for (op, path) in [(Op::PutCreate, "vault/"), (Op::Get, "log/")] {
        let bucket = Bucket::new();
        ok(&roomy(&bucket.create().await, "alice").await, create("/memories/n", "x")).await;
        let store = roomy(&bucket.open().await, "alice").await;
        let _gate = bucket.faults.on(op).path_contains(path).always().hold();
        let begun = tokio::time::Instant::now();
        // The first needs the probe, the second, which fails, a look whether that is still true.
        let turn = if op == Op::PutCreate { create("/memories/m", "x") } else { delete("/memories/none") };
        let answer = store.execute(turn).await;
        assert!(matches!(answer, Err(Error::Backend { .. })), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_a_delete_or_a_stub_without_an_answer_does_not_hold_maintenance_for_good() {
    // Found by the simulation (a silent listing below `users`): every request of maintenance and rotation ends.
    for op in [Op::List, Op::Delete, Op::PutOverwrite] {
        let bucket = Bucket::new();
        let vault = bucket.create().await;
        let store = roomy(&vault, "alice").await;
        for n in 0..40 {
            let content = format!("{n}").into();
            ok(&store, Command::Put { path: "/memories/n".into(), content }).await;
        }
        store.settle().await;
        let _gate = bucket.faults.on(op).always().hold();
        let begun = tokio::time::Instant::now();
        let maintained = vault.maintain(&MaintainOptions::default(), |_, _| {}).await;
        let rotated = vault.rotate(vec![key()], false, |_, _| {}).await;
        let inspected = vault.inspect(Depth::Sections, |_, _| {}).await;
        let redacted = store.redact(&["1.0".parse().unwrap()]).await;
        assert!(begun.elapsed() < Duration::from_secs(600), "{op:?}: {:?}", begun.elapsed());
        let failed = maintained.is_err() || rotated.is_err() || inspected.is_err();
        let unfinished = redacted.is_ok_and(|redacted| redacted.unfinished.is_some());
        assert!(failed || unfinished, "{op:?} was never asked for");
    }
}

#[tokio::test(start_paused = true)]
async fn no_put_is_sent_after_patience_ran_out() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    let begun = tokio::time::Instant::now();
    let last = Arc::new(Mutex::new(Duration::ZERO));
    let seen = Arc::clone(&last);
    let note = move |_: &Path| {
        *seen.lock().unwrap() = begun.elapsed();
        true
    };
    bucket.faults.on(Op::PutCreate).always().path(note).fail_before(errors::timeout());
    let answer = store.execute(create("/memories/m", "x")).await;
    assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
    let last = *last.lock().unwrap();
    assert!(last < Duration::from_secs(30), "the last put left after {last:?}");
}

#[tokio::test(start_paused = true)]
async fn patience_may_be_endless() {
    let bucket = Bucket::new();
    bucket.create().await;
    let mut options = options();
    options.patience.create = Duration::MAX;
    options.patience.read = Duration::MAX;
    let vault = Vault::open(bucket.backend(), key(), options).await.unwrap();
    let store = roomy(&vault, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    bucket.faults.on(Op::PutCreate).fail_before(errors::timeout());
    ok(&store, create("/memories/m", "x")).await;
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_whose_put_landed_and_cannot_be_looked_at_is_not_called_unchanged() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    bucket.faults.on(Op::PutCreate).land_then_fail(errors::disk_full());
    bucket.faults.on(Op::Get).always().fail_before(errors::timeout());
    let answer = store.execute(create("/memories/n", "x")).await;
    assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
    bucket.faults.clear();
    assert_eq!(store.memories().await.unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_keyring_whose_outcome_is_unknown_leaves_the_change_unsent() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    bucket.faults.on(Op::PutCreate).path_contains("keyring").always().fail_before(errors::timeout());
    let answer = store.execute(create("/memories/n", "x")).await;
    assert!(matches!(answer, Err(Error::Backend { .. })), "{answer:?}");
}
