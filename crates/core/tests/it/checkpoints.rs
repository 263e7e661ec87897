//! Checkpoints: opening costs little however long the log is, and losing one loses nothing.

use futures_util::TryStreamExt;
use memoseal_core::{Depth, Error, Store};
use memoseal_testkit::{Op, errors};
use object_store::{ObjectStore, ObjectStoreExt, memory::InMemory, path::Path};

use crate::support::*;

async fn checkpoints(bucket: &Bucket) -> Vec<Path> {
    let all: Vec<Path> = bucket.memory.list(None).map_ok(|object| object.location).try_collect().await.unwrap();
    let mut found: Vec<_> = all.into_iter().filter(|path| path.as_ref().ends_with(".checkpoint")).collect();
    found.sort();
    found
}

/// Makes `n` commits: creates, edits, moves and deletes, so that the tree stays small.
async fn live(store: &Store, from: usize, n: usize) {
    for i in from..from + n {
        let path = |i: usize| format!("/memories/live/{}/{i}", i % 3);
        match i % 5 {
            0 | 1 => ok(store, create(&path(i), &format!("text {i}\n"))).await,
            2 => ok(store, replace(&path(i - 1), "text", "edited text")).await,
            3 => ok(store, rename(&path(i - 2), &format!("/memories/moved/{i}"))).await,
            _ => ok(store, delete(&path(i - 4))).await,
        };
        // A bucket in memory is faster than the sealing of a checkpoint, which no other bucket is.
        store.settle().await;
    }
}

async fn copy(bucket: &Bucket) -> Bucket {
    let copy = Bucket::over(std::sync::Arc::new(InMemory::new()));
    let mut listing = bucket.memory.list(None);
    while let Some(object) = listing.try_next().await.unwrap() {
        let bytes = bucket.memory.get(&object.location).await.unwrap().bytes().await.unwrap();
        copy.memory.put(&object.location, bytes.into()).await.unwrap();
    }
    copy
}

async fn findings(bucket: &Bucket) -> Vec<String> {
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    inspection.findings.into_iter().map(|finding| finding.problem).collect()
}

#[tokio::test]
async fn opening_reads_a_checkpoint_and_few_commits_however_long_the_log_is() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    for i in 0..1_500 {
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
        store.settle().await;
        if i % 97 == 0 || i > 1_450 {
            let vault = bucket.open().await;
            bucket.spent();
            let reader = roomy(&vault, "alice").await;
            let spent = bucket.spent();
            assert_eq!(spent.list, 2);
            assert!(spent.get <= 1 + 1 + 64, "{i}: {spent:?}");
            assert_eq!(reader.read("/memories/n").await.unwrap(), format!("{}", i + 1));
        }
    }
    assert_eq!(checkpoints(&bucket).await.len(), 2, "the last two are kept");
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_large_store_writes_checkpoints_in_proportion_to_what_it_writes() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for chunk in (0..5_000).collect::<Vec<_>>().chunks(250) {
        let turn = chunk.iter().map(|i| create(&format!("/memories/{}/{i}", i / 100), "x")).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    live(&store, 0, 100).await;
    bucket.counting.reset();
    live(&store, 100, 900).await;
    let up = bucket.counting.counts();
    let sizes: u64 = 900 * 1_000;
    // A checkpoint of 5,000 memories weighs about 1 MB, and is due by 448 commits at the latest.
    let created = |what: &str| {
        let ops = bucket.counting.ops();
        ops.iter().filter(|(op, path)| *op == Op::PutCreate && path.contains(what)).count()
    };
    assert!(created(".checkpoint") <= 3, "{up:?}");
    assert_eq!(created("/hist/"), 3, "commits 256, 512 and 768 each fill a block of history");
    assert_eq!(up.put_create as usize, 900 + created(".checkpoint") + created("/hist/"), "{up:?}");
    assert!(up.bytes_up < 3 * 1_500_000 + sizes, "{up:?}");
    let vault = bucket.open().await;
    bucket.spent();
    roomy(&vault, "alice").await;
    let spent = bucket.spent();
    assert!(spent.get <= 1 + 1 + 480, "{spent:?} {:?}", checkpoints(&bucket).await);
}

#[tokio::test]
async fn the_tree_is_the_same_with_and_without_checkpoints() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let mut from = 0;
    for n in [31, 1, 1, 40, 100, 7] {
        let store = roomy(&vault, "alice").await;
        live(&store, from, n).await;
        from += n;
        let without = copy(&bucket).await;
        for checkpoint in checkpoints(&without).await {
            without.memory.delete(&checkpoint).await.unwrap();
        }
        assert_eq!(tree(&bucket.open().await, "alice").await, tree(&without.open().await, "alice").await);
        assert_eq!(findings(&bucket).await, [""; 0]);
    }
    assert!(!checkpoints(&bucket).await.is_empty());
}

#[tokio::test]
async fn a_checkpoint_that_was_not_written_is_written_by_a_later_writer() {
    let bucket = Bucket::new();
    bucket.create().await;
    bucket.faults.on(Op::PutCreate).path_contains(".checkpoint").always().fail_before(errors::permission_denied());
    live(&roomy(&bucket.open().await, "alice").await, 0, 50).await;
    assert!(checkpoints(&bucket).await.is_empty());
    let again = bucket.again();
    live(&roomy(&again.open().await, "alice").await, 50, 30).await;
    assert_eq!(checkpoints(&bucket).await.len(), 1);
}

#[tokio::test]
async fn a_warm_writer_takes_over_the_checkpoint_that_another_has_written() {
    let bucket = Bucket::new();
    let here = roomy(&bucket.create().await, "alice").await;
    ok(&here, create("/memories/first", "")).await;
    // Another process reaches the mark and writes; this one only learns of the commits.
    live(&roomy(&bucket.again().open().await, "alice").await, 0, 60).await;
    assert_eq!(checkpoints(&bucket).await.len(), 1);
    bucket.counting.reset();
    live(&here, 60, 3).await;
    assert_eq!(bucket.counting.counts().list, 2, "it looked: left behind, and overdue for what it knew");
    let written =
        bucket.counting.ops().into_iter().filter(|(op, path)| *op == Op::PutCreate && path.ends_with(".checkpoint"));
    assert_eq!(written.count(), 0, "but it is there already");
}

#[tokio::test]
async fn a_listed_checkpoint_that_is_gone_sends_the_reader_back_to_the_listing() {
    let bucket = Bucket::new();
    live(&roomy(&bucket.create().await, "alice").await, 0, 150).await;
    let newest = checkpoints(&bucket).await[0].clone();
    let vault = bucket.open().await;
    // It is deleted between the listing and the read.
    bucket.faults.on(Op::Get).path_is(newest.clone()).fail_before(errors::not_found());
    let store = roomy(&vault, "alice").await;
    assert!(bucket.faults.all_fired());
    assert_eq!(store.seq(), 150);
    bucket.memory.delete(&newest).await.unwrap();
    assert_eq!(roomy(&vault, "alice").await.seq(), 150);
}

#[tokio::test]
async fn a_changed_checkpoint_is_noticed_by_reader_and_inspection() {
    let bucket = Bucket::new();
    live(&roomy(&bucket.create().await, "alice").await, 0, 40).await;
    let path = checkpoints(&bucket).await[0].clone();
    let bytes = bucket.memory.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
    for at in (0..bytes.len()).step_by(7).chain(0..60) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        bucket.memory.put(&path, changed.into()).await.unwrap();
        let opened = bucket.open().await.user("alice").store("default").open().await;
        assert!(matches!(opened, Err(Error::Damaged { .. } | Error::NewerFormat { .. })), "byte {at}: {opened:?}");
        assert_eq!(findings(&bucket).await.len(), 1, "byte {at}");
    }
    for cut in [0, 1, 14, 15, 19, 100, bytes.len() - 1] {
        bucket.memory.put(&path, bytes[..cut].to_vec().into()).await.unwrap();
        let opened = bucket.open().await.user("alice").store("default").open().await;
        assert!(matches!(opened, Err(Error::Damaged { .. })), "{cut}: {opened:?}");
    }
}

#[tokio::test]
async fn a_checkpoint_that_does_not_follow_from_the_log_is_noticed() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    // The same vault, copied, lives another life under the same keys: its checkpoint is sealed as ours would be.
    let other = copy(&bucket).await;
    live(&store, 0, 40).await;
    live(&roomy(&other.open().await, "alice").await, 100, 40).await;
    let (ours, theirs) = (checkpoints(&bucket).await, checkpoints(&other).await);
    assert_eq!(ours, theirs, "the same number");
    let forged = other.memory.get(&theirs[0]).await.unwrap().bytes().await.unwrap();
    bucket.memory.put(&ours[0], forged.into()).await.unwrap();
    let opened = bucket.open().await.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
    assert_eq!(findings(&bucket).await.len(), 1);
}

#[tokio::test]
async fn a_checkpoint_without_its_commit_is_noticed() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    live(&store, 0, 32).await;
    let checkpoint = checkpoints(&bucket).await[0].clone();
    let commit = Path::from(checkpoint.as_ref().trim_end_matches(".checkpoint"));
    bucket.memory.delete(&commit).await.unwrap();
    let opened = bucket.open().await.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
    assert_eq!(findings(&bucket).await.len(), 1);
}
