//! What nothing lawfully removed is noticed, and what was removed lawfully is not taken for damage.

use super::*;

/// The commit with the same sealed header and nothing after it but a table of zeros.
fn stripped(whole: &[u8]) -> Vec<u8> {
    let at = 15 + 32;
    let end = at + 4 + u32::from_be_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
    [&whole[..end], &[0; 8]].concat()
}

#[tokio::test]
async fn what_nothing_lawfully_stripped_is_noticed() {
    let (bucket, _vault, store) = with_a_secret().await;
    store.redact(&ids(&["2.0"])).await.unwrap();
    for (seq, stands) in [(1, false), (3, true), (4, true)] {
        let path = commit(&bucket, seq).await;
        let whole = bytes(&bucket, &path).await;
        bucket.memory.put(&path, stripped(&whole).into()).await.unwrap();
        assert_eq!(findings(&bucket).await.len(), 2, "record and content of {seq}.0");
        let opened = bucket.open().await.user("alice").store("default").open().await;
        if stands {
            assert!(matches!(opened, Err(Error::Damaged { .. })), "{seq}: {opened:?}");
        }
        bucket.memory.put(&path, whole.into()).await.unwrap();
    }
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_content_that_still_is_shared_may_not_be_missing() {
    let (bucket, _vault, store) = with_a_secret().await;
    store.redact(&ids(&["1.0"])).await.unwrap();
    let path = commit(&bucket, 1).await;
    let whole = bytes(&bucket, &path).await;
    bucket.memory.put(&path, stripped(&whole).into()).await.unwrap();
    assert_eq!(findings(&bucket).await.len(), 1);
    let reader = roomy(&bucket.open().await, "alice").await;
    assert!(matches!(reader.read_version(id("2.0")).await, Err(Error::Damaged { .. })));
}

#[tokio::test]
async fn a_handle_that_lags_behind_is_sent_back_to_the_log() {
    let (bucket, _vault, store) = with_a_secret().await;
    // Two handles that know of commit 4, and have read no content.
    let reader = roomy(&bucket.open().await, "alice").await;
    let writer = roomy(&bucket.again().open().await, "alice").await;
    put(&store, "/memories/plain/notes", "newer\n").await;
    store.redact(&ids(&["4.0", "1.0"])).await.unwrap();
    assert!(ok(&reader, view("/memories/plain/notes")).await.contains("newer"));
    let answer = ok(&writer, replace("/memories/plain/notes", "newer", "newest")).await;
    assert!(!answer.is_empty());
    assert_eq!(reader.read("/memories/plain/notes").await.unwrap(), "newest\n");
    assert!(matches!(writer.read_version(id("4.0")).await, Err(Error::NotFound { .. })));
    check_tree(&bucket, &[CLEAN[0], ("/memories/plain/notes", "newest\n")]).await;
}

#[tokio::test]
async fn a_memory_keeps_the_time_of_its_creation_when_its_first_version_goes() {
    let (bucket, _vault, store) = with_a_secret().await;
    let born = store.memories().await.unwrap()[1].created_ms;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    put(&store, "/memories/plain/notes", "newer\n").await;
    store.redact(&ids(&["1.0", "2.0", "4.0"])).await.unwrap();
    let memories = roomy(&bucket.open().await, "alice").await.memories().await.unwrap();
    assert_eq!(memories[1].created_ms, born);
    assert!(memories[1].updated_ms > born);
}

#[tokio::test]
async fn paths_that_change_hands_are_right_at_the_head() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    put(&store, "/memories/a", "first\n").await;
    ok(&store, rename("/memories/a", "/memories/b")).await;
    put(&store, "/memories/a", "second\n").await;
    ok(&store, rename("/memories/b", "/memories/c")).await;
    ok(&store, delete("/memories/a")).await;
    put(&store, "/memories/b", "third\n").await;
    put(&store, "/memories/c", "fourth\n").await;
    // Without the renames, the first memory seems to stand where the second comes and goes.
    store.redact(&ids(&["2.0", "4.0", "3.0"])).await.unwrap();
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &[("/memories/b", "third\n"), ("/memories/c", "fourth\n")]).await;
}
