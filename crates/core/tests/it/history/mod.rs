//! History: pages of versions, what each held, and bringing one back.

mod model;
mod pages;
mod restore;
mod tampering;

use memoseal_core::{
    HistoryPage, HistoryQuery, Operation, Store, Version,
    path::MemoryPath,
    state::{MemoryId, VersionId},
};

use crate::support::*;

fn id(text: &str) -> VersionId {
    text.parse().unwrap()
}

fn at(path: &str) -> MemoryPath {
    MemoryPath::parse(path).unwrap()
}

fn of(path: &str) -> HistoryQuery {
    let mut query = HistoryQuery::default();
    query.path = Some(at(path));
    query
}

fn limited(limit: usize) -> HistoryQuery {
    let mut query = HistoryQuery::default();
    query.limit = limit;
    query
}

/// Every page, one after another.
async fn pages(store: &Store, mut query: HistoryQuery) -> Vec<HistoryPage> {
    let mut pages = Vec::new();
    loop {
        let page = store.history(&query).await.unwrap();
        query.before = page.next;
        pages.push(page);
        if query.before.is_none() {
            return pages;
        }
    }
}

async fn all(store: &Store, query: HistoryQuery) -> Vec<Version> {
    pages(store, query).await.into_iter().flat_map(|page| page.versions).collect()
}

/// Versions in short: id, operation, path.
fn brief(versions: &[Version]) -> Vec<String> {
    let path = |version: &Version| version.path.as_ref().map_or("?".into(), ToString::to_string);
    versions.iter().map(|version| format!("{} {} {}", version.id, version.operation.as_str(), path(version))).collect()
}

async fn text(store: &Store, version: VersionId) -> String {
    String::from_utf8(store.read_version(version).await.unwrap().to_vec()).unwrap()
}

#[test]
fn a_memory_has_one_text() {
    let id = MemoryId::from_bytes([0xa5; 16]);
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!("0".repeat(32).parse(), Ok(MemoryId::from_bytes([0; 16])));
    for text in ["", "a5", &"A5".repeat(16), &"0".repeat(33), &format!("+{}", "0".repeat(31)), &"g".repeat(32)] {
        assert!(text.parse::<MemoryId>().is_err(), "{text:?}");
    }
}

#[test]
fn a_version_has_one_text() {
    for text in ["1.0", "12.0", "12.255", "18446744073709551615.4294967295"] {
        assert_eq!(id(text).to_string(), text);
    }
    for text in [
        "",
        ".",
        "1",
        "1.",
        ".0",
        "0.0",
        "01.0",
        "1.00",
        "+1.0",
        "1.+0",
        "-1.0",
        "1.0.0",
        " 1.0",
        "1.0 ",
        "1,0",
        "1.4294967296",
    ] {
        assert!(text.parse::<VersionId>().is_err(), "{text:?}");
    }
    assert!(id("2.0") > id("1.7") && id("10.0") > id("9.0") && id("1.1") > id("1.0"));
}

#[tokio::test]
async fn a_version_says_who_when_what_and_where() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let actor = memoseal_core::Actor::Session { session_id: "s-1".into() };
    let store = vault.user("alice").store("default").actor(actor.clone()).open().await.unwrap();
    ok(&store, create("/memories/n", "one\n")).await;
    ok(&store, rename("/memories/n", "/memories/m")).await;
    ok(&store, delete("/memories/m")).await;
    let versions = all(&store, HistoryQuery::default()).await;
    assert_eq!(
        brief(&versions),
        ["3.0 deleted /memories/m", "2.0 modified /memories/m", "1.0 created /memories/n"],
        "a deletion has the path that the memory had"
    );
    let [deletion, renaming, creation] = versions.as_slice() else { panic!() };
    assert!(versions.iter().all(|version| version.actor == actor && version.at_ms > 1_700_000_000_000));
    assert!(versions.iter().all(|version| version.memory == creation.memory));
    assert_eq!((deletion.previous, renaming.previous, creation.previous), (Some(id("2.0")), Some(id("1.0")), None));
    assert_eq!((deletion.size, deletion.sha256, deletion.has_content()), (None, None, false));
    assert_eq!((renaming.size, renaming.has_content()), (Some(4), true));
    assert_eq!(renaming.sha256, creation.sha256);
    assert_eq!(renaming.content.unwrap().version, creation.id, "a move shares its content");
    for version in &versions {
        assert_eq!(store.version(version.id).await.unwrap(), *version);
    }
    assert_eq!(text(&store, id("1.0")).await, "one\n");
    assert_eq!(text(&store, id("2.0")).await, "one\n");
    let error = store.read_version(id("3.0")).await.unwrap_err().to_string();
    assert!(error.contains("that version is a deletion; the one before it is 2.0"), "{error}");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    assert!(
        store.history(&HistoryQuery::default()).await.unwrap().versions.is_empty(),
        "a store that is not there yet"
    );
    ok(&store, create("/memories/d/n", "")).await;
    for version in ["1.1", "2.0", "999.0", "18446744073709551615.0"] {
        assert!(matches!(store.version(id(version)).await, Err(memoseal_core::Error::NotFound { .. })), "{version}");
        assert!(
            matches!(store.read_version(id(version)).await, Err(memoseal_core::Error::NotFound { .. })),
            "{version}"
        );
    }
    for path in ["/memories/x", "/memories/d", "/memories"] {
        assert!(matches!(store.history(&of(path)).await, Err(memoseal_core::Error::NotFound { .. })), "{path}");
    }
}

#[tokio::test]
async fn renames_keep_the_identity_and_a_directory_is_many_memories() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/d/a", "a")).await;
    ok(&store, create("/memories/d/b", "b")).await;
    ok(&store, rename("/memories/d", "/memories/e")).await;
    ok(&store, replace("/memories/e/a", "a", "aa")).await;
    ok(&store, delete("/memories/e")).await;
    ok(&store, create("/memories/e/a", "another")).await;

    assert_eq!(
        brief(&all(&store, HistoryQuery::default()).await),
        [
            "6.0 created /memories/e/a",
            "5.1 deleted /memories/e/b",
            "5.0 deleted /memories/e/a",
            "4.0 modified /memories/e/a",
            "3.1 modified /memories/e/b",
            "3.0 modified /memories/e/a",
            "2.0 created /memories/d/b",
            "1.0 created /memories/d/a",
        ]
    );
    let b = ["5.1 deleted /memories/e/b", "3.1 modified /memories/e/b", "2.0 created /memories/d/b"];
    assert_eq!(brief(&all(&store, of("/memories/e/b")).await), b);
    assert_eq!(brief(&all(&store, of("/memories/e/a")).await), ["6.0 created /memories/e/a"], "what stands there now");
    // What stood there before is found by its identity.
    let mut query = HistoryQuery::default();
    query.memory = Some(store.version(id("1.0")).await.unwrap().memory);
    let a = [
        "5.0 deleted /memories/e/a",
        "4.0 modified /memories/e/a",
        "3.0 modified /memories/e/a",
        "1.0 created /memories/d/a",
    ];
    assert_eq!(brief(&all(&store, query.clone()).await), a);
    // A fresh handle, whose state comes from the log alone, says the same.
    let fresh = roomy(&bucket.open().await, "alice").await;
    assert_eq!(brief(&all(&fresh, query.clone()).await), a);
    assert_eq!(brief(&all(&fresh, of("/memories/e/b")).await), b);
    query.path = Some(at("/memories/e/a"));
    assert!(matches!(store.history(&query).await, Err(memoseal_core::Error::Invalid(_))));
}

#[tokio::test]
async fn two_versions_of_one_memory_in_one_commit_are_two() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let turn = vec![
        create("/memories/n", "one"),
        create("/memories/other", ""),
        replace("/memories/n", "one", "two"),
        rename("/memories/n", "/memories/m"),
        delete("/memories/m"),
    ];
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    let n =
        ["1.4 deleted /memories/m", "1.3 modified /memories/m", "1.2 modified /memories/n", "1.0 created /memories/n"];
    assert_eq!(brief(&all(&store, of("/memories/m")).await), n);
    assert_eq!((text(&store, id("1.0")).await, text(&store, id("1.3")).await), ("one".into(), "two".into()));
    for limit in 1..6 {
        let mut query = of("/memories/m");
        query.limit = limit;
        assert_eq!(brief(&all(&store, query).await), n, "in pages of {limit}");
        assert_eq!(all(&store, limited(limit)).await.len(), 5, "in pages of {limit}");
    }
}

#[test]
fn every_call_is_send() {
    fn is_send<T: Send>(_: &T) {}
    fn check(store: &Store) {
        is_send(&store.history(&HistoryQuery::default()));
        is_send(&store.version(VersionId { seq: 1, index: 0 }));
        is_send(&store.read_version(VersionId { seq: 1, index: 0 }));
        is_send(&store.restore(Default::default()));
        is_send(&store.preview_restore(Default::default()));
    }
    let _ = check;
    assert_eq!(Operation::Deleted.as_str(), "deleted");
}
