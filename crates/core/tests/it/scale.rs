//! Many writers, many files: what has to hold by count whatever the machine.

use std::time::Duration;

use memoseal_core::Store;
use memoseal_testkit::Op;

use crate::support::*;

async fn fill(store: &Store, n: usize) {
    for chunk in (0..n).collect::<Vec<_>>().chunks(250) {
        let turn = chunk.iter().map(|i| create(&format!("/memories/directory/file-number-{i:06}.md"), "x")).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    store.settle().await;
}

#[tokio::test]
async fn renaming_a_directory_of_ten_thousand_files_is_one_commit_of_less_than_3_mb() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    fill(&store, 10_000).await;
    bucket.counting.reset();
    let before = store.seq();
    ok(&store, rename("/memories/directory", "/memories/elsewhere")).await;
    assert_eq!(store.seq(), before + 1);
    let commit = bucket.counting.counts();
    store.settle().await;
    assert!(commit.bytes_up < 3_000_000, "{} bytes", commit.bytes_up);
}

/// By a clock that only the latency moves: group commit makes many writers of one process fast.
#[tokio::test(start_paused = true)]
async fn sixty_four_tasks_through_20_ms_are_at_least_30_times_one_after_another() {
    const EACH: usize = 20;
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    bucket.faults.on_any().always().delay(Duration::from_millis(20));
    let begun = tokio::time::Instant::now();
    for i in 0..EACH {
        ok(&store, create(&format!("/memories/alone/{i}"), "x")).await;
    }
    let alone = begun.elapsed() / EACH as u32;
    let begun = tokio::time::Instant::now();
    let mut tasks = Vec::new();
    for task in 0..64 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let mut slowest = Duration::ZERO;
            for i in 0..EACH {
                let begun = tokio::time::Instant::now();
                ok(&store, create(&format!("/memories/{task}/{i}"), "x")).await;
                slowest = slowest.max(begun.elapsed());
            }
            slowest
        }));
    }
    let mut slowest = Vec::new();
    for task in tasks {
        slowest.push(task.await.unwrap());
    }
    let together = begun.elapsed() / (64 * EACH) as u32;
    assert!(alone >= together * 30, "{alone:?} a change alone, {together:?} together");
    slowest.sort();
    assert!(slowest[63] <= slowest[32] * 5, "{slowest:?}");
    store.settle().await;
    assert!(
        bucket.counting.ops().iter().filter(|(op, path)| *op == Op::PutCreate && path.contains("/log/")).count() < 100
    );
}

/// Two processes, each with 16 tasks, through the same latency: nobody starves.
#[tokio::test(start_paused = true)]
async fn two_processes_share_a_store_fairly() {
    let bucket = Bucket::new();
    bucket.create().await;
    let mut tasks = Vec::new();
    for process in 0..2 {
        let client = bucket.again();
        let store = roomy(&client.open().await, "alice").await;
        client.faults.on_any().always().delay(Duration::from_millis(20));
        for task in 0..16 {
            let store = store.clone();
            tasks.push(tokio::spawn(async move {
                let begun = tokio::time::Instant::now();
                for i in 0..20 {
                    ok(&store, create(&format!("/memories/{process}/{task}/{i}"), "x")).await;
                }
                begun.elapsed()
            }));
        }
    }
    let mut took = Vec::new();
    for task in tasks {
        took.push(task.await.unwrap());
    }
    took.sort();
    assert!(took[31] <= took[16] * 5, "{took:?}");
    assert_eq!(tree(&bucket.open().await, "alice").await.len(), 2 * 16 * 20);
}
