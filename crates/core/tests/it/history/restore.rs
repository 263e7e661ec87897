//! Restore: an edit, a move and a deletion undone, a version brought back, and what stands in the way.

use std::mem::size_of;

use memoseal_core::{
    Error,
    command::{Command, Limits, Reply, Restore},
    state::Deleted,
};

use super::*;

fn path(path: &str) -> Restore {
    Restore { path: Some(path.into()), ..Restore::default() }
}

fn version(version: &str) -> Restore {
    Restore { version: Some(id(version)), ..Restore::default() }
}

impl To for Restore {}
trait To: Into<Restore> {
    fn to(self, to: &str) -> Restore {
        Restore { to: Some(to.into()), ..self.into() }
    }
}

/// Restores, and says in short what came of it.
async fn restored(store: &Store, restore: Restore) -> String {
    let previewed = store.preview_restore(restore.clone()).await.unwrap();
    let restored = store.restore(restore).await.unwrap();
    assert_eq!(previewed, restored, "a preview tells what happens");
    let standing = store.memories().await.unwrap().into_iter().find(|memory| memory.path == restored.path).unwrap();
    assert_eq!(restored.current, Some(standing.version));
    format!("{} {}{}", restored.version, restored.path, if restored.changed { "" } else { " unchanged" })
}

/// Restores, which has to fail; nothing may change.
async fn refused(store: &Store, restore: Restore) -> Error {
    let seq = store.seq();
    let previewed = store.preview_restore(restore.clone()).await.unwrap_err();
    let error = store.restore(restore).await.unwrap_err();
    assert_eq!(previewed.to_string(), error.to_string());
    assert_eq!(store.seq(), seq);
    error
}

fn is_not_found(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. })
}

async fn read(store: &Store, path: &str) -> String {
    String::from_utf8(store.read(path).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn an_edit_is_undone_and_redone() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "one")).await;
    ok(&store, replace("/memories/n", "one", "two")).await;
    assert_eq!(restored(&store, path("/memories/n")).await, "1.0 /memories/n");
    assert_eq!(read(&store, "/memories/n").await, "one");
    assert_eq!(restored(&store, path("/memories/n")).await, "2.0 /memories/n", "again: back to what it was");
    assert_eq!(read(&store, "/memories/n").await, "two");
    let versions = all(&store, of("/memories/n")).await;
    assert_eq!(versions.len(), 4, "one memory, each restore a version of it");
    for version in versions {
        assert_eq!(version.content.unwrap().version, version.id, "nothing is shared");
    }
    assert_eq!(restored(&store, version("4.0")).await, "4.0 /memories/n unchanged");
    assert_eq!(restored(&store, version("2.0")).await, "2.0 /memories/n unchanged", "the same content");
    assert_eq!(restored(&store, version("1.0")).await, "1.0 /memories/n");
    assert_eq!(read(&store, "/memories/n").await, "one");
    assert_eq!(store.seq(), 5);
}

#[tokio::test]
async fn a_deletion_is_undone_by_a_new_memory() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/d/n", "one")).await;
    ok(&store, rename("/memories/d/n", "/memories/d/m")).await;
    ok(&store, delete("/memories/d")).await;
    let again = bucket.again();
    let fresh = roomy(&again.open().await, "alice").await;
    assert_eq!(restored(&fresh, path("/memories/d/m")).await, "2.0 /memories/d/m", "found by a fresh handle too");
    assert_eq!(read(&store, "/memories/d/m").await, "one");
    let old = store.version(id("1.0")).await.unwrap();
    let new = store.version(id("4.0")).await.unwrap();
    assert_ne!(old.memory, new.memory, "an identity is not used twice");
    assert_eq!((new.operation, new.previous), (Operation::Created, None));
    assert_eq!(new.content.unwrap().version, new.id, "nothing is shared");
    let error = refused(&store, path("/memories/d/m")).await;
    assert!(is_not_found(&error) && error.to_string().contains("4.0 is the first"), "{error}");
    // What was deleted twice is found as it was the last time.
    ok(&store, replace("/memories/d/m", "one", "two")).await;
    ok(&store, delete("/memories/d/m")).await;
    assert_eq!(restored(&store, path("/memories/d/m")).await, "5.0 /memories/d/m");
    assert_eq!(read(&store, "/memories/d/m").await, "two");
}

#[tokio::test]
async fn a_move_is_undone() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/a", "one")).await;
    ok(&store, rename("/memories/a", "/memories/b")).await;
    assert_eq!(restored(&store, path("/memories/b")).await, "1.0 /memories/a");
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/a".into(), "one".into())]);
    // Back to an earlier content and an earlier path at once: two versions, one commit.
    ok(&store, rename("/memories/a", "/memories/b")).await;
    ok(&store, replace("/memories/b", "one", "two")).await;
    let seq = store.seq();
    assert_eq!(restored(&store, version("1.0")).await, "1.0 /memories/a");
    assert_eq!(store.seq(), seq + 1);
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/a".into(), "one".into())]);
    assert_eq!(all(&store, of("/memories/a")).await.len(), 7, "one memory all along");
    // A file that was moved into a directory of its own name, and out of one.
    ok(&store, rename("/memories/a", "/memories/a2")).await;
    ok(&store, rename("/memories/a2", "/memories/a/a")).await;
    assert_eq!(restored(&store, version("1.0")).await, "1.0 /memories/a");
    let inside = store.history(&of("/memories/a")).await.unwrap().versions[1].id.to_string();
    assert_eq!(restored(&store, version(&inside)).await, format!("{inside} /memories/a/a"));
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/a/a".into(), "one".into())]);
}

#[tokio::test]
async fn a_version_is_brought_to_another_place_and_what_stands_elsewhere_stays() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "one")).await;
    ok(&store, replace("/memories/n", "one", "two")).await;
    assert_eq!(restored(&store, path("/memories/n").to("/memories/old/n")).await, "1.0 /memories/old/n");
    let expected = [("/memories/n".into(), "two".into()), ("/memories/old/n".into(), "one".into())];
    assert_eq!(tree(&bucket.open().await, "alice").await, expected);
    let one = "3.0 created /memories/old/n";
    assert_eq!(brief(&all(&store, of("/memories/old/n")).await), [one], "a memory of its own");
    assert_eq!(restored(&store, version("1.0").to("/memories/old/n")).await, "1.0 /memories/old/n unchanged");
    assert_eq!(restored(&store, version("1.0").to("/memories/n")).await, "1.0 /memories/n", "its own place");
    assert_eq!(read(&store, "/memories/n").await, "one");
}

#[tokio::test]
async fn what_is_in_the_way_is_an_error() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "one")).await;
    ok(&store, delete("/memories/n")).await;
    ok(&store, create("/memories/n", "another")).await;
    ok(&store, create("/memories/d/x", "")).await;
    let error = |restore: Restore| {
        let store = &store;
        async move { refused(store, restore).await.to_string() }
    };
    assert_eq!(error(version("1.0")).await, "The destination /memories/n already exists");
    assert_eq!(
        error(version("1.0").to("/memories/d")).await,
        "/memories/d is a directory; a file cannot take its place"
    );
    assert_eq!(error(version("1.0").to("/memories")).await, "/memories is a directory; a file cannot take its place");
    let below = error(version("1.0").to("/memories/n/below")).await;
    assert_eq!(below, "/memories/n/below cannot be made, because /memories/n is a file and not a directory");
    let slash = error(version("1.0").to("/memories/m/")).await;
    assert!(slash.contains("ends in a slash"), "{slash}");
    assert!(error(version("1.0").to("/etc/passwd")).await.contains("must start with /memories"));
    assert!(error(path("/memories/d")).await.contains("is a directory; name one file"));
    assert_eq!(error(Restore::default()).await, "Name a path or a version to restore");
    let mixed = Restore { path: Some("/memories/d/x".into()), ..version("1.0") };
    assert_eq!(error(mixed).await, "Version 1.0 is not one of /memories/d/x");
    // A memory whose place was taken since does not go back.
    ok(&store, rename("/memories/n", "/memories/m")).await;
    ok(&store, create("/memories/n", "third")).await;
    assert_eq!(error(path("/memories/m")).await, "The destination /memories/n already exists");

    for missing in [path("/memories/x"), version("99.0"), version("1.1"), path("/memories/d/x"), version("2.0")] {
        let error = refused(&store, missing.clone()).await;
        assert!(is_not_found(&error), "{missing:?}: {error}");
    }
    // A path may be named together with a version that once stood there.
    let named = Restore { path: Some("/memories/n".into()), ..version("1.0") };
    assert_eq!(restored(&store, named.to("/memories/first")).await, "1.0 /memories/first");
}

#[tokio::test]
async fn limits_hold_for_what_is_brought_back() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let store = roomy(&vault, "alice").await;
    ok(&store, create("/memories/large", &"x".repeat(200))).await;
    ok(&store, delete("/memories/large")).await;
    ok(&store, create("/memories/small", "s")).await;
    let with = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        vault.user("alice").store("default").limits(limits).open()
    };
    let refusal = |store: Store| async move { refused(&store, path("/memories/large")).await.to_string() };
    assert!(refusal(with(|limits| limits.file_bytes = 199).await.unwrap()).await.contains("may hold at most 199"));
    assert!(refusal(with(|limits| limits.store_bytes = 200).await.unwrap()).await.contains("The memory is full"));
    assert!(refusal(with(|limits| limits.files = 1).await.unwrap()).await.contains("at most 1 files"));
    let read_only = vault.user("alice").store("default").read_only(true).open().await.unwrap();
    let error = read_only.restore(path("/memories/large")).await.unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    let seq = store.seq();
    store.preview_restore(path("/memories/large")).await.unwrap();
    assert_eq!(store.seq(), seq, "a preview changes nothing");
    let enough = with(|limits| (limits.file_bytes, limits.store_bytes, limits.files) = (200, 201, 2)).await.unwrap();
    assert_eq!(restored(&enough, path("/memories/large")).await, "1.0 /memories/large");
}

#[tokio::test]
async fn what_a_rename_left_under_any_name_can_be_brought_back() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let content = bytes::Bytes::from_static(b"\x89PNG\r\n\x1a\n\xff\xff");
    ok(&store, Command::Put { path: "/memories/p.png".into(), content: content.clone() }).await;
    ok(&store, rename("/memories/p.png", "/memories/p.bin")).await;
    ok(&store, delete("/memories/p.bin")).await;
    assert_eq!(restored(&store, path("/memories/p.bin")).await, "2.0 /memories/p.bin");
    assert_eq!(store.read("/memories/p.bin").await.unwrap(), content);
}

#[tokio::test]
async fn a_restore_in_a_turn_sees_what_came_before_it() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/old", "old")).await;
    let turn = vec![
        create("/memories/n", "one"),
        replace("/memories/n", "one", "two"),
        Command::Restore(path("/memories/n")),
        delete("/memories/n"),
        Command::Restore(path("/memories/n")),
        delete("/memories/old"),
        Command::Restore(path("/memories/old")),
        Command::Restore(path("/memories/old")),
        Command::Restore(version("3.0")),
    ];
    let answers: Vec<_> = store.execute_turn(turn).await.into_iter().map(Result::unwrap).collect();
    let errors: Vec<_> = answers.iter().map(Reply::is_error).collect();
    assert_eq!(errors, [false, false, false, false, false, false, false, true, true], "{answers:?}");
    assert_eq!(store.seq(), 2);
    let expected = [("/memories/n".into(), "one".into()), ("/memories/old".into(), "old".into())];
    assert_eq!(tree(&bucket.open().await, "alice").await, expected);
    assert_eq!(all(&store, HistoryQuery::default()).await.len(), 8);
}

#[tokio::test]
async fn of_two_handles_that_restore_at_once_one_restores() {
    let bucket = Bucket::new();
    let here = roomy(&bucket.create().await, "alice").await;
    ok(&here, create("/memories/n", "one")).await;
    ok(&here, delete("/memories/n")).await;
    let there = roomy(&bucket.again().open().await, "alice").await;
    let (a, b) = tokio::join!(here.restore(path("/memories/n")), there.restore(path("/memories/n")));
    let (won, lost) = match (a, b) {
        (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
        both => panic!("{both:?}"),
    };
    assert!(won.changed);
    assert!(is_not_found(&lost), "on what won, it is the first version of a new memory: {lost}");
    // With the version named, the loser finds what it wanted.
    ok(&here, delete("/memories/n")).await;
    there.memories().await.unwrap();
    let (a, b) = tokio::join!(here.restore(version("1.0")), there.restore(version("1.0")));
    let (a, b) = (a.unwrap(), b.unwrap());
    assert!(a.changed != b.changed, "{a:?} {b:?}");
    assert_eq!(here.memories().await.unwrap().len(), 1);
    // A stale handle undoes the last change that there is, not the last one that it knows of.
    ok(&here, replace("/memories/n", "one", "two")).await;
    ok(&here, replace("/memories/n", "two", "three")).await;
    let previous = all(&here, of("/memories/n")).await[1].id;
    assert_eq!(there.restore(path("/memories/n")).await.unwrap().version, previous);
    assert_eq!(read(&here, "/memories/n").await, "two");
}

#[tokio::test]
async fn a_restore_reads_no_more_than_the_versions_it_needs() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "one")).await;
    ok(&store, replace("/memories/n", "one", "two")).await;
    ok(&store, create("/memories/m", "m")).await;
    ok(&store, delete("/memories/m")).await;
    let fresh = roomy(&bucket.open().await, "alice").await;
    bucket.spent();
    fresh.restore(path("/memories/n")).await.unwrap();
    let spent = bucket.spent();
    assert_eq!(
        (spent.get, spent.put_create),
        (2, 2),
        "the current version and the one before; the probe and the commit"
    );
    fresh.restore(path("/memories/m")).await.unwrap();
    let spent = bucket.spent();
    assert_eq!((spent.get, spent.put_create), (1, 1), "the last version");
}

#[tokio::test]
async fn what_was_deleted_is_found_from_a_checkpoint_too() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "one")).await;
    ok(&store, delete("/memories/n")).await;
    for i in 0..40 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
        store.settle().await;
    }
    let vault = bucket.open().await;
    bucket.spent();
    let fresh = roomy(&vault, "alice").await;
    assert!(bucket.spent().get < 20, "a checkpoint was read");
    assert_eq!(brief(&all(&fresh, of("/memories/n")).await), ["2.0 deleted /memories/n", "1.0 created /memories/n"]);
    assert_eq!(brief(&all(&fresh, limited(1_000)).await), brief(&all(&store, limited(1_000)).await));
    assert_eq!(restored(&fresh, path("/memories/n")).await, "1.0 /memories/n");
    let inspection = vault.inspect(memoseal_core::Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
}

#[test]
fn a_record_of_a_deleted_memory_is_small() {
    assert!(size_of::<Deleted>() <= 72);
}
