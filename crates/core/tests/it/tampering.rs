//! Somebody has the bucket and not the key. What they change is noticed, by whoever reads it and by an inspection.

use futures_util::TryStreamExt;
use memoseal_core::{Depth, Error, Store, Vault};
use object_store::{ObjectStoreExt, path::Path};

use crate::support::*;

async fn objects(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    let mut listing = bucket.memory.list(None);
    let mut objects = Vec::new();
    while let Some(object) = listing.try_next().await.unwrap() {
        let bytes = bucket.memory.get(&object.location).await.unwrap().bytes().await.unwrap();
        objects.push((object.location, bytes.to_vec()));
    }
    objects
}

async fn put(bucket: &Bucket, path: &Path, bytes: &[u8]) {
    bucket.memory.put(path, bytes.to_vec().into()).await.unwrap();
}

/// Reads everything that a fresh process can read.
async fn read_all(bucket: &Bucket) -> Result<(), Error> {
    let vault = Vault::open(bucket.backend(), key(), options()).await?;
    for user in ["alice", "bob"] {
        let store: Store = vault.user(user).store("default").open().await?;
        for memory in store.memories().await? {
            store.read(&memory.path.to_string()).await?;
        }
    }
    Ok(())
}

/// What an inspection makes of the bucket: whether it noticed something.
async fn is_noticed(bucket: &Bucket) -> bool {
    match Vault::open(bucket.backend(), key(), options()).await {
        Ok(vault) => !vault.inspect(Depth::Contents, |_, _| {}).await.unwrap().findings.is_empty(),
        Err(_) => true,
    }
}

/// Users with a few commits each: creates, an edit, a move, a delete.
async fn lived_in() -> Bucket {
    lived_in_by(&["alice", "bob"]).await
}

async fn lived_in_by(users: &[&str]) -> Bucket {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    for user in users {
        let store = roomy(&vault, user).await;
        ok(&store, create("/memories/a", &format!("{user}'s a\n"))).await;
        ok(&store, create("/memories/b", &format!("{user}'s b\n"))).await;
        ok(&store, replace("/memories/a", "'s", "’s own")).await;
        ok(&store, rename("/memories/b", "/memories/c")).await;
    }
    bucket.open().await;
    read_all(&bucket).await.unwrap();
    assert!(!is_noticed(&bucket).await);
    bucket
}

#[tokio::test]
async fn a_changed_bit_in_any_byte_of_any_object_is_noticed() {
    let bucket = lived_in_by(&["alice"]).await;
    for (path, bytes) in objects(&bucket).await {
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            put(&bucket, &path, &changed).await;
            // Content that is no longer current is not read; the inspection finds it all the same.
            assert!(is_noticed(&bucket).await, "byte {at} of {path}");
        }
        put(&bucket, &path, &bytes).await;
    }
    assert!(!is_noticed(&bucket).await);
}

#[tokio::test]
async fn an_object_cut_short_or_grown_is_noticed_by_reader_and_inspection() {
    let bucket = lived_in().await;
    for (path, bytes) in objects(&bucket).await {
        let mut variants = vec![[bytes.as_slice(), b"\0"].concat(), Vec::new()];
        variants.extend([1, 15, 16, 32, 100].map(|cut| bytes[..bytes.len() - cut].to_vec()));
        for variant in variants {
            put(&bucket, &path, &variant).await;
            assert!(read_all(&bucket).await.is_err(), "{path}: {} of {} bytes", variant.len(), bytes.len());
            assert!(is_noticed(&bucket).await, "{path}");
        }
        put(&bucket, &path, &bytes).await;
    }
}

#[tokio::test]
async fn any_two_objects_swapped_are_noticed_by_reader_and_inspection() {
    let bucket = lived_in().await;
    let objects = objects(&bucket).await;
    for (i, (here, one)) in objects.iter().enumerate() {
        for (there, other) in &objects[i + 1..] {
            put(&bucket, here, other).await;
            put(&bucket, there, one).await;
            assert!(read_all(&bucket).await.is_err(), "{here} and {there}");
            assert!(is_noticed(&bucket).await, "{here} and {there}");
            put(&bucket, here, one).await;
            put(&bucket, there, other).await;
        }
    }
}

#[tokio::test]
async fn a_commit_removed_from_the_middle_is_noticed_by_reader_and_inspection() {
    let bucket = lived_in().await;
    let mut heads = 0;
    for (path, bytes) in objects(&bucket).await {
        bucket.memory.delete(&path).await.unwrap();
        let newest = path.as_ref().ends_with("/ffb");
        if newest {
            // Only a witness can tell a log without its head from one that never had it.
            heads += 1;
        } else {
            assert!(read_all(&bucket).await.is_err(), "{path}");
            assert!(is_noticed(&bucket).await, "{path}");
        }
        put(&bucket, &path, &bytes).await;
    }
    assert_eq!(heads, 2);
}

#[tokio::test]
async fn a_commit_replayed_from_another_vault_with_the_same_key_is_noticed() {
    let (ours, theirs) = (lived_in().await, lived_in().await);
    let (our_objects, their_objects) = (objects(&ours).await, objects(&theirs).await);
    assert_eq!(our_objects.len(), their_objects.len());
    for ((here, our_bytes), (_, their_bytes)) in our_objects.iter().zip(&their_objects) {
        put(&ours, here, their_bytes).await;
        // Under another header every name is another, so a reader finds an empty vault: that is the witness's to tell.
        if !here.as_ref().starts_with("vault/") {
            assert!(read_all(&ours).await.is_err(), "{here}");
        }
        assert!(is_noticed(&ours).await, "{here}");
        put(&ours, here, our_bytes).await;
    }
}

#[tokio::test]
async fn a_warm_handle_notices_what_a_cold_one_would() {
    let bucket = lived_in().await;
    let vault = bucket.open().await;
    let store = vault.user("alice").store("default").open().await.unwrap();
    let writer = roomy(&bucket.again().open().await, "alice").await;
    ok(&writer, create("/memories/new", "x")).await;
    let (path, mut bytes) =
        objects(&bucket).await.into_iter().find(|(path, _)| path.as_ref().ends_with("/ffa")).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    put(&bucket, &path, &bytes).await;
    let answer = store.execute(view("/memories")).await;
    assert!(matches!(answer, Err(Error::Damaged { .. })), "{answer:?}");
    let answer = store.execute(create("/memories/after", "")).await;
    assert!(matches!(answer, Err(Error::Damaged { .. })), "nothing is built on damage: {answer:?}");
}

#[tokio::test]
async fn damaged_content_is_an_error_for_its_memory_and_for_no_other() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let writer = roomy(&vault, "alice").await;
    ok(&writer, create("/memories/a", "first\n")).await;
    ok(&writer, create("/memories/b", "second\n")).await;
    let store = roomy(&bucket.open().await, "alice").await;
    // The content of commit 1 is its last section.
    let (path, mut bytes) = objects(&bucket)
        .await
        .into_iter()
        .find(|(path, _)| path.as_ref().ends_with("/ffe") && path.as_ref().contains("/log/"))
        .unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    put(&bucket, &path, &bytes).await;
    let answers =
        store.execute_turn(vec![replace("/memories/a", "first", "x"), replace("/memories/b", "second", "2nd")]).await;
    assert!(matches!(answers[0], Err(Error::Damaged { .. })), "{:?}", answers[0]);
    assert!(answers[1].is_ok(), "{:?}", answers[1]);
    assert!(matches!(store.execute(view("/memories/a")).await, Err(Error::Damaged { .. })));
    assert!(ok(&store, view("/memories/b")).await.contains("2nd"));
}

#[tokio::test]
async fn what_somebody_else_put_there_is_found() {
    let bucket = lived_in().await;
    let commit = objects(&bucket).await.into_iter().find(|(path, _)| path.as_ref().contains("/log/")).unwrap().0;
    let folder = commit.as_ref().rsplit_once('/').unwrap().0;
    for extra in ["notes.txt".to_owned(), "users/x".to_owned(), format!("{folder}/xyz"), format!("{folder}/ffb.old")] {
        let path = Path::from(extra);
        put(&bucket, &path, b"hello").await;
        assert!(is_noticed(&bucket).await, "{path}");
        read_all(&bucket).await.unwrap();
        bucket.memory.delete(&path).await.unwrap();
    }
}

/// The operator keeps a commit that lost its race, sealed with the right keys under the same number, and puts it, or only
/// its content, in the place of the one that won.
#[tokio::test]
async fn a_commit_that_lost_its_race_in_the_middle_of_the_log_is_noticed() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/a", "one")).await;
    let other = Bucket::new();
    for (path, bytes) in objects(&bucket).await {
        put(&other, &path, &bytes).await;
    }
    ok(&roomy(&other.open().await, "alice").await, create("/memories/b", "lost")).await;
    ok(&store, create("/memories/b", "won!")).await;
    ok(&store, create("/memories/c", "three")).await;
    let (second, won) = objects(&bucket).await.into_iter().find(|(path, _)| path.as_ref().ends_with("/ffd")).unwrap();
    let (_, lost) = objects(&other).await.into_iter().find(|(path, _)| *path == second).unwrap();
    put(&bucket, &second, &lost).await;
    assert!(read_all(&bucket).await.is_err(), "the whole commit, to a reader");
    assert!(is_noticed(&bucket).await, "the whole commit, to an inspection");

    // The content section opens by itself: same key, same place.
    assert_eq!(won.len(), lost.len());
    let section = 256 + 80;
    put(&bucket, &second, &[&won[..won.len() - section], &lost[lost.len() - section..]].concat()).await;
    let reader = roomy(&bucket.open().await, "alice").await;
    let read = reader.read("/memories/b").await;
    assert!(matches!(read, Err(Error::Damaged { .. })), "the content, to a reader: {read:?}");
    for depth in [Depth::Sections, Depth::Contents] {
        let inspection = bucket.open().await.inspect(depth, |_, _| {}).await.unwrap();
        assert!(!inspection.findings.is_empty(), "the content, to an inspection: {depth:?}");
    }
}

#[tokio::test]
async fn a_planted_commit_far_away_costs_an_inspection_one_finding_more() {
    let bucket = lived_in_by(&["alice"]).await;
    let (path, bytes) = objects(&bucket).await.into_iter().find(|(path, _)| path.as_ref().ends_with("/ffb")).unwrap();
    let far = path.as_ref().replace("fffffffffffff/ffb", "0000000000000/000");
    put(&bucket, &Path::from(far), &bytes).await;
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert_eq!(inspection.findings.len(), 2, "{:?}", inspection.findings);
    assert!(matches!(read_all(&bucket).await, Err(Error::Damaged { .. })));
}

#[tokio::test]
async fn an_object_that_claims_to_be_huge_is_not_read() {
    use memoseal_testkit::Op;

    let bucket = lived_in_by(&["alice"]).await;
    for (path, bytes) in objects(&bucket).await {
        let max = if path.as_ref().contains("/log/") { 64 << 20 } else { 64 << 10 };
        put(&bucket, &path, &[bytes.as_slice(), &vec![0; max]].concat()).await;
        bucket.counting.reset();
        assert!(read_all(&bucket).await.is_err(), "{path}");
        assert!(is_noticed(&bucket).await, "{path}");
        let asked = bucket.counting.log().into_iter().filter(|request| request.op == Op::Get && request.path == path);
        assert!(asked.count() > 0, "{path}");
        put(&bucket, &path, &bytes).await;
    }
}

#[tokio::test]
async fn an_inspection_misses_what_its_process_has_seen_and_is_gone() {
    let bucket = lived_in_by(&["alice"]).await;
    let vault = bucket.open().await;
    vault.user("alice").store("default").open().await.unwrap();
    let everything = objects(&bucket).await;
    for part in ["vault/", "/log/", "users/"] {
        for (path, _) in everything.iter().filter(|(path, _)| path.as_ref().contains(part)) {
            bucket.memory.delete(path).await.unwrap();
        }
        let inspection = vault.inspect(Depth::Sections, |_, _| {}).await.unwrap();
        assert_eq!(inspection.findings.len(), 1, "{part}: {:?}", inspection.findings);
        for (path, bytes) in &everything {
            put(&bucket, path, bytes).await;
        }
    }
    assert!(vault.inspect(Depth::Sections, |_, _| {}).await.unwrap().findings.is_empty());
}

#[tokio::test]
async fn a_vault_without_its_header_is_damaged_and_no_place_for_another() {
    let bucket = lived_in_by(&["alice"]).await;
    let (path, bytes) = objects(&bucket).await.into_iter().find(|(path, _)| path.as_ref().contains("vault/")).unwrap();
    let open = async || Vault::open(bucket.backend(), key(), options()).await.unwrap_err();

    put(&bucket, &path, b"").await;
    assert!(matches!(open().await, Error::Damaged { .. }));
    bucket.memory.delete(&path).await.unwrap();
    assert!(matches!(open().await, Error::Damaged { .. }));
    let made = Vault::create(bucket.backend(), key(), options()).await;
    assert!(matches!(made, Err(Error::AlreadyExists { .. })), "{made:?}");

    put(&bucket, &path, &bytes).await;
    Vault::open(bucket.backend(), key(), options()).await.unwrap();
}
