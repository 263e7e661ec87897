//! That memories were read is noted without a request of its own, and what nobody uses goes when it is asked for.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use memoseal_core::{
    Actor, Depth, HistoryQuery, MaintainOptions, Maintained, Operation, Store, Vault,
    command::{Limits, Restore},
    env::{Clock, SystemClock},
};

use crate::support::*;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// A clock that is so many days behind.
struct Behind(AtomicI64);

impl Clock for Behind {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() - self.0.load(Ordering::Relaxed) * DAY
    }
}

async fn vault(bucket: &Bucket) -> (Vault, Arc<Behind>) {
    let clock = Arc::new(Behind(AtomicI64::new(100)));
    let mut options = options();
    options.env.clock = Arc::clone(&clock) as Arc<dyn Clock>;
    (Vault::open(bucket.backend(), key(), options).await.unwrap(), clock)
}

async fn unused(store: &Store, days: u32, dry_run: bool) -> Maintained {
    let mut options = MaintainOptions::default();
    (options.unused_days, options.dry_run) = (Some(days), dry_run);
    store.maintain(&options).await.unwrap()
}

fn paths(done: &Maintained) -> Vec<String> {
    done.unused.iter().map(ToString::to_string).collect()
}

async fn used_days(store: &Store) -> Vec<u32> {
    store.memories().await.unwrap().iter().map(|memory| memory.used_day).collect()
}

/// Four files, written 100 days ago, and a handle that is at the same time.
async fn old() -> (Bucket, Vault, Arc<Behind>, Store) {
    let bucket = Bucket::new();
    bucket.create().await;
    let (vault, clock) = vault(&bucket).await;
    let store = roomy(&vault, "alice").await;
    for name in ["a", "b", "c", "d"] {
        ok(&store, create(&format!("/memories/{name}"), name)).await;
    }
    (bucket, vault, clock, store)
}

#[tokio::test]
async fn a_reading_costs_no_request_and_rides_in_the_next_commit() {
    let (bucket, _vault, clock, store) = old().await;
    ok(&store, view("/memories/a")).await;
    clock.0.store(50, Ordering::Relaxed);
    // After so long it opens anew.
    ok(&store, view("/memories")).await;
    bucket.counting.reset();
    for _ in 0..3 {
        ok(&store, view("/memories/a")).await;
        store.read("/memories/b").await.unwrap();
    }
    ok(&store, view("/memories")).await;
    assert_eq!(
        (bucket.spent().total(), store.seq()),
        (7, 4),
        "as many as there were commands, and nothing was written"
    );
    assert_eq!(used_days(&store).await, [0; 4], "it is not in the log");
    bucket.spent();
    ok(&store, create("/memories/e", "e")).await;
    let spent = bucket.spent();
    assert_eq!((spent.put_create, spent.total()), (1, 1));
    let day = (clock.now_ms() / DAY) as u32;
    for store in [&store, &roomy(&bucket.open().await, "alice").await] {
        assert_eq!(used_days(store).await, [day, day, 0, 0, 0]);
    }
    // Once a day: another reading is no news, and nothing rides along.
    ok(&store, view("/memories/a")).await;
    bucket.counting.reset();
    ok(&store, create("/memories/f", "f")).await;
    let plain = bucket.counting.counts().bytes_up;
    clock.0.store(49, Ordering::Relaxed);
    ok(&store, view("/memories/a")).await;
    ok(&store, view("/memories/f")).await;
    bucket.counting.reset();
    ok(&store, create("/memories/g", "g")).await;
    assert!(bucket.counting.counts().bytes_up > plain, "on another day it is");
    assert_eq!(used_days(&store).await, [day + 1, day, 0, 0, 0, day + 1, 0]);
    // What is written at the next day is not noted: its time says as much.
    let changes = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(changes.findings.is_empty(), "{:?}", changes.findings);
    assert_eq!(
        store.history(&HistoryQuery::default()).await.unwrap().versions.len(),
        7,
        "it is no version of a memory"
    );
}

#[tokio::test]
async fn a_view_in_a_turn_that_changes_something_is_a_reading_too() {
    let (_bucket, _vault, clock, store) = old().await;
    clock.0.store(10, Ordering::Relaxed);
    let turn = vec![view("/memories/c"), replace("/memories/d", "d", "dd")];
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    ok(&store, create("/memories/e", "")).await;
    let day = (clock.now_ms() / DAY) as u32;
    assert_eq!(used_days(&store).await, [0, 0, day, 0, 0], "an edit is no reading, its time says as much");
}

#[tokio::test]
async fn maintenance_writes_what_was_read_and_what_nobody_used_goes() {
    let (bucket, vault, clock, store) = old().await;
    clock.0.store(20, Ordering::Relaxed);
    ok(&store, view("/memories/a")).await;
    ok(&store, replace("/memories/b", "b", "bb")).await;
    clock.0.store(10, Ordering::Relaxed);
    ok(&store, view("/memories/c")).await;
    clock.0.store(0, Ordering::Relaxed);
    let seq = store.seq();
    assert_eq!(
        paths(&unused(&store, 30, true).await),
        ["/memories/c", "/memories/d"],
        "what is not written is not known"
    );
    assert_eq!(store.seq(), seq, "a dry run writes nothing");
    assert_eq!(paths(&unused(&store, 30, false).await), ["/memories/d"], "it writes first what this handle has read");
    assert_eq!(paths(&unused(&store, 30, false).await), [""; 0]);
    assert_eq!(paths(&unused(&store, 15, true).await), ["/memories/a", "/memories/b"]);
    let newest = store.history(&HistoryQuery::default()).await.unwrap().versions.remove(0);
    assert_eq!(newest.operation, Operation::Deleted);
    assert_eq!(newest.actor, Actor::Local { name: "maintain --expire-unused 30".into() });
    // As any deletion it can be undone.
    let fresh = roomy(&vault, "alice").await;
    let restore = Restore { path: Some("/memories/d".into()), ..Default::default() };
    fresh.restore(restore).await.unwrap();
    assert_eq!(fresh.read("/memories/d").await.unwrap(), "d");
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
}

#[tokio::test]
async fn what_is_used_while_it_is_looked_for_stays() {
    use memoseal_testkit::Op;

    let (bucket, _vault, clock, store) = old().await;
    clock.0.store(0, Ordering::Relaxed);
    let other = roomy(&bucket.again().open().await, "alice").await;
    // Another process edits one and notes that it has read another while the deletion is on its way.
    let gate = bucket.faults.on(Op::PutCreate).path_contains("/log/").hold();
    let (done, ()) = tokio::join!(unused(&store, 30, false), async {
        gate.reached().await;
        ok(&other, view("/memories/a")).await;
        ok(&other, replace("/memories/b", "b", "bb")).await;
        gate.release();
    });
    assert_eq!(paths(&done), ["/memories/c", "/memories/d"]);
    assert_eq!(store.memories().await.unwrap().len(), 2);
}

#[tokio::test]
async fn the_last_day_of_use_outlives_edits_moves_checkpoints_and_what_was_stripped() {
    let (bucket, vault, clock, store) = old().await;
    clock.0.store(60, Ordering::Relaxed);
    ok(&store, view("/memories/a")).await;
    ok(&store, rename("/memories/d", "/memories/z")).await;
    let day = (clock.now_ms() / DAY) as u32;
    ok(&store, replace("/memories/a", "a", "aa")).await;
    ok(&store, rename("/memories/a", "/memories/y")).await;
    store.redact(&["1.0".parse().unwrap()]).await.unwrap();
    for i in 0..40 {
        ok(&store, create(&format!("/memories/more/{i}"), "")).await;
    }
    store.settle().await;
    let of_y = async |store: &Store| {
        let memories = store.memories().await.unwrap();
        memories.iter().find(|memory| memory.path.to_string() == "/memories/y").map(|memory| memory.used_day)
    };
    for store in [&store, &roomy(&vault, "alice").await] {
        assert_eq!(of_y(store).await, Some(day));
    }
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "a checkpoint says the same as the log: {:?}", inspection.findings);
}

#[tokio::test]
async fn a_handle_that_only_reads_notes_nothing_and_a_large_store_is_noted_in_parts() {
    let (_bucket, vault, clock, _store) = old().await;
    let mut limits = Limits::default();
    limits.files = usize::MAX;
    let store = vault.user("bob").store("default").limits(limits).open().await.unwrap();
    for chunk in (0..600).collect::<Vec<_>>().chunks(200) {
        let turn = chunk.iter().map(|i| create(&format!("/memories/{i}"), "")).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    clock.0.store(0, Ordering::Relaxed);
    let reader = vault.user("bob").store("default").read_only(true).open().await.unwrap();
    for i in 0..600 {
        ok(&store, view(&format!("/memories/{i}"))).await;
        ok(&reader, view(&format!("/memories/{i}"))).await;
    }
    let noted = async || used_days(&store).await.into_iter().filter(|day| *day > 0).count();
    for expected in [256, 512, 600, 600] {
        ok(&store, create(&format!("/memories/after/{expected}/{}", store.seq()), "")).await;
        assert_eq!(noted().await, expected);
    }
}
