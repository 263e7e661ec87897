//! History over a log that somebody has changed, and over one from which something was taken lawfully.

use memoseal_core::Error;
use object_store::{ObjectStoreExt, memory::InMemory, path::Path};

use super::*;

async fn commit(bucket: &Bucket, seq: u64) -> Path {
    use futures_util::TryStreamExt;
    let end = format!("{:03x}", 0xfff - seq);
    let listing: Vec<_> = bucket.memory.list(None).try_collect().await.unwrap();
    let mut found = listing.into_iter().map(|object| object.location);
    found.find(|path| path.as_ref().contains("/log/") && path.as_ref().ends_with(&end)).unwrap()
}

async fn bytes(bucket: &Bucket, path: &Path) -> Vec<u8> {
    bucket.memory.get(path).await.unwrap().bytes().await.unwrap().to_vec()
}

async fn lived_in() -> (Bucket, Store) {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for text in ["one", "two", "three", "four"] {
        let content = text.as_bytes().to_vec().into();
        ok(&store, memoseal_core::command::Command::Put { path: "/memories/n".into(), content }).await;
    }
    (bucket, store)
}

async fn is_damaged(store: &Store, query: HistoryQuery) -> bool {
    matches!(store.history(&query).await, Err(Error::Damaged { .. }))
}

#[tokio::test]
async fn a_commit_that_is_gone_or_changed_is_noticed() {
    let (bucket, store) = lived_in().await;
    let path = commit(&bucket, 2).await;
    let whole = bytes(&bucket, &path).await;
    for at in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        bucket.memory.put(&path, changed.into()).await.unwrap();
        let told = store.history(&HistoryQuery::default()).await;
        let read = store.read_version(id("2.0")).await;
        // A byte of the content is found when the content is read.
        assert!(told.is_err() || read.is_err(), "byte {at}");
        assert_eq!(told.is_err(), store.history(&of("/memories/n")).await.is_err(), "byte {at}");
    }
    bucket.memory.delete(&path).await.unwrap();
    assert!(is_damaged(&store, HistoryQuery::default()).await && is_damaged(&store, of("/memories/n")).await);
    assert!(matches!(store.read_version(id("2.0")).await, Err(Error::Damaged { .. })));
    assert_eq!(text(&store, id("3.0")).await, "three", "the rest is there");
}

#[tokio::test]
async fn a_commit_of_another_line_of_the_same_log_is_noticed() {
    let (bucket, store) = lived_in().await;
    // The same vault as it was after commit 1, and what became of it elsewhere.
    let elsewhere = Bucket::over(std::sync::Arc::new(InMemory::new()));
    {
        use futures_util::TryStreamExt;
        let all: Vec<_> = bucket.memory.list(None).try_collect().await.unwrap();
        let later = [commit(&bucket, 2).await, commit(&bucket, 3).await, commit(&bucket, 4).await];
        for path in all.into_iter().map(|object| object.location).filter(|path| !later.contains(path)) {
            elsewhere.memory.put(&path, bytes(&bucket, &path).await.into()).await.unwrap();
        }
    }
    let other = roomy(&elsewhere.open().await, "alice").await;
    ok(&other, replace("/memories/n", "one", "forged")).await;
    let path = commit(&bucket, 2).await;
    bucket.memory.put(&path, bytes(&elsewhere, &path).await.into()).await.unwrap();
    assert!(is_damaged(&store, HistoryQuery::default()).await, "it is authentic, but does not belong here");
}

#[tokio::test]
async fn a_version_that_was_stripped_is_told_without_path_and_content() {
    let (bucket, store) = lived_in().await;
    // Commit 2 with the same sealed header, and nothing after it.
    let path = commit(&bucket, 2).await;
    let mut stripped = bytes(&bucket, &path).await;
    let length_at = 15 + 32;
    let sealed = u32::from_be_bytes(stripped[length_at..length_at + 4].try_into().unwrap()) as usize;
    stripped.truncate(length_at + 4 + sealed);
    stripped.extend_from_slice(&[0; 8]);
    bucket.memory.put(&path, stripped.into()).await.unwrap();

    for query in [HistoryQuery::default(), of("/memories/n")] {
        let versions = all(&store, query).await;
        assert_eq!(
            brief(&versions),
            ["4.0 modified /memories/n", "3.0 modified /memories/n", "2.0 modified ?", "1.0 created /memories/n"]
        );
        let gone = &versions[2];
        assert_eq!((gone.size, gone.sha256, gone.content), (None, None, None));
        assert!(gone.at_ms > 0 && gone.previous == Some(id("1.0")), "who and when stay");
    }
    assert!(matches!(store.read_version(id("2.0")).await, Err(Error::NotFound { .. })));
    let restore = memoseal_core::command::Restore { version: Some(id("2.0")), ..Default::default() };
    assert!(matches!(store.restore(restore).await, Err(Error::NotFound { .. })));
}
