//! Every kind of request is counted where it belongs.

use futures_util::{StreamExt as _, TryStreamExt as _, future};
use memoseal_testkit::{CountingStore, Counts, Op};
use object_store::{GetRange, memory::InMemory};

use super::*;

fn counting() -> CountingStore {
    CountingStore::new(Arc::new(InMemory::new()))
}

#[tokio::test]
async fn counts_each_kind_and_the_bytes() {
    let store = counting();
    create(&store, "a", "12345").await.unwrap();
    create(&store, "a", "12345").await.unwrap_err();
    put(&store, "a", "123").await.unwrap();
    get(&store, "a").await.unwrap();
    get(&store, "missing").await.unwrap_err();
    store.get_range(&"a".into(), 1..3).await.unwrap();
    store.head(&"a".into()).await.unwrap();
    names(&store, "").await.unwrap();
    store.copy(&"a".into(), &"b".into()).await.unwrap();
    store.delete(&"a".into()).await.unwrap();

    let expected = Counts {
        put_create: 2,
        put_overwrite: 1,
        get: 3,
        head: 1,
        list: 1,
        delete: 1,
        other: 1,
        bytes_up: 13,
        bytes_down: 5,
    };
    assert_eq!(store.counts(), expected);
    assert_eq!(store.counts().total(), 10);
    assert_eq!(store.counts().requests(), Counts { bytes_up: 0, bytes_down: 0, ..expected });
}

#[tokio::test]
async fn tells_what_was_counted_since() {
    let store = counting();
    put(&store, "a", "1").await.unwrap();
    let before = store.counts();
    get(&store, "a").await.unwrap();
    assert_eq!(store.counts() - before, Counts { get: 1, bytes_down: 1, ..Counts::default() });
    store.reset();
    assert_eq!(store.counts(), Counts::default());
    assert!(store.log().is_empty());
}

#[tokio::test]
async fn keeps_a_log_in_order() {
    let store = counting();
    create(&store, "log/1", "abc").await.unwrap();
    store.get_range(&"log/1".into(), 0..2).await.unwrap();
    names(&store, "log").await.unwrap();
    assert_eq!(store.ops(), [(Op::PutCreate, "log/1".into()), (Op::Get, "log/1".into()), (Op::List, "log".into())]);
    assert_eq!(store.log()[1].range, Some(GetRange::Bounded(0..2)));
}

#[tokio::test]
async fn coalesced_ranges_count_as_they_are_sent() {
    let store = counting();
    put(&store, "a", "0123456789").await.unwrap();
    store.reset();
    store.get_ranges(&"a".into(), &[0..2, 4..6]).await.unwrap();
    assert_eq!(store.counts().get, 1);
}

#[tokio::test]
async fn a_page_counts_when_it_is_begun() {
    let store = counting();
    for n in 0..2_000 {
        put(&store, &format!("p/{n:04}"), "").await.unwrap();
    }
    for (taken, pages) in [(0, 0), (1, 1), (1_000, 1), (1_001, 2), (2_000, 2)] {
        store.reset();
        let _ = store.list(None).take(taken).map(drop).collect::<Vec<_>>().await;
        assert_eq!(store.counts().list, pages, "after {taken} entries");
    }
    store.reset();
    let all = store.list_with_offset(None, &"p/0500".into()).try_fold(0, |n, _| future::ok(n + 1)).await.unwrap();
    assert_eq!((all, store.counts().list), (1_499, 2));
    store.reset();
    assert!(names(&store, "nothing").await.unwrap().is_empty());
    assert_eq!(store.counts().list, 1, "an empty listing is a request");
    store.reset();
    store.list_with_delimiter(Some(&"p".into())).await.unwrap();
    assert_eq!(store.counts().list, 2);
}
