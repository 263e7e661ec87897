//! What was redacted or is too old goes from the log, and nothing else does.

pub(crate) mod clock;
mod crashes;
mod expiry;
mod gaps;
pub(crate) mod opened;
mod races;

use futures_util::TryStreamExt;
use memoseal_core::{
    Depth, Error, HistoryQuery, MaintainOptions, Store, Vault,
    command::{Command, Restore},
    path::MemoryPath,
    state::VersionId,
};
use object_store::{ObjectStore, ObjectStoreExt, path::Path};

use self::opened::everything;
use crate::support::*;

fn id(text: &str) -> VersionId {
    text.parse().unwrap()
}

fn ids(texts: &[&str]) -> Vec<VersionId> {
    texts.iter().map(|text| id(text)).collect()
}

fn holds(all: &[u8], text: &str) -> bool {
    all.windows(text.len()).any(|window| window == text.as_bytes())
}

async fn findings(bucket: &Bucket) -> Vec<String> {
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    inspection.findings.into_iter().map(|finding| finding.problem).collect()
}

async fn maintain(store: &Store) -> memoseal_core::Maintained {
    store.maintain(&MaintainOptions::default()).await.unwrap()
}

async fn put(store: &Store, path: &str, text: &str) {
    ok(store, Command::Put { path: path.into(), content: text.as_bytes().to_vec().into() }).await;
}

async fn paths(bucket: &Bucket) -> Vec<Path> {
    let mut paths: Vec<_> = bucket.memory.list(None).map_ok(|object| object.location).try_collect().await.unwrap();
    paths.sort();
    paths
}

async fn bytes(bucket: &Bucket, path: &Path) -> Vec<u8> {
    bucket.memory.get(path).await.unwrap().bytes().await.unwrap().to_vec()
}

/// Where commit `seq` of the only store lies.
async fn commit(bucket: &Bucket, seq: u64) -> Path {
    let end = format!("{:03x}", 0xfff - seq);
    let mut paths = paths(bucket).await.into_iter();
    paths.find(|path| path.as_ref().contains("/log/") && path.as_ref().ends_with(&end)).unwrap()
}

/// The tree is the same for whoever opens with the checkpoints and without them.
async fn check_tree(bucket: &Bucket, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
    assert_eq!(tree(&bucket.open().await, "alice").await, expected);
    let without = Bucket::over(std::sync::Arc::new(object_store::memory::InMemory::new()));
    for path in paths(bucket).await.into_iter().filter(|path| !path.as_ref().ends_with(".checkpoint")) {
        without.memory.put(&path, bytes(bucket, &path).await.into()).await.unwrap();
    }
    assert_eq!(tree(&without.open().await, "alice").await, expected);
    let born = async |bucket: &Bucket| -> Vec<(i64, VersionId)> {
        let memories = roomy(&bucket.open().await, "alice").await.memories().await.unwrap();
        memories.iter().map(|memory| (memory.created_ms, memory.version)).collect()
    };
    assert_eq!(born(bucket).await, born(&without).await);
}

/// Commits 1 to 4: a secret is written, renamed, overwritten and stands beside another file.
async fn with_a_secret() -> (Bucket, Vault, Store) {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let store = roomy(&vault, "alice").await;
    put(&store, "/memories/hunter2/notes", "the password is swordfish\n").await;
    ok(&store, rename("/memories/hunter2", "/memories/plain")).await;
    put(&store, "/memories/other", "stays\n").await;
    put(&store, "/memories/plain/notes", "nothing here\n").await;
    (bucket, vault, store)
}

const CLEAN: [(&str, &str); 2] = [("/memories/other", "stays\n"), ("/memories/plain/notes", "nothing here\n")];

#[tokio::test]
async fn a_redacted_text_is_in_no_byte_of_the_bucket_with_the_key_in_hand() {
    let (bucket, _vault, store) = with_a_secret().await;
    let before = everything(&bucket).await;
    assert!(holds(&before, "swordfish") && holds(&before, "hunter2") && holds(&before, "stays"));
    let redacted = store.redact(&ids(&["1.0", "2.0"])).await.unwrap();
    assert_eq!((redacted.seq, redacted.still_shared_by.len()), (Some(5), 0));
    assert!(redacted.unfinished.is_none());
    let after = everything(&bucket).await;
    assert!(!holds(&after, "swordfish") && !holds(&after, "hunter2"));
    assert!(holds(&after, "stays") && holds(&after, "nothing here"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &CLEAN).await;

    let versions = store.history(&HistoryQuery::default()).await.unwrap().versions;
    assert_eq!(versions.len(), 4, "a redaction is no version of a memory");
    for version in &versions[2..] {
        assert_eq!((&version.path, version.size, version.sha256, version.content), (&None, None, None, None));
        let redaction = version.redacted.as_ref().unwrap();
        assert!(redaction.at_ms > 0 && version.at_ms > 0 && redaction.actor == version.actor, "{version:?}");
        assert!(matches!(store.read_version(version.id).await, Err(Error::NotFound { .. })));
        let restore = Restore { version: Some(version.id), ..Default::default() };
        assert!(matches!(store.restore(restore).await, Err(Error::NotFound { .. })));
    }
    assert!(versions[..2].iter().all(|version| version.redacted.is_none() && version.path.is_some()));
}

#[tokio::test]
async fn a_content_stays_until_every_version_that_shares_it_is_redacted() {
    let (bucket, _vault, store) = with_a_secret().await;
    let redacted = store.redact(&ids(&["1.0"])).await.unwrap();
    assert_eq!(redacted.still_shared_by, ids(&["2.0"]));
    let all = everything(&bucket).await;
    assert!(holds(&all, "swordfish") && !holds(&all, "hunter2"));
    assert_eq!(store.read_version(id("2.0")).await.unwrap(), "the password is swordfish\n");
    assert!(matches!(store.read_version(id("1.0")).await, Err(Error::NotFound { .. })));
    assert_eq!(findings(&bucket).await, [""; 0]);
    let redacted = store.redact(&ids(&["2.0"])).await.unwrap();
    assert!(redacted.still_shared_by.is_empty());
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &CLEAN).await;
    assert_eq!(store.redact(&ids(&["1.0", "2.0"])).await.unwrap().seq, None, "it says so already");
}

#[tokio::test]
async fn what_stands_cannot_be_redacted_and_what_does_not_exist_neither() {
    let (bucket, _vault, store) = with_a_secret().await;
    let before = store.seq();
    let refused = store.redact(&ids(&["1.0", "4.0"])).await;
    assert!(matches!(&refused, Err(Error::Invalid(text)) if text.contains("write or delete it first")), "{refused:?}");
    for missing in ["9.0", "1.1"] {
        assert!(matches!(store.redact(&ids(&[missing])).await, Err(Error::NotFound { .. })), "{missing}");
    }
    assert_eq!(store.seq(), before, "nothing was written");
    assert!(holds(&everything(&bucket).await, "swordfish"));
    let preview = store.preview_redaction(&ids(&["1.0"])).await.unwrap();
    assert_eq!((preview.versions, preview.still_shared_by), (ids(&["1.0"]), ids(&["2.0"])));
    assert_eq!(store.seq(), before);
}

#[tokio::test]
async fn a_deleted_memory_whose_last_version_is_redacted_leaves_no_record() {
    let (bucket, vault, store) = with_a_secret().await;
    ok(&store, delete("/memories/plain")).await;
    let path = MemoryPath::parse("/memories/plain/notes").unwrap();
    store.redact(&ids(&["4.0"])).await.unwrap();
    let mut query = HistoryQuery::default();
    query.path = Some(path);
    for store in [&store, &roomy(&vault, "alice").await] {
        assert!(matches!(store.history(&query).await, Err(Error::NotFound { .. })));
    }
    // Nothing names the newest version of that memory any more; the earlier ones are found all the same.
    let redacted = store.redact(&ids(&["1.0", "2.0", "5.0"])).await.unwrap();
    assert!(redacted.still_shared_by.is_empty(), "{redacted:?}");
    let all = everything(&bucket).await;
    assert!(!holds(&all, "swordfish") && !holds(&all, "hunter2") && !holds(&all, "plain"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &CLEAN[..1]).await;
}

#[tokio::test]
async fn one_change_of_many_is_taken_out_and_the_others_stay() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let turn = ["a", "b", "c"].map(|name| create(&format!("/memories/{name}"), &format!("text of {name}\n"))).to_vec();
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    put(&store, "/memories/b", "new\n").await;
    store.redact(&ids(&["1.1"])).await.unwrap();
    let all = everything(&bucket).await;
    assert!(!holds(&all, "text of b") && holds(&all, "text of a") && holds(&all, "text of c"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &[("/memories/a", "text of a\n"), ("/memories/b", "new\n"), ("/memories/c", "text of c\n")])
        .await;
}

#[tokio::test]
async fn checkpoints_from_before_a_redaction_go_and_a_fresh_one_comes() {
    let (bucket, _vault, store) = with_a_secret().await;
    ok(&store, create("/memories/swordfish", "1")).await;
    for n in 0..40 {
        put(&store, "/memories/n", &format!("{n}")).await;
    }
    store.settle().await;
    ok(&store, delete("/memories/swordfish")).await;
    assert!(holds(&everything(&bucket).await, "swordfish"), "in a checkpoint too");
    store.redact(&ids(&["1.0", "2.0", "5.0"])).await.unwrap();
    let checkpoints = paths(&bucket).await.into_iter().filter(|path| path.as_ref().ends_with(".checkpoint")).count();
    assert_eq!(checkpoints, 1);
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &[("/memories/n", "39"), CLEAN[0], CLEAN[1]]).await;
}

#[tokio::test]
async fn a_commit_of_one_change_is_always_stripped_to_the_same_bytes() {
    let (bucket, _vault, store) = with_a_secret().await;
    put(&store, "/memories/other", "later\n").await;
    let path = commit(&bucket, 3).await;
    let gate = bucket
        .faults
        .on(memoseal_testkit::Op::PutOverwrite)
        .path_is(path.clone())
        .land_late(memoseal_testkit::errors::timeout());
    let late = store.redact(&ids(&["3.0"])).await.unwrap();
    assert!(late.unfinished.is_some() && holds(&everything(&bucket).await, "stays"));
    assert!(!findings(&bucket).await.is_empty(), "an inspection tells that it is still there");
    assert_eq!(maintain(&store).await.pending, 0, "clean for good");
    let stripped = bytes(&bucket, &path).await;
    assert!(!holds(&everything(&bucket).await, "stays"));
    assert_eq!(gate.pending(), 1);
    gate.release().await;
    assert_eq!(bytes(&bucket, &path).await, stripped, "it changes nothing");
    assert_eq!(findings(&bucket).await, [""; 0]);
}
