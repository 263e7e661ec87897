//! What only a witness can tell: removal of the newest, another commit in their place, a whole older copy.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use memoseal_core::{
    Vault,
    witness::{HeadWitness, LogId, Seen},
};

use super::{
    attack::{Sign, is_found},
    scene::{ALICE, ALICE_WORK, BOB, HEAD, Reading, Scene, open, with_witness},
};
use crate::{
    Failure, Place,
    bucket::{create, ok},
    check, check_eq,
};

/// A witness in memory: what a machine remembers from one process to the next.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<HashMap<LogId, Seen>>);

impl Memory {
    fn note(&self, log: &LogId, seen: Option<&Seen>, is_further: impl Fn(&Seen) -> bool) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen {
            Some(seen) if noted.get(log).is_none_or(is_further) => drop(noted.insert(*log, *seen)),
            Some(_) => {}
            None => drop(noted.remove(log)),
        }
    }
}

#[async_trait]
impl HeadWitness for Memory {
    async fn read(&self, log: &LogId) -> memoseal_core::Result<Option<Seen>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(log).copied())
    }

    async fn advance(&self, log: &LogId, seen: &Seen) -> memoseal_core::Result<()> {
        let position = |seen: &Seen| (seen.user_life, seen.store_life, seen.seq);
        self.note(log, Some(seen), |noted| position(noted) < position(seen));
        Ok(())
    }

    async fn rebase(&self, log: &LogId, seen: Option<&Seen>) -> memoseal_core::Result<()> {
        self.note(log, seen, |_| true);
        Ok(())
    }

    async fn logs(&self, vault: &[u8; 16]) -> memoseal_core::Result<Vec<LogId>> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(noted.keys().filter(|log| log.vault() == *vault).copied().collect())
    }
}

/// A machine: processes come and go, its witness stays.
#[derive(Clone, Default)]
pub(super) struct Machine(Arc<Memory>);

impl Machine {
    /// A process that starts now.
    pub(super) async fn process(&self, scene: &Scene, accept_rollback: bool) -> Result<Vault, Failure> {
        let witness = Arc::clone(&self.0);
        let mut options = with_witness(witness);
        options.accept_rollback = accept_rollback;
        Ok(scene.bucket.open_with(options).await?)
    }

    /// Sees everything that there is.
    async fn sees(&self, scene: &Scene) -> Result<(), Failure> {
        self.read(scene).await?.is_right()
    }

    async fn read(&self, scene: &Scene) -> Result<Reading, Failure> {
        Ok(scene.read(&self.process(scene, false).await?).await)
    }

    /// Processes that start now notice; those of a machine that has seen nothing cannot.
    pub(super) async fn notices(&self, scene: &Scene, found: Option<&str>) -> Result<(), Failure> {
        let vault = self.process(scene, false).await?;
        let opened = open(&vault, ALICE).await;
        let told = matches!(&opened, Err(error) if Sign::of(error) == Some(Sign::RolledBack));
        check!(told, "a machine that has seen more is told {:?}", opened.map(|store| store.seq()));
        if let Some(found) = found {
            is_found(&self.process(scene, false).await?, found).await?;
        }
        open(&Self::default().process(scene, false).await?, ALICE).await?;
        Ok(())
    }
}

pub(crate) async fn the_newest_commits_cannot_be_removed_unseen(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, BOB]).await?;
    let machine = Machine::default();
    machine.sees(&scene).await?;
    for seq in (0..HEAD).rev() {
        let edits = scene.without_newest(ALICE, seq)?;
        scene.bucket.apply(&edits).await?;
        let found = format!("commit {HEAD} was seen before");
        machine.notices(&scene, (seq > 0).then_some(found.as_str())).await.map_err(|failure| failure.about(seq))?;
        // Nothing of it concerns another user.
        open(&machine.process(&scene, false).await?, BOB).await?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
        machine.sees(&scene).await?;
    }
    scene.is_whole().await
}

pub(crate) async fn an_older_copy_of_the_vault_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE, BOB]).await?;
    let machine = Machine::default();
    let older = scene.objects.clone();
    // Another machine writes; this one has only read.
    let writer = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&writer, create("newer", "1")).await?;
    ok(&writer, create("newest", "2")).await?;
    scene.look(ALICE, &writer).await?;
    machine.sees(&scene).await?;
    scene.bucket.put_back(&older).await?;
    machine.notices(&scene, Some(&format!("commit {} was seen before", HEAD + 2))).await?;
    // A process that saw the newer state, and has no witness, is not told of the older one either.
    scene.bucket.put_back(&scene.objects).await?;
    let running = scene.bucket.open().await?;
    scene.read(&running).await.is_right()?;
    scene.bucket.put_back(&older).await?;
    let opened = open(&running, ALICE).await;
    let told = matches!(&opened, Err(error) if Sign::of(error) == Some(Sign::RolledBack));
    check!(told, "a running process opens an older copy: {:?}", opened.map(|store| store.seq()));

    // On an operator's word it is taken for what is right, once, and watched from then on.
    let accepted = open(&machine.process(&scene, true).await?, ALICE).await?;
    check_eq!(accepted.seq(), HEAD);
    open(&machine.process(&scene, false).await?, ALICE).await?;
    let edits = scene.without_newest(ALICE, HEAD - 1)?;
    scene.bucket.apply(&edits).await?;
    machine.notices(&scene, None).await?;
    scene.bucket.put_back(&scene.objects).await?;
    machine.sees(&scene).await?;
    scene.is_whole().await
}

/// What a loser sent stands where the winner's commit was, at the head, alone or with more built on it.
pub(crate) async fn a_commit_that_lost_in_place_of_the_newest_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE, ALICE_WORK]).await?;
    let before = scene.objects.clone();
    let (machine, mut copies) = (Machine::default(), Vec::new());
    let loser = open(&scene.bucket.open().await?, ALICE).await?;
    for path in ["lost", "built", "on", "it"] {
        ok(&loser, create(path, "")).await?;
        copies.push(scene.bucket.objects().await?);
    }
    scene.bucket.put_back(&before).await?;
    let winner = open(&machine.process(&scene, false).await?, ALICE).await?;
    ok(&winner, create("won", "")).await?;
    winner.settle().await;
    scene.look(ALICE, &winner).await?;
    machine.sees(&scene).await?;
    for lost in [copies.first(), copies.last()].into_iter().flatten() {
        scene.bucket.put_back(lost).await?;
        machine.notices(&scene, Some(&format!("commit {} is not the one", HEAD + 1))).await?;
        open(&machine.process(&scene, false).await?, ALICE_WORK).await?;
        scene.bucket.put_back(&scene.objects).await?;
        machine.sees(&scene).await?;
    }
    scene.is_whole().await
}

/// The same where a checkpoint stands above the commit that was seen, so that opening would not read it.
pub(crate) async fn a_checkpoint_does_not_hide_what_was_seen(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of_commits(place, 30).await?;
    let before = scene.objects.clone();
    let machine = Machine::default();
    let loser = open(&scene.bucket.open().await?, ALICE).await?;
    for path in ["lost", "checkpoint", "more"] {
        ok(&loser, create(path, "")).await?;
        loser.settle().await;
    }
    let lost = scene.bucket.objects().await?;
    scene.bucket.put_back(&before).await?;
    let winner = open(&machine.process(&scene, false).await?, ALICE).await?;
    ok(&winner, create("won", "")).await?;
    winner.settle().await;
    scene.look(ALICE, &winner).await?;
    machine.sees(&scene).await?;
    check_eq!(winner.seq(), 31);
    scene.bucket.put_back(&lost).await?;
    check!(scene.bucket.names().await?.iter().any(|name| name.ends_with(".checkpoint")), "there is no checkpoint");
    machine.notices(&scene, Some("commit 31 is not the one")).await?;
    scene.bucket.put_back(&scene.objects).await?;
    machine.sees(&scene).await?;
    scene.is_whole().await
}
