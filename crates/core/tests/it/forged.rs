//! Whoever holds the key and is no memoseal, or a defective one: an inspection tells what breaks the rules.

use memoseal_core::Depth;
use object_store::{ObjectStoreExt, path::Path};
use serde_json::json;

use crate::{forge::*, support::*};

async fn findings(bucket: &Bucket) -> Vec<(String, &'static str)> {
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    inspection.findings.into_iter().map(|finding| (finding.problem, finding.advice)).collect()
}

async fn forger() -> (Bucket, Forger) {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "1")).await;
    let forger = Forger::of(&bucket).await;
    (bucket, forger)
}

#[tokio::test]
async fn what_is_forged_by_the_rules_is_as_good_as_any() {
    let (bucket, forger) = forger().await;
    let mut forger = forger.anew();
    forger.named(&bucket, Some("default"), vec![writes("created", 1, None, "/a", "1")]).await;
    forger.commit(&bucket, vec![writes("modified", 1, Some("1.0"), "/b/ä.md", "2")]).await;
    let gone = json!({ "op": "deleted", "mem": base64(&[1; 16]), "prev": "2.0" });
    forger.commit(&bucket, vec![Forged { header: gone, meta: None, content: None }]).await;
    assert_eq!(findings(&bucket).await, []);
    ok(&roomy(&bucket.open().await, "alice").await, create("/memories/more", "")).await;
    assert_eq!(findings(&bucket).await, []);
}

#[tokio::test]
async fn a_path_that_no_memory_may_have_is_found() {
    for path in
        ["/a/../b", "/../b", "/..", "b", "", "/", "/a//b", "/a/", "/e\u{301}", "/a\u{0}b", "/a\u{202e}b", "/%2e%2e"]
    {
        let (bucket, mut forger) = forger().await;
        forger.commit(&bucket, vec![writes("created", 9, None, path, "x")]).await;
        let findings = findings(&bucket).await;
        assert_eq!(findings.len(), 1, "{path:?}: {findings:?}");
        assert!(findings[0].0.contains("version 2.0: its path"), "{findings:?}");
        assert!(findings[0].1.contains("rename or delete"), "{findings:?}");
    }
}

#[tokio::test]
async fn a_first_commit_that_does_not_name_its_store_is_found() {
    let (bucket, forger) = forger().await;
    let mut forger = forger.anew();
    forger.commit(&bucket, vec![writes("created", 1, None, "/a", "1")]).await;
    let findings = findings(&bucket).await;
    assert!(findings.len() == 1 && findings[0].0 == "commit 1: it does not name its store", "{findings:?}");
}

#[tokio::test]
async fn a_version_that_does_not_follow_from_the_one_before_it_is_found() {
    let (one, two) = (writes("created", 1, None, "/a", "1"), writes("created", 2, None, "/b", "1"));
    let base = vec![one, two];
    let deletion = |memory, previous: &str| Forged {
        header: json!({ "op": "deleted", "mem": base64(&[memory; 16]), "prev": previous }),
        meta: None,
        content: None,
    };
    let (bucket, forger) = forger().await;
    let mut forger = forger.anew();
    forger.named(&bucket, Some("default"), base).await;
    forger.commit(&bucket, vec![writes("modified", 1, Some("1.0"), "/a", "2")]).await;
    let cases = [
        (
            writes("modified", 1, Some("1.0"), "/a", "3"),
            "version 3.0: it names 1.0 as the version before it, and that is 2.0",
        ),
        (
            writes("modified", 1, None, "/a", "3"),
            "version 3.0: it names none as the version before it, and that is 2.0",
        ),
        (writes("created", 1, None, "/a", "3"), "version 3.0: it names none as the version before it, and that is 2.0"),
        (
            writes("modified", 3, Some("1.1"), "/c", "3"),
            "version 3.0: it names 1.1 as the version before it, and that is none",
        ),
        (deletion(2, "2.0"), "version 3.0: it names 2.0 as the version before it, and that is 1.1"),
    ];
    let third = Path::from(Forger::of(&bucket).await.path(3));
    for (change, problem) in cases {
        Forger::of(&bucket).await.commit(&bucket, vec![change]).await;
        let findings = findings(&bucket).await;
        assert!(findings.iter().any(|(found, _)| found == problem), "{problem}: {findings:?}");
        bucket.memory.delete(&third).await.unwrap();
    }
    // A memory comes again under the identity of one that was deleted.
    let mut forger = Forger::of(&bucket).await;
    forger.commit(&bucket, vec![deletion(2, "1.1")]).await;
    assert_eq!(findings(&bucket).await, []);
    forger.commit(&bucket, vec![writes("created", 2, None, "/b", "1")]).await;
    let findings = findings(&bucket).await;
    assert!(findings.len() == 1 && findings[0].0.contains("identities are not used twice"), "{findings:?}");
}

#[tokio::test]
async fn a_superseded_header_or_keyring_that_was_not_overwritten_is_found_and_is_no_damage() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let store = roomy(&vault, "alice").await;
    ok(&store, create("/memories/a", "a")).await;
    let before = crate::redaction::opened::objects(&bucket).await;
    vault.rotate(vec![key()], false, |_, _| {}).await.unwrap();
    assert_eq!(findings(&bucket).await, []);
    for (what, part) in [("header", "vault/"), ("keyring", "/keyring/")] {
        let (path, old) = before.iter().find(|(path, _)| path.as_ref().contains(part)).unwrap();
        let stub = bucket.memory.get(path).await.unwrap().bytes().await.unwrap();
        assert!(stub.len() == 57, "{what}");
        // The process that made the newest one ended before it came to this.
        bucket.memory.put(path, old.clone().into()).await.unwrap();
        let found = findings(&bucket).await;
        assert_eq!(found.len(), 1, "{found:?}");
        let inspection = bucket.open().await.inspect(Depth::Sections, |_, _| {}).await.unwrap();
        assert!(!inspection.findings[0].is_damage);
        assert_eq!(found[0].0, "it is superseded but was not overwritten");
        assert!(found[0].1.contains("memoseal maintain"), "{found:?}");
        // Whoever reads is not concerned.
        assert_eq!(tree(&bucket.open().await, "alice").await.len(), 1);
        let done = bucket.open().await.maintain(&memoseal_core::MaintainOptions::default(), |_, _| {}).await.unwrap();
        assert_eq!(done.keyrings.resealed, 0);
        assert_eq!(bucket.memory.get(path).await.unwrap().bytes().await.unwrap(), stub, "{what}");
        assert_eq!(findings(&bucket).await, []);
    }
}

#[tokio::test]
async fn what_is_only_as_long_as_a_stub_or_a_tombstone_is_found_and_overwritten() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    ok(&roomy(&vault, "alice").await, create("/memories/a", "a")).await;
    let actor = memoseal_core::Actor::Local { name: "operator".into() };
    vault.user("alice").destroy(&actor, |_| {}).await.unwrap();
    ok(&roomy(&vault, "alice").await, create("/memories/a", "a")).await;
    vault.rotate(vec![key()], false, |_, _| {}).await.unwrap();
    assert_eq!(findings(&bucket).await, []);
    let before = crate::redaction::opened::objects(&bucket).await;
    let series =
        |part: &str| before.iter().filter(|(path, _)| path.as_ref().contains(part)).skip(1).collect::<Vec<_>>();
    let [headers, keyrings] = ["vault/", "/keyring/"].map(series);
    assert_eq!((headers.len(), keyrings.len()), (1, 3), "of keyrings a stub and two tombstones");
    for (path, bytes) in headers.into_iter().chain(keyrings) {
        bucket.memory.put(path, vec![b'x'; bytes.len()].into()).await.unwrap();
        let found = findings(&bucket).await;
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert_eq!(found[0].0, "it is superseded but was not overwritten");
        bucket.open().await.maintain(&memoseal_core::MaintainOptions::default(), |_, _| {}).await.unwrap();
        assert_eq!(bucket.memory.get(path).await.unwrap().bytes().await.unwrap().len(), 57, "{path}");
        assert_eq!(findings(&bucket).await, []);
    }
}
