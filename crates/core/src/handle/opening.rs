//! Opening a store: what was seen before, the two listings, the newest checkpoint and the commits after it.

use std::sync::Arc;

use futures_util::{TryStreamExt, future::join};
use memoseal_crypto::Keyring;

use super::{
    StoreOptions, User,
    replica::{Place, Replica, rolled_back},
    user::FIRST_LIFE,
};
use crate::{
    Error, Result,
    codec::Commit,
    log::{SIDE_BY_SIDE, list, list::Head, names},
    witness::{LogId, Seen},
};

/// How often a listing that was overtaken is made again.
const LISTINGS: usize = 5;

/// Opens a store and reads its log up to the head.
pub(super) async fn open(user: User, store: String, options: StoreOptions) -> Result<Replica> {
    let vault = user.vault().clone();
    let store_hash = names::store_hash(vault.open_vault().name_key(), user.name(), &store);
    let id = LogId { vault: vault.id(), user: user.hash(), store: store_hash };
    let lives = names::lives(vault.prefix(), &id.user, &id.store);
    // Before anything is listed: what another process sees and notes meanwhile is no reason for alarm.
    let floor = vault.floor(&id).await?;
    let (keyring, head) = join(user.keyring(), list::head(vault.backend(), vault.patience().read, &lives)).await;
    let (mut keyring, mut head) = (keyring?, head?);
    if is_newer(&head, &keyring) {
        // The user may have come between the two listings.
        keyring = user.keyring().await?;
        head = list::head(vault.backend(), vault.patience().read, &lives).await?;
        if is_newer(&head, &keyring) {
            return Err(Error::damaged("the user's keyring", "the store has commits, but no keyring opens them"));
        }
    }
    // A log of an older life counts as no log.
    let user_life = keyring.as_ref().map_or(FIRST_LIFE, |keyring| keyring.life());
    let head = head.filter(|head| head.commit.user_life == user_life);
    let store_life = head.as_ref().map_or(FIRST_LIFE, |head| head.commit.store_life);
    check_head(floor, &head)?;
    let replica = Replica::new(Place { id, lives, user_life, store_life, floor }, user, store, options);
    if let Some(keyring) = keyring {
        replica.set_keys(keyring);
    }
    if let Some(head) = head {
        let (loaded, checked) = join(replica.load(&head), replica.check_floor(&head)).await;
        checked.and(loaded)?;
        if replica.has_skipped() {
            // What was skipped is named again by a commit that came after the listing, or is damage.
            replica.catch_up().await?;
        }
    }
    let seen = replica.seen();
    vault.rebase(&id, seen.as_ref()).await?;
    if let Some(seen) = seen
        && vault.raise_floor(&id, &seen)
    {
        vault.saw(&id, &seen).await;
    }
    Ok(replica)
}

fn is_newer(head: &Option<Head>, keyring: &Option<Arc<Keyring>>) -> bool {
    head.as_ref().is_some_and(|head| head.commit.user_life > keyring.as_ref().map_or(0, |keyring| keyring.life()))
}

/// The head must not lie below what was seen.
fn check_head(floor: Option<Seen>, head: &Option<Head>) -> Result<()> {
    let Some(floor) = floor else { return Ok(()) };
    match head {
        None => Err(rolled_back(format!("commit {} was seen before, and now there is no log", floor.seq))),
        Some(head) => {
            let commit = &head.commit;
            if (commit.user_life, commit.store_life, commit.seq) < floor.position() {
                return Err(rolled_back(format!(
                    "commit {} was seen before, and now the newest is {}",
                    floor.seq, commit.seq
                )));
            }
            Ok(())
        }
    }
}

impl Replica {
    /// Reads the newest checkpoint and the commits after it, side by side.
    async fn load(&self, head: &Head) -> Result<()> {
        let keys = self.keys().await?;
        let mut relisted;
        let mut head = head;
        for _ in 0..LISTINGS {
            let Some((seq, bytes)) = head.checkpoints.first().copied() else {
                return self.follow(head.commit.seq).await;
            };
            // As many commits as are read side by side wait for the checkpoint in memory; the rest comes after it.
            let last = head.commit.seq.min(seq.saturating_add(SIDE_BY_SIDE as u64));
            // The commit after a checkpoint names its chain value; where there is none, its own commit has to.
            let first = last.min(seq.saturating_add(1));
            let commits = self.log.commits(keys, first..=last).try_collect::<Vec<_>>();
            let (checkpoint, commits) = join(self.log.checkpoint(keys, seq), commits).await;
            if let Some(checkpoint) = checkpoint? {
                let commits = commits?;
                let beside = commits.first().filter(|commit| commit.seq == seq);
                if beside.is_some_and(|commit| commit.chain != checkpoint.chain) {
                    return Err(Error::damaged(format!("checkpoint {seq}"), "it does not follow from the log"));
                }
                self.begin_at(checkpoint, bytes);
                commits.iter().try_for_each(|commit| self.apply_commit(keys, commit))?;
                return self.follow(head.commit.seq).await;
            }
            // A newer one has come and this one was deleted.
            relisted = self.head().await?.ok_or_else(|| Error::damaged("the log", "it was there and is gone"))?;
            head = &relisted;
        }
        Err(Error::damaged("the log", "its checkpoints are listed, but cannot be read"))
    }

    /// The commit at the number that was seen must be the one that was seen. Where the log is replayed past it, the
    /// replay compares; where a checkpoint lies above it, it is read. One request, or none.
    async fn check_floor(&self, head: &Head) -> Result<()> {
        let Some(floor) = self.floor.filter(|floor| self.is_here(floor)) else { return Ok(()) };
        if head.checkpoints.first().is_none_or(|(seq, _)| *seq < floor.seq) {
            return Ok(());
        }
        let keys = self.keys().await?;
        let gone = || rolled_back(format!("commit {} was seen before, and now it is gone", floor.seq));
        let commit = Commit::open(keys, floor.seq, self.log.bytes(floor.seq).await?.ok_or_else(gone)?)?;
        if commit.chain != floor.chain {
            return Err(rolled_back(format!("commit {} is not the one that was seen before", floor.seq)));
        }
        Ok(())
    }
}
