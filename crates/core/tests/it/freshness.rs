//! A handle that has had no answer for a day opens anew before it answers or writes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::TryStreamExt;
use memoseal_core::{Actor, Error, Vault, env::Clock};
use memoseal_testkit::{Counts, Op};
use object_store::{ObjectStore, ObjectStoreExt};

use crate::support::*;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

#[derive(Default)]
struct Moved(AtomicI64);

impl Clock for Moved {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.0.load(Ordering::SeqCst)
    }
}

/// A client whose wall clock a test can move.
async fn open(bucket: &Bucket) -> (Vault, Arc<Moved>) {
    let clock = Arc::new(Moved::default());
    let mut options = options();
    options.env.clock = Arc::<Moved>::clone(&clock);
    (Vault::open(bucket.backend(), key(), options).await.unwrap(), clock)
}

fn actor() -> Actor {
    Actor::Local { name: "operator".into() }
}

/// Destroys the user, and deletes the names, as maintenance does a week later.
async fn destroy(bucket: &Bucket) {
    bucket.open().await.user("alice").destroy(&actor(), |_| {}).await.unwrap();
    let names: Vec<_> = bucket.memory.list(None).map_ok(|object| object.location).try_collect().await.unwrap();
    for name in names.iter().filter(|name| name.as_ref().contains("/log/")) {
        bucket.memory.delete(name).await.unwrap();
    }
}

async fn names(bucket: &Bucket) -> usize {
    bucket.memory.list(None).try_collect::<Vec<_>>().await.unwrap().len()
}

#[tokio::test]
async fn a_handle_that_slept_does_not_write_where_a_name_was_freed() {
    for reads_first in [true, false] {
        let bucket = Bucket::new();
        bucket.create().await;
        let (vault, clock) = open(&bucket.again()).await;
        let store = roomy(&vault, "alice").await;
        ok(&store, create("/memories/a", "a")).await;
        destroy(&bucket).await;
        let left = names(&bucket).await;
        clock.0.store(DAY_MS, Ordering::SeqCst);
        if reads_first {
            let viewed = store.execute(view("/memories/a")).await;
            assert!(matches!(viewed, Err(Error::NotFound { .. })), "{viewed:?}");
        }
        let answer = store.execute(create("/memories/b", "b")).await;
        assert!(matches!(answer, Err(Error::NotFound { .. })), "{answer:?}");
        assert_eq!(names(&bucket).await, left);
    }
}

#[tokio::test(start_paused = true)]
async fn either_clock_tells() {
    for by_wall in [true, false] {
        let bucket = Bucket::new();
        bucket.create().await;
        let (vault, clock) = open(&bucket).await;
        let store = roomy(&vault, "alice").await;
        ok(&store, create("/memories/a", "a")).await;
        let pass = async |ms: i64| match by_wall {
            true => drop(clock.0.fetch_add(ms, Ordering::SeqCst)),
            false => tokio::time::advance(Duration::from_millis(ms as u64)).await,
        };
        bucket.spent();
        pass(DAY_MS - 1).await;
        ok(&store, create("/memories/b", "b")).await;
        assert_eq!(bucket.spent().total(), 1, "not yet");
        pass(DAY_MS - 1).await;
        ok(&store, view("/memories")).await;
        assert_eq!(bucket.spent().total(), 1, "its own commit was an answer");
        pass(DAY_MS).await;
        ok(&store, view("/memories/b")).await;
        let anew = Counts { list: 2, get: 1 + 2, ..Counts::default() };
        let with_a_look = Counts { get: anew.get + 1, ..anew };
        assert_eq!(bucket.spent(), with_a_look, "two listings, keyring, two commits, and the look");
        ok(&store, create("/memories/c", "c")).await;
        assert_eq!(bucket.spent().total(), 1);
        pass(DAY_MS).await;
        ok(&store, create("/memories/d", "d")).await;
        assert_eq!(bucket.spent().total(), 2 + 1 + 3 + 1);
        assert_eq!(tree(&bucket.open().await, "alice").await.len(), 4);
    }
}

#[tokio::test]
async fn nothing_is_sent_again_after_a_day() {
    let bucket = Bucket::new();
    bucket.create().await;
    let client = bucket.again();
    let (vault, clock) = open(&client).await;
    let store = roomy(&vault, "alice").await;
    ok(&store, create("/memories/a", "a")).await;
    // The create failed, nothing is there, and then the machine sleeps.
    client.faults.on(Op::PutCreate).fail_before(memoseal_testkit::errors::timeout());
    let look = client.faults.on(Op::Get).hold_answer();
    let late = tokio::spawn(async move { store.execute(create("/memories/b", "b")).await });
    look.reached().await;
    destroy(&bucket).await;
    let left = names(&bucket).await;
    clock.0.store(DAY_MS, Ordering::SeqCst);
    look.release();
    let answer = late.await.unwrap();
    assert!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "{answer:?}");
    assert_eq!(names(&bucket).await, left);
}

#[tokio::test]
async fn an_answer_is_as_old_as_its_question() {
    // The machine sleeps while the answer to a view, to a change, or to a look at opening is on its way.
    for held in ["view", "create", "open"] {
        let bucket = Bucket::new();
        bucket.create().await;
        ok(&roomy(&bucket.open().await, "alice").await, create("/memories/a", "a")).await;
        let client = bucket.again();
        let (vault, clock) = open(&client).await;
        let gate;
        let store = if held == "open" {
            gate = client.faults.on(Op::List).path_contains("/log/").hold_answer();
            let opening = tokio::spawn(async move { roomy(&vault, "alice").await });
            gate.reached().await;
            clock.0.store(DAY_MS, Ordering::SeqCst);
            gate.release();
            opening.await.unwrap()
        } else {
            let store = roomy(&vault, "alice").await;
            let op = if held == "view" { Op::Get } else { Op::PutCreate };
            gate = client.faults.on(op).path_contains("/log/").hold_answer();
            let (command, slept) =
                (if held == "view" { view("/memories") } else { create("/memories/b", "b") }, store.clone());
            let late = tokio::spawn(async move { slept.execute(command).await });
            gate.reached().await;
            clock.0.store(DAY_MS, Ordering::SeqCst);
            gate.release();
            let _true_when_it_was_asked = late.await.unwrap().unwrap();
            store
        };
        destroy(&bucket).await;
        let left = names(&bucket).await;
        let answer = store.execute(create("/memories/c", "c")).await;
        assert!(matches!(answer, Err(Error::NotFound { .. })), "{held}: {answer:?}");
        assert_eq!(names(&bucket).await, left);
    }
}
