//! A vault that people have lived in, whoever reads it, and somebody who has the bucket and not the key.

use std::collections::BTreeMap;

use bytes::Bytes;
use memoseal_core::{Depth, Error, Store, Vault, VaultOptions, command::Command};

use super::attack::Attack;
use crate::{
    Failure, Place,
    bucket::{Bucket, Edits, Files, Name, Objects, commit_name, create, difference, files, ok, rename, replace},
    check, check_eq,
};

/// A user and one of their stores.
pub(super) type Whose = (&'static str, &'static str);

pub(super) const ALICE: Whose = ("alice", "default");
pub(super) const ALICE_WORK: Whose = ("alice", "work");
pub(super) const BOB: Whose = ("bob", "default");

/// How many commits [`Scene::of`] makes in each store, and which of them holds two changes.
pub(super) const HEAD: u64 = 5;
pub(super) const OF_TWO: u64 = 2;

/// A vault, and what is true of it.
pub(super) struct Scene {
    pub(super) bucket: Bucket,
    /// What was written.
    pub(super) objects: Objects,
    /// The folder of each store's log.
    logs: BTreeMap<Whose, String>,
    files: BTreeMap<Whose, Files>,
}

impl Scene {
    /// A vault with these stores, each of five commits: files, of which one is edited and one moves.
    pub(super) async fn of(place: &dyn Place, stores: &[Whose]) -> Result<Self, Failure> {
        let (bucket, vault) = Bucket::with_vault(place).await?;
        let mut scene = Self { bucket, objects: Objects::new(), logs: BTreeMap::new(), files: BTreeMap::new() };
        for whose in stores {
            let store = open(&vault, *whose).await?;
            let text = |what: &str| format!("{}, {}: {what}\n", whose.0, whose.1);
            ok(&store, create("a", &text("first"))).await?;
            let both = store.execute_turn(vec![create("b", &text("one")), create("c", &text("two"))]).await;
            check!(both.iter().all(Result::is_ok), "a turn was answered with {both:?}");
            ok(&store, replace("a", "first", "other")).await?;
            ok(&store, rename("b", "d")).await?;
            ok(&store, create("e", &text("last"))).await?;
            scene.look(*whose, &store).await?;
        }
        scene.is_whole().await?;
        Ok(scene)
    }

    /// A vault with one store of `commits` commits.
    pub(super) async fn of_commits(place: &dyn Place, commits: u64) -> Result<Self, Failure> {
        let (bucket, vault) = Bucket::with_vault(place).await?;
        let mut scene = Self { bucket, objects: Objects::new(), logs: BTreeMap::new(), files: BTreeMap::new() };
        let store = open(&vault, ALICE).await?;
        for commit in 1..=commits {
            ok(&store, create(&format!("{commit}"), &format!("commit {commit}\n"))).await?;
            store.settle().await;
        }
        scene.look(ALICE, &store).await?;
        Ok(scene)
    }

    /// Takes what lies in the bucket, and what this handle shows, for the truth.
    pub(super) async fn look(&mut self, whose: Whose, store: &Store) -> Result<(), Failure> {
        store.settle().await;
        self.files.insert(whose, files(store).await?);
        self.objects = self.bucket.objects().await?;
        if !self.logs.contains_key(&whose) {
            // Not the catalogue, which came with the first named store and has a commit for each.
            let newest = commit_name("", store.seq());
            let new = self.objects.keys().find_map(|name| match Name::of(name) {
                Name::Commit(log, _) if name.ends_with(&newest) && self.logs.values().all(|known| *known != log) => {
                    Some(log)
                }
                _ => None,
            });
            self.logs.insert(whose, new.ok_or_else(|| Failure::new(format!("{whose:?} has no log")))?);
        }
        Ok(())
    }

    pub(super) fn log(&self, whose: Whose) -> Result<&str, Failure> {
        self.logs.get(&whose).map(String::as_str).ok_or_else(|| Failure::new(format!("{whose:?} has no log")))
    }

    /// The name of a commit.
    pub(super) fn commit(&self, whose: Whose, seq: u64) -> Result<String, Failure> {
        Ok(commit_name(self.log(whose)?, seq))
    }

    /// The name of a user's keyring.
    pub(super) fn keyring(&self, whose: Whose) -> Result<String, Failure> {
        let user = self.log(whose)?.split("/log/").next().unwrap_or_default().to_owned();
        self.name(|name| matches!(name, Name::Keyring(folder, _) if folder.starts_with(&user)))
    }

    /// The name of the first object that is such a one.
    pub(super) fn name(&self, is: impl Fn(&Name) -> bool) -> Result<String, Failure> {
        let found = self.objects.keys().find(|name| is(&Name::of(name)));
        found.cloned().ok_or_else(|| Failure::new("there is no such object"))
    }

    pub(super) fn bytes(&self, name: &str) -> Result<&Bytes, Failure> {
        self.objects.get(name).ok_or_else(|| Failure::new(format!("there is no {name}")))
    }

    /// What puts each of two objects where the other is.
    pub(super) fn swap(&self, here: &str, there: &str) -> Result<Edits, Failure> {
        let (one, other) = (self.bytes(here)?.clone(), self.bytes(there)?.clone());
        Ok(vec![(here.to_owned(), Some(other)), (there.to_owned(), Some(one))])
    }

    /// What puts the whole log of another store where this one's is.
    pub(super) fn log_instead(&self, whose: Whose, log: &str, from: &Objects) -> Result<Edits, Failure> {
        let ours = format!("{}/", self.log(whose)?);
        let is_ours = |name: &str| name.starts_with(&ours);
        let mut instead: Objects = self.objects.clone();
        instead.retain(|name, _| !is_ours(name));
        for (name, bytes) in from {
            if let Some(rest) = name.strip_prefix(&format!("{log}/")) {
                instead.insert(format!("{ours}{rest}"), bytes.clone());
            }
        }
        Ok(difference(&self.objects, &instead))
    }

    /// What takes the newest commits of a log away, with their checkpoints: those above `seq`.
    pub(super) fn without_newest(&self, whose: Whose, seq: u64) -> Result<Edits, Failure> {
        let ours = self.log(whose)?;
        let is_newer = |name: &Name| match name {
            Name::Commit(log, at) | Name::Checkpoint(log, at) => log == ours && *at > seq,
            _ => false,
        };
        let names = self.objects.keys().filter(|name| is_newer(&Name::of(name)));
        Ok(names.map(|name| (name.clone(), None)).collect())
    }

    /// What undoes these edits.
    pub(super) fn undo(&self, edits: &Edits) -> Edits {
        edits.iter().map(|(name, _)| (name.clone(), self.objects.get(name).cloned())).collect()
    }

    /// An attack, to be carried out by [`Attack::must_be_noticed`].
    pub(super) fn attack(&self, what: impl Into<String>, edits: Edits) -> Attack<'_> {
        Attack::new(self, what.into(), edits)
    }

    /// A handle on a store in a vault that is opened now. Nothing but the log is read.
    pub(super) async fn warm(&self, whose: Whose) -> Result<Warm, Failure> {
        self.warm_in(self.bucket.open().await?, whose).await
    }

    /// The same in this vault.
    pub(super) async fn warm_in(&self, vault: Vault, whose: Whose) -> Result<Warm, Failure> {
        let store = open(&vault, whose).await?;
        let files = self.files.get(&whose).cloned().unwrap_or_default();
        Ok(Warm { store, vault, whose, files, is_behind: false })
    }

    /// A handle that was opened when `seq` was the newest commit, and has read nothing since.
    pub(super) async fn behind(&self, whose: Whose, seq: u64) -> Result<Warm, Failure> {
        let older = self.without_newest(whose, seq)?;
        self.bucket.apply(&older).await?;
        let warm = self.warm(whose).await;
        self.bucket.apply(&self.undo(&older)).await?;
        Ok(Warm { is_behind: true, ..warm? })
    }

    /// What a process that starts now reads.
    pub(super) async fn cold(&self) -> Reading {
        match self.bucket.open().await {
            Ok(vault) => self.read(&vault).await,
            Err(error) => Reading::failed(error),
        }
    }

    /// Everything that can be read in this vault, by handles that are opened now.
    pub(super) async fn read(&self, vault: &Vault) -> Reading {
        let mut reading = Reading::default();
        for (whose, files) in &self.files {
            match open(vault, *whose).await {
                Ok(store) => reading.read(&store, files).await,
                Err(error) => reading.errors.push(error),
            }
        }
        reading
    }

    /// Everything reads again, and an inspection finds nothing.
    pub(super) async fn is_whole(&self) -> Result<(), Failure> {
        self.cold().await.is_right()?;
        let inspection = self.bucket.open().await?.inspect(Depth::Contents, |_, _| {}).await?;
        check!(inspection.findings.is_empty(), "found in a vault that is as it was written: {:?}", inspection.findings);
        Ok(())
    }
}

pub(super) async fn open(vault: &Vault, whose: Whose) -> memoseal_core::Result<Store> {
    vault.user(whose.0).store(whose.1).open().await
}

/// What a reader was told.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) errors: Vec<Error>,
    /// Answers that are not the truth.
    wrong: Vec<String>,
}

impl Reading {
    /// The vault did not open.
    pub(super) fn failed(error: Error) -> Self {
        Self { errors: vec![error], wrong: Vec::new() }
    }

    /// Reads all of a store, whose truth is `files`.
    pub(super) async fn read(&mut self, store: &Store, files: &Files) {
        let memories = match store.memories().await {
            Ok(memories) => memories,
            Err(error) => return self.errors.push(error),
        };
        let paths: Vec<String> = memories.iter().map(|memory| memory.path.to_string()).collect();
        if !paths.iter().eq(files.keys()) {
            self.wrong.push(format!("the files {paths:?}"));
        }
        for path in paths {
            match store.read(&path).await {
                Ok(content) if files.get(&path) == Some(&content) => {}
                Ok(content) => self.wrong.push(format!("{path} with {:?}", String::from_utf8_lossy(&content))),
                Err(error) => self.errors.push(error),
            }
        }
    }

    /// Nothing was told that is not the truth.
    pub(super) fn is_not_wrong(&self) -> Result<(), Failure> {
        match self.wrong.first() {
            Some(wrong) => Err(Failure::new(format!("another answer: {wrong}"))),
            None => Ok(()),
        }
    }

    /// The truth was told, all of it.
    pub(super) fn is_right(&self) -> Result<(), Failure> {
        self.is_not_wrong()?;
        match self.errors.first() {
            Some(error) => Err(Failure::new(format!("what is as it was written does not read: {error}"))),
            None => Ok(()),
        }
    }
}

/// A handle that a running process has open.
pub(super) struct Warm {
    pub(super) vault: Vault,
    pub(super) store: Store,
    pub(super) whose: Whose,
    pub(super) files: Files,
    /// Whether commits have come since it was opened that it has not read.
    pub(super) is_behind: bool,
}

impl Warm {
    pub(super) async fn read(&self) -> Reading {
        let mut reading = Reading::default();
        reading.read(&self.store, &self.files).await;
        reading
    }

    /// What comes of a change in it.
    pub(super) async fn write(&self) -> memoseal_core::Result<()> {
        self.store.execute(write()).await.map(drop)
    }

    /// It reads everything now that the bucket is as it was.
    pub(super) async fn is_whole(&self) -> Result<(), Failure> {
        self.read().await.is_right()?;
        check_eq!(self.store.seq(), open(&self.vault, self.whose).await?.seq(), "commits of a running process");
        Ok(())
    }
}

fn write() -> Command {
    create("built on damage", "")
}

/// Options with this witness.
pub(super) fn with_witness(witness: std::sync::Arc<dyn memoseal_core::witness::HeadWitness>) -> VaultOptions {
    let mut options = VaultOptions::default();
    options.witness = Some(witness);
    options
}
