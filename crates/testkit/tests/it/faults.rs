//! Rules meet the requests that they are for, and do to them what they say.

use std::time::Duration;

use memoseal_testkit::{CountingStore, Op, errors};
use object_store::Error;

use super::*;

#[tokio::test]
async fn without_rules_everything_passes() {
    let (store, _) = faulty();
    create(&store, "a", "1").await.unwrap();
    assert!(matches!(create(&store, "a", "2").await, Err(Error::AlreadyExists { .. })));
    assert_eq!(get(&store, "a").await.unwrap(), "1");
    store.delete(&"a".into()).await.unwrap();
    assert!(matches!(get(&store, "a").await, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn a_rule_is_for_its_kind_path_and_turn() {
    let (store, memory) = faulty();
    store.on(Op::PutCreate).path_contains("log/").nth(2).fail_before(errors::timeout());
    create(&store, "other/1", "").await.unwrap();
    put(&store, "log/0", "").await.unwrap();
    create(&store, "log/1", "").await.unwrap();
    assert!(!store.all_fired());
    create(&store, "log/2", "").await.unwrap_err();
    assert!(store.all_fired());
    create(&store, "log/3", "").await.unwrap();
    assert_eq!(names(&*memory, "log").await.unwrap(), ["log/0", "log/1", "log/3"]);
}

#[tokio::test]
async fn a_rule_can_be_for_some_or_for_all() {
    let (store, _) = faulty();
    store.on(Op::PutOverwrite).path_is("some").nth(2).times(2).fail_before(errors::unavailable());
    let mut failed = Vec::new();
    for n in 1..=4 {
        if put(&store, "some", "").await.is_err() {
            failed.push(n);
        }
    }
    assert_eq!(failed, [2, 3]);

    store.on_any().path(|path| path.as_ref().ends_with("all")).always().fail_before(errors::unavailable());
    for _ in 0..3 {
        put(&store, "all", "").await.unwrap_err();
        get(&store, "all").await.unwrap_err();
        store.delete(&"all".into()).await.unwrap_err();
    }
    store.clear();
    put(&store, "all", "").await.unwrap();
}

#[tokio::test]
async fn the_earliest_error_wins_and_each_rule_counts_for_itself() {
    let (store, _) = faulty();
    store.on(Op::Get).fail_before(errors::permission_denied());
    store.on(Op::Get).times(2).fail_before(errors::unauthenticated());
    assert!(matches!(get(&store, "a").await, Err(Error::PermissionDenied { .. })));
    assert!(matches!(get(&store, "a").await, Err(Error::Unauthenticated { .. })));
    assert!(matches!(get(&store, "a").await, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn a_request_can_land_and_fail() {
    let (store, memory) = faulty();
    store.on(Op::PutCreate).land_then_fail(errors::timeout());
    store.on(Op::Delete).land_then_fail(errors::timeout());
    assert!(matches!(create(&store, "a", "1").await, Err(Error::Generic { .. })));
    assert_eq!(get(&*memory, "a").await.unwrap(), "1");
    store.delete(&"a".into()).await.unwrap_err();
    get(&*memory, "a").await.unwrap_err();
}

#[tokio::test]
async fn a_request_can_land_late() {
    let (store, memory) = faulty();
    let late = store.on(Op::PutCreate).times(2).land_late(errors::timeout());
    create(&store, "a", "first").await.unwrap_err();
    create(&store, "b", "second").await.unwrap_err();
    create(&store, "a", "meanwhile").await.unwrap();
    get(&*memory, "b").await.unwrap_err();

    assert_eq!(late.pending(), 2);
    let answers = late.release().await;
    assert!(matches!(answers[..], [Err(Error::AlreadyExists { .. }), Ok(())]), "{answers:?}");
    assert_eq!(get(&*memory, "a").await.unwrap(), "meanwhile");
    assert_eq!(get(&*memory, "b").await.unwrap(), "second");
    assert_eq!(late.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_on_the_virtual_clock() {
    let (store, _) = faulty();
    store.on(Op::PutOverwrite).delay(Duration::from_secs(40));
    let before = tokio::time::Instant::now();
    put(&store, "a", "").await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_secs(40));
}

#[tokio::test]
async fn a_request_can_be_held_on_its_way() {
    let (store, memory) = faulty();
    let gate = store.on(Op::PutCreate).times(2).hold();
    let tasks = ["a", "b"].map(|path| {
        let store = store.clone();
        tokio::spawn(async move { create(&store, path, "").await })
    });
    gate.reached().await;
    gate.reached().await;
    assert!(names(&*memory, "").await.unwrap().is_empty());
    gate.release();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(names(&*memory, "").await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn an_answer_can_be_held_on_its_way() {
    let (store, memory) = faulty();
    let gate = store.on(Op::PutCreate).hold_answer();
    let writer = store.clone();
    let task = tokio::spawn(async move { create(&writer, "a", "1").await });
    gate.reached().await;
    assert_eq!(get(&*memory, "a").await.unwrap(), "1");
    assert!(!task.is_finished());
    gate.release();
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_that_is_dropped_while_held_never_lands() {
    let (store, memory) = faulty();
    let gate = store.on(Op::PutCreate).hold();
    let writer = store.clone();
    let task = tokio::spawn(async move { create(&writer, "a", "").await });
    gate.reached().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    gate.release();
    assert!(names(&*memory, "").await.unwrap().is_empty());
}

#[tokio::test]
async fn put_if_absent_can_be_ignored() {
    let (store, _) = faulty();
    store.on(Op::PutCreate).always().ignore_mode();
    create(&store, "a", "1").await.unwrap();
    create(&store, "a", "2").await.unwrap();
    assert_eq!(get(&store, "a").await.unwrap(), "2");
}

#[tokio::test]
async fn a_missing_object_can_be_forbidden() {
    let (_, memory) = faulty();
    let store = FaultStore::answering_403(memory);
    put(&store, "a", "1").await.unwrap();
    assert_eq!(get(&store, "a").await.unwrap(), "1");
    assert!(matches!(get(&store, "b").await, Err(Error::PermissionDenied { .. })));
    assert!(matches!(store.head(&"b".into()).await, Err(Error::PermissionDenied { .. })));
}

#[tokio::test]
async fn bytes_can_be_corrupted() {
    let (store, _) = faulty();
    put(&store, "a", "0123456789").await.unwrap();
    store.on(Op::Get).always().corrupt(|bytes| bytes.slice(..bytes.len() - 1));
    let whole = store.get(&"a".into()).await.unwrap();
    assert_eq!((whole.meta.size, whole.range.clone()), (9, 0..9));
    assert_eq!(whole.bytes().await.unwrap(), "012345678");
    assert_eq!(store.get_range(&"a".into(), 2..5).await.unwrap(), "23");
    assert_eq!(store.head(&"a".into()).await.unwrap().size, 10);
}

#[tokio::test]
async fn stores_stack() {
    let (inner, _) = faulty();
    let counting = CountingStore::new(Arc::new(inner.clone()));
    let outer = FaultStore::new(Arc::new(counting.clone()));
    outer.on(Op::PutCreate).fail_before(errors::timeout());
    inner.on(Op::PutCreate).fail_before(errors::disk_full());
    create(&outer, "a", "").await.unwrap_err();
    assert_eq!(counting.counts().put_create, 0);
    create(&outer, "a", "").await.unwrap_err();
    create(&outer, "a", "").await.unwrap();
    assert_eq!(counting.counts().put_create, 2);
}
