//! Pages: each version once, in as few requests as there are versions.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use memoseal_core::{Vault, env::Clock};

use super::*;

#[tokio::test]
async fn pages_hold_each_version_once_newest_first_whatever_their_size() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for i in 0..10 {
        let turn = (0..=i % 4).map(|j| create(&format!("/memories/{i}-{j}"), "")).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    let whole = brief(&all(&store, limited(1_000)).await);
    let mut ids: Vec<_> = whole.iter().map(|version| id(version.split(' ').next().unwrap())).collect();
    assert!(ids.is_sorted_by(|newer, older| newer > older));
    ids.dedup();
    assert_eq!(ids.len(), (0..10).map(|i| i % 4 + 1).sum::<usize>());
    for limit in 1..=ids.len() + 1 {
        let pages = pages(&store, limited(limit)).await;
        assert!(pages.iter().rev().skip(1).all(|page| page.versions.len() == limit), "only the last page has room");
        let versions: Vec<_> = pages.into_iter().flat_map(|page| page.versions).collect();
        assert_eq!(brief(&versions), whole, "pages of {limit}");
    }
    // From any version, and from places where there is none.
    for before in ids.iter().copied().chain([id("1.9"), id("5.1"), id("5.9"), id("11.0"), id("99.3")]) {
        let mut query = limited(7);
        query.before = Some(before);
        let expected: Vec<_> = ids.iter().filter(|id| **id < before).copied().collect();
        let found: Vec<_> = all(&store, query).await.iter().map(|version| version.id).collect();
        assert_eq!(found, expected, "before {before}");
    }
}

#[tokio::test]
async fn pages_hold_each_older_version_once_while_another_writer_adds() {
    let bucket = Bucket::new();
    let writer = roomy(&bucket.create().await, "alice").await;
    ok(&writer, create("/memories/n", "0")).await;
    for i in 0..20 {
        ok(&writer, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
    }
    let reader = roomy(&bucket.again().open().await, "alice").await;
    for path in [None, Some(at("/memories/n"))] {
        let mut query = limited(4);
        query.path = path;
        let top = writer.seq();
        let mut seen = Vec::new();
        loop {
            let page = reader.history(&query).await.unwrap();
            seen.extend(page.versions.iter().map(|version| version.id.seq));
            let n = writer.seq() - 1;
            ok(&writer, replace("/memories/n", &format!("{n}"), &format!("{}", n + 1))).await;
            query.before = page.next;
            if query.before.is_none() {
                break;
            }
        }
        let expected: Vec<u64> = (1..=top).rev().collect();
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn a_page_of_one_memory_costs_a_get_for_each_of_its_versions() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    for i in 0..30 {
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
        // Whatever lies between them costs nothing.
        for j in 0..5 {
            ok(&store, create(&format!("/memories/{i}-{j}"), "")).await;
        }
    }
    bucket.spent();
    let mut query = of("/memories/n");
    query.limit = 10;
    let mut found = 0;
    for expected in [10, 10, 10, 1] {
        let page = store.history(&query).await.unwrap();
        assert_eq!(page.versions.len(), expected);
        let spent = bucket.spent();
        assert_eq!((spent.get, spent.list), (expected as u64 + 1, 0), "the versions, and whether there are newer ones");
        found += expected;
        query.before = page.next;
    }
    assert_eq!((found, query.before), (31, None));
    // From a version of the memory, though that is not the end of a page.
    query.before = Some(store.version(id("8.0")).await.unwrap().previous.unwrap());
    assert_eq!(brief(&store.history(&query).await.unwrap().versions), ["1.0 created /memories/n"]);
    query.before = Some(id("8.0"));
    bucket.spent();
    assert_eq!(
        brief(&store.history(&query).await.unwrap().versions),
        ["2.0 modified /memories/n", "1.0 created /memories/n"]
    );
    // And from where the memory was not changed, though that takes a walk.
    query.before = Some(id("10.0"));
    assert_eq!(store.history(&query).await.unwrap().versions.len(), 3);
}

#[tokio::test]
async fn the_first_page_of_a_long_log_costs_what_is_on_it() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    for i in 0..1_999 {
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
    }
    let mut query = HistoryQuery::default();
    for limit in [1, 20, 100] {
        query.limit = limit;
        bucket.spent();
        let page = store.history(&query).await.unwrap();
        assert_eq!(page.versions.len(), limit);
        let spent = bucket.spent();
        assert!(spent.get <= limit as u64 + 2 && spent.list == 0, "{spent:?} for {limit}");
    }
    query.limit = usize::MAX;
    assert_eq!(store.history(&query).await.unwrap().versions.len(), 1_000, "no page is larger");
    query.limit = 0;
    assert_eq!(store.history(&query).await.unwrap().versions.len(), 1, "nor empty");
    // A page from the middle costs no more than one from the head.
    query.limit = 50;
    query.before = Some(id("1000.0"));
    bucket.spent();
    assert_eq!(store.history(&query).await.unwrap().versions[0].id, id("999.0"));
    assert!(bucket.spent().get <= 52);
}

#[tokio::test]
async fn one_commit_of_many_changes_fills_pages() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let turn = (0..250).map(|i| create(&format!("/memories/d/{i:03}"), "x")).collect();
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    ok(&store, rename("/memories/d", "/memories/e")).await;
    bucket.spent();
    let pages = pages(&store, limited(60)).await;
    assert_eq!(pages.iter().map(|page| page.versions.len()).collect::<Vec<_>>(), [60, 60, 60, 60, 60, 60, 60, 60, 20]);
    assert!(bucket.spent().get <= 3 * 9);
    let page = store.history(&of("/memories/e/007")).await.unwrap();
    assert_eq!(brief(&page.versions), ["2.7 modified /memories/e/007", "1.7 created /memories/d/007"]);
}

#[derive(Default)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

const HOUR: i64 = 3_600_000;

#[tokio::test]
async fn since_ends_the_walk_and_forgives_clocks_that_are_apart() {
    let bucket = Bucket::new();
    bucket.create().await;
    let hands = Arc::new(Hands::default());
    let mut options = options();
    options.env.clock = Arc::clone(&hands) as Arc<dyn Clock>;
    let store = roomy(&Vault::open(bucket.backend(), key(), options).await.unwrap(), "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    for i in 0..200 {
        hands.0.store(i * HOUR, Ordering::Relaxed);
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
    }
    // The writer of commit 200 had a clock that was half an hour slow, as seen from the others.
    let times: Vec<_> = store.history(&limited(3)).await.unwrap().versions.iter().map(|v| v.at_ms / HOUR).collect();
    assert_eq!(times, [199, 198, 197]);
    hands.0.store(198 * HOUR + HOUR / 2, Ordering::Relaxed);
    ok(&store, create("/memories/late", "")).await;

    for path in [None, Some(at("/memories/n"))] {
        let mut query = limited(1_000);
        query.since_ms = Some(199 * HOUR);
        query.path = path.clone();
        bucket.spent();
        let page = store.history(&query).await.unwrap();
        assert_eq!(brief(&page.versions), ["201.0 modified /memories/n"], "found below one that is older");
        assert_eq!(page.next, None);
        assert!(bucket.spent().get <= 10, "the log is not read to its end");
        query.since_ms = Some(190 * HOUR);
        assert_eq!(all(&store, query.clone()).await.len(), if path.is_none() { 11 } else { 10 });
        query.limit = 3;
        assert_eq!(all(&store, query.clone()).await.len(), if path.is_none() { 11 } else { 10 }, "in pages");
        query.since_ms = Some(i64::MIN);
        assert_eq!(all(&store, query.clone()).await.len(), if path.is_none() { 202 } else { 201 });
        query.since_ms = Some(i64::MAX);
        assert!(all(&store, query).await.is_empty());
    }
}
