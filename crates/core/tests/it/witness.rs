//! Somebody has the bucket and puts an older state in place. A machine that has seen more notices.

use std::{fs, sync::Arc};

use futures_util::TryStreamExt;
use memoseal_core::{
    Actor, Depth, Error, Result, Store, Vault,
    witness::{FileWitness, HeadWitness, LogId, Seen},
};
use object_store::{ObjectStore, ObjectStoreExt, path::Path};

use crate::support::*;

/// A machine with a witness of its own.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn witness(&self) -> FileWitness {
        FileWitness::new(self.0.path().join("witness"))
    }

    async fn vault(&self, bucket: &Bucket, accept_rollback: bool) -> Vault {
        let mut options = options();
        let witness: Arc<dyn HeadWitness> = Arc::new(self.witness());
        options.witness = Some(witness);
        options.accept_rollback = accept_rollback;
        Vault::open(bucket.backend(), key(), options).await.unwrap()
    }

    /// What a process that starts now makes of the store.
    async fn open(&self, bucket: &Bucket) -> Result<Store> {
        self.vault(bucket, false).await.user("alice").store("default").open().await
    }

    async fn writes(&self, bucket: &Bucket, paths: &[&str]) {
        let store = self.open(bucket).await.unwrap();
        for path in paths {
            ok(&store, create(path, "x")).await;
        }
        store.settle().await;
    }
}

async fn snapshot(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    let mut objects = Vec::new();
    let mut listing = bucket.memory.list(None);
    while let Some(object) = listing.try_next().await.unwrap() {
        let bytes = bucket.memory.get(&object.location).await.unwrap().bytes().await.unwrap();
        objects.push((object.location, bytes.to_vec()));
    }
    objects
}

async fn put_back(bucket: &Bucket, objects: &[(Path, Vec<u8>)]) {
    for (path, _) in snapshot(bucket).await {
        bucket.memory.delete(&path).await.unwrap();
    }
    for (path, bytes) in objects {
        bucket.memory.put(path, bytes.clone().into()).await.unwrap();
    }
}

#[tokio::test]
async fn an_older_copy_of_the_vault_is_noticed_by_a_process_that_starts_anew() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    let empty = snapshot(&bucket).await;
    machine.writes(&bucket, &["/memories/a", "/memories/b"]).await;
    let older = snapshot(&bucket).await;
    machine.writes(&bucket, &["/memories/c"]).await;
    let newest = snapshot(&bucket).await;
    for objects in [&older, &empty] {
        put_back(&bucket, objects).await;
        let opened = machine.open(&bucket).await;
        assert!(matches!(opened, Err(Error::RolledBack { .. })), "{opened:?}");
        // A machine that has seen nothing cannot know.
        Machine::new().open(&bucket).await.unwrap();
    }
    put_back(&bucket, &newest).await;
    assert_eq!(machine.open(&bucket).await.unwrap().seq(), 3);
}

#[tokio::test]
async fn the_newest_commits_cannot_be_removed() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    machine.writes(&bucket, &["/memories/a", "/memories/b", "/memories/c"]).await;
    let objects = snapshot(&bucket).await;
    let mut commits: Vec<_> = objects.iter().filter(|(path, _)| path.as_ref().contains("/log/")).collect();
    commits.sort();
    for newest in 1..=3 {
        for (path, _) in &commits[..newest] {
            bucket.memory.delete(path).await.unwrap();
        }
        let opened = machine.open(&bucket).await;
        assert!(matches!(opened, Err(Error::RolledBack { .. })), "{newest}: {opened:?}");
        put_back(&bucket, &objects).await;
    }
}

#[tokio::test]
async fn a_commit_that_lost_cannot_be_put_in_place_of_the_one_that_won() {
    for more in [0, 3, 60] {
        let (bucket, machine) = (Bucket::new(), Machine::new());
        bucket.create().await;
        machine.writes(&bucket, &["/memories/a"]).await;
        let before = snapshot(&bucket).await;
        // What another writer tried at the same number, and what could have followed.
        let store = roomy(&bucket.open().await, "alice").await;
        for i in 0..=more {
            ok(&store, create(&format!("/memories/lost/{i}"), "x")).await;
        }
        store.settle().await;
        let lost = snapshot(&bucket).await;
        put_back(&bucket, &before).await;
        machine.writes(&bucket, &["/memories/won"]).await;
        put_back(&bucket, &lost).await;
        let opened = machine.open(&bucket).await;
        assert!(matches!(opened, Err(Error::RolledBack { .. })), "{more}: {opened:?}");
    }
}

#[tokio::test]
async fn a_rollback_is_accepted_once_on_an_operators_word() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    machine.writes(&bucket, &["/memories/a"]).await;
    let backup = snapshot(&bucket).await;
    machine.writes(&bucket, &["/memories/b", "/memories/c"]).await;
    put_back(&bucket, &backup).await;
    assert!(machine.open(&bucket).await.is_err());
    machine.vault(&bucket, true).await.user("alice").store("default").open().await.unwrap();
    machine.writes(&bucket, &["/memories/d"]).await;
    put_back(&bucket, &backup).await;
    assert!(machine.open(&bucket).await.is_err(), "and watched from then on");
}

#[tokio::test]
async fn a_process_remembers_what_it_saw_without_a_witness() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    ok(&roomy(&vault, "alice").await, create("/memories/a", "x")).await;
    let older = snapshot(&bucket).await;
    ok(&roomy(&vault, "alice").await, create("/memories/b", "x")).await;
    put_back(&bucket, &older).await;
    // The handle that saw it is gone; the vault is still open.
    let opened = vault.user("alice").store("default").open().await;
    assert!(matches!(opened, Err(Error::RolledBack { .. })), "{opened:?}");
}

#[tokio::test]
async fn a_witness_costs_one_get_where_a_checkpoint_hides_the_commit_and_nothing_elsewhere() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    machine.writes(&bucket, &["/memories/a", "/memories/b"]).await;
    let with = machine.vault(&bucket, false).await;
    let without = bucket.open().await;
    bucket.spent();
    roomy(&without, "alice").await;
    let usual = bucket.spent();
    roomy(&with, "alice").await;
    assert_eq!(bucket.spent(), usual);

    let store = roomy(&bucket.open().await, "alice").await;
    for i in 0..40 {
        ok(&store, create(&format!("/memories/{i}"), "x")).await;
    }
    store.settle().await;
    let with = machine.vault(&bucket, false).await;
    let without = bucket.open().await;
    bucket.spent();
    roomy(&without, "alice").await;
    let usual = bucket.spent();
    roomy(&with, "alice").await;
    assert_eq!(bucket.spent().get, usual.get + 1);
}

#[tokio::test]
async fn a_witness_only_moves_forward_whoever_writes_to_it() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    machine.writes(&bucket, &["/memories/a"]).await;
    // Two processes of one machine; the one that has seen less ends last.
    let behind = machine.open(&bucket).await.unwrap();
    machine.writes(&bucket, &["/memories/b", "/memories/c"]).await;
    behind.settle().await;
    let older = snapshot(&bucket).await;
    let mut commits: Vec<_> = older.iter().filter(|(path, _)| path.as_ref().contains("/log/")).collect();
    commits.sort();
    bucket.memory.delete(&commits[0].0).await.unwrap();
    assert!(matches!(machine.open(&bucket).await, Err(Error::RolledBack { .. })));
}

#[tokio::test]
async fn a_witness_that_cannot_be_read_is_an_error_and_one_that_lags_is_not() {
    let (bucket, machine) = (Bucket::new(), Machine::new());
    bucket.create().await;
    machine.writes(&bucket, &["/memories/a"]).await;
    let folder = machine.0.path().join("witness");
    let file = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| !path.ends_with("lock")).unwrap();
    let noted = fs::read(&file).unwrap();
    machine.writes(&bucket, &["/memories/b"]).await;
    fs::write(&file, "nonsense").unwrap();
    assert!(matches!(machine.open(&bucket).await, Err(Error::Witness { .. })));
    for lagging in [noted.as_slice(), b""] {
        fs::write(&file, lagging).unwrap();
        assert_eq!(machine.open(&bucket).await.unwrap().seq(), 2);
    }
    for secret in ["alice", "default", "memories"] {
        assert!(!String::from_utf8(noted.clone()).unwrap().contains(secret));
        assert!(!file.to_string_lossy().contains(&format!("{secret}.")));
    }
}

/// A witness on a disk that cannot be written to.
#[derive(Debug)]
struct ReadOnly;

#[async_trait::async_trait]
impl HeadWitness for ReadOnly {
    async fn read(&self, _: &LogId) -> Result<Option<Seen>> {
        Ok(None)
    }

    async fn advance(&self, _: &LogId, _: &Seen) -> Result<()> {
        Err(Error::Witness { file: "witness".into(), problem: "read-only file system".into() })
    }

    async fn rebase(&self, log: &LogId, _: Option<&Seen>) -> Result<()> {
        self.advance(log, &Seen { user_life: 1, store_life: 1, seq: 1, chain: [0; 32] }).await
    }

    async fn logs(&self, _: &[u8; 16]) -> Result<Vec<LogId>> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_witness_that_cannot_be_written_to_stops_nobody() {
    let bucket = Bucket::new();
    bucket.create().await;
    let mut options = options();
    let witness: Arc<dyn HeadWitness> = Arc::new(ReadOnly);
    options.witness = Some(witness);
    let vault = Vault::open(bucket.backend(), key(), options).await.unwrap();
    let store = roomy(&vault, "alice").await;
    ok(&store, create("/memories/n", "x")).await;
    store.settle().await;
    roomy(&vault, "alice").await;
}

#[tokio::test]
async fn a_log_that_is_gone_is_missed_by_the_inspection_of_a_process_that_starts_anew() {
    let (bucket, other, machine) = (Bucket::new(), Bucket::new(), Machine::new());
    for bucket in [&bucket, &other] {
        bucket.create().await;
        machine.writes(bucket, &["/memories/n"]).await;
    }
    let everything = snapshot(&bucket).await;
    let remove = async |part: &str| {
        for (path, _) in everything.iter().filter(|(path, _)| path.as_ref().contains(part)) {
            bucket.memory.delete(path).await.unwrap();
        }
    };
    let findings = async |accept_rollback| {
        let vault = machine.vault(&bucket, accept_rollback).await;
        vault.inspect(Depth::Sections, |_, _| {}).await.unwrap().findings
    };
    assert!(findings(false).await.is_empty());
    for part in ["/log/", "users/"] {
        remove(part).await;
        let found = findings(false).await;
        assert!(found.len() == 1 && found[0].problem.contains("now there is no log"), "{part}: {found:?}");
        put_back(&bucket, &everything).await;
    }
    // On an operator's word, once for all.
    remove("users/").await;
    assert!(findings(true).await.is_empty());
    assert!(findings(false).await.is_empty());
    put_back(&bucket, &everything).await;

    // What was destroyed is not missed.
    machine.writes(&bucket, &["/memories/m"]).await;
    let vault = machine.vault(&bucket, false).await;
    vault.user("alice").destroy(&Actor::Local { name: "test".into() }, |_| {}).await.unwrap();
    assert!(findings(false).await.is_empty());
}
