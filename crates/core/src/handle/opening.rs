//! Opening a store: what was seen before, the two listings, the newest checkpoint and the commits after it.

use std::sync::Arc;

use futures_util::{TryStreamExt, future::join};
use object_store::path::Path;

use super::{
    StoreOptions, User, Vault,
    directory::is_over,
    freshness::Asked,
    keyrings::{self, FIRST_LIFE, Newest},
    replica::{Place, Replica, rolled_back},
};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    log::{Log, early, list, list::Head, names, names::LogName},
    state::Closing,
    witness::{LogId, Seen},
};

/// How often a listing that was overtaken is made again.
const LISTINGS: usize = 5;

/// Opens a store and reads its log up to the head.
pub(super) async fn open(user: User, store: String, options: StoreOptions) -> Result<Replica> {
    let vault = user.vault().clone();
    let store_hash = names::store_hash(vault.open_vault().name_key(), user.name(), &store);
    let id = LogId { vault: vault.id(), user: user.hash(), store: store_hash };
    let mut overtaken = None;
    for _ in 0..LISTINGS {
        let seen = Start::list(&user, id).await?;
        // What failed before was not for something new.
        if let Some((before, error)) = overtaken.take_if(|(before, _)| *before == seen.position()) {
            return match seen.closing(&vault).await {
                Ok(Some(Closing::Store)) => seen.next_life(user, store, options).await,
                Ok(Some(Closing::User)) => Err(being_destroyed(user.name())),
                Err(other) if !other.is_damage() => Err(other),
                // The user may have been destroyed since the listing, and the end of the log emptied with the rest.
                Ok(None) | Err(_) if is_over(&vault, &id.user, seen.keyring.life()).await? => continue,
                Ok(None) | Err(_) => {
                    tracing::debug!(?before, "nothing was destroyed");
                    Err(error)
                }
            };
        }
        let position = seen.position();
        match seen.open(user.clone(), store.clone(), options.clone()).await {
            // The store, or its user, may have been destroyed: before, or while it was read.
            Err(error @ (Error::Damaged { .. } | Error::NotFound { .. })) => overtaken = Some((position, error)),
            opened => return opened,
        }
    }
    Err(overtaken.map_or_else(|| being_destroyed(user.name()), |(_, error)| error))
}

fn being_destroyed(user: &str) -> Error {
    let hint = "it is being destroyed; if whoever began that has stopped, `memoseal maintain` goes on".into();
    Error::NotFound { what: format!("user {user}"), hint }
}

/// What the two listings say that a store is opened from.
struct Start {
    id: LogId,
    lives: Path,
    /// What was seen before anything was listed: what another process sees and notes meanwhile is no reason for alarm.
    floor: Option<Seen>,
    keyring: Newest,
    /// The newest commit and checkpoints of the user's present life.
    head: Option<Head>,
    /// The log that they are of, with what was read of it while the keyring was still on its way.
    log: Option<Log>,
    asked: Asked,
}

impl Start {
    async fn list(user: &User, id: LogId) -> Result<Self> {
        let vault = user.vault();
        let asked = Asked::now(vault.env());
        let lives = names::lives(vault.prefix(), &id.user, &id.store);
        let floor = vault.floor(&id).await?;
        let list_head = || list::head(vault.backend(), vault.patience().read, &lives);
        let list_and_read = async {
            let head = list_head().await?;
            let Some(found) = &head else { return Ok((head, None)) };
            let (user_life, store_life) = (found.commit.user_life, found.commit.store_life);
            let log = vault.log(names::log(&lives, user_life, store_life));
            let seen = floor.filter(|seen| (seen.user_life, seen.store_life) == (user_life, store_life));
            let seen = seen.filter(|seen| is_above(found, seen)).map(|seen| seen.seq);
            log.read_early(found, seen).await;
            Ok((head, Some(log)))
        };
        let (keyring, found) = join(user.keyring(), list_and_read).await;
        let (mut keyring, (mut head, mut log)) = (keyring?, found?);
        if is_newer(&head, &keyring) {
            // The user may have come between the two listings.
            keyring = user.keyring().await?;
            (head, log) = (list_head().await?, None);
            if is_newer(&head, &keyring) {
                return Err(Error::damaged(keyrings::WHAT, "the store has commits, but no keyring opens them"));
            }
        }
        // A log of an older life counts as no log.
        let head = list::of_life(head, keyring.life())?;
        check_head(floor, head.as_ref().map(|head| &head.commit), keyring.life())?;
        Ok(Self { id, lives, floor, keyring, head, log, asked })
    }

    /// What a store can only be found different in if somebody has written.
    fn position(&self) -> (u64, bool, Option<LogName>) {
        (self.keyring.life(), matches!(self.keyring, Newest::Alive(_)), self.head.as_ref().map(|head| head.commit))
    }

    fn store_life(&self) -> u64 {
        self.head.as_ref().map_or(FIRST_LIFE, |head| head.commit.store_life)
    }

    fn replica(self, store_life: u64, user: User, store: String, options: StoreOptions) -> (Replica, Option<Head>) {
        let Self { id, lives, floor, keyring, head, log, asked } = self;
        let user_life = keyring.life();
        let is_of = |head: &Head| (head.commit.user_life, head.commit.store_life) == (user_life, store_life);
        let log = log.filter(|_| head.as_ref().is_some_and(is_of));
        let log = log.unwrap_or_else(|| user.vault().log(names::log(&lives, user_life, store_life)));
        let place = Place { id, lives, user_life, store_life, floor, log, asked };
        let replica = Replica::new(place, user, store, options);
        if let Some(keyring) = keyring.alive() {
            replica.set_keys(keyring);
        }
        (replica, head)
    }

    async fn open(self, user: User, store: String, options: StoreOptions) -> Result<Replica> {
        let vault = user.vault().clone();
        let (id, store_life) = (self.id, self.store_life());
        let tombstone = match self.keyring {
            Newest::Destroyed { life } => Some(Seen::tombstone(life)),
            Newest::Never | Newest::Alive(_) => None,
        };
        let (replica, head) = self.replica(store_life, user, store, options);
        if let Some(head) = head {
            let (loaded, checked) = join(replica.load(&head), replica.check_floor(&head)).await;
            replica.log.early().clear();
            checked.and(loaded)?;
            if replica.has_skipped() {
                // What was skipped is named again by a commit that came after the listing, or is damage.
                replica.catch_up().await?;
            }
        }
        note(&vault, &id, replica.seen().or(tombstone)).await?;
        Ok(replica)
    }

    /// What goes by the newest commit, if it is the last of its log.
    async fn closing(&self, vault: &Vault) -> Result<Option<Closing>> {
        Ok(self.last_commit(vault).await?.and_then(|commit| commit.closing()))
    }

    async fn last_commit(&self, vault: &Vault) -> Result<Option<Commit>> {
        let (Some(head), Newest::Alive(keyring)) = (&self.head, &self.keyring) else { return Ok(None) };
        let LogName { user_life, store_life, seq, .. } = head.commit;
        let keys = StoreKeys::new(Arc::clone(keyring), vault.id(), self.id.store, store_life);
        let bytes = vault.log(names::log(&self.lives, user_life, store_life)).bytes(seq).await?;
        bytes.map(|bytes| Commit::open(&keys, seq, bytes)).transpose()
    }

    /// A store that was destroyed is empty, and made anew by the next change.
    async fn next_life(self, user: User, store: String, options: StoreOptions) -> Result<Replica> {
        let vault = user.vault().clone();
        let (id, user_life, store_life) = (self.id, self.keyring.life(), self.store_life());
        if let Some(commit) = self.last_commit(&vault).await? {
            note(&vault, &id, Some(Seen { user_life, store_life, seq: commit.seq, chain: commit.chain })).await?;
        }
        Ok(self.replica(store_life.saturating_add(1), user, store, options).0)
    }
}

/// Notes how far a log was seen when it was opened.
async fn note(vault: &Vault, id: &LogId, seen: Option<Seen>) -> Result<()> {
    vault.rebase(id, seen.as_ref()).await?;
    if let Some(seen) = seen
        && vault.raise_floor(id, &seen)
    {
        vault.saw(id, &seen).await;
    }
    Ok(())
}

/// Whether the newest checkpoint hides the commit that was seen, so that no replay compares it.
fn is_above(head: &Head, seen: &Seen) -> bool {
    head.checkpoints.first().is_some_and(|(seq, _)| *seq >= seen.seq)
}

fn is_newer(head: &Option<Head>, keyring: &Newest) -> bool {
    let life = match keyring {
        Newest::Never => 0,
        Newest::Alive(keyring) => keyring.life(),
        Newest::Destroyed { life } => *life,
    };
    head.as_ref().is_some_and(|head| head.commit.user_life > life)
}

/// The head must not lie below what was seen, unless that was in a life of the user that has ended.
pub(super) fn check_head(floor: Option<Seen>, head: Option<&LogName>, user_life: u64) -> Result<()> {
    let Some(floor) = floor.filter(|floor| floor.user_life >= user_life) else { return Ok(()) };
    let was_seen = match floor.is_tombstone() {
        true => format!("life {} of its user was seen destroyed", floor.user_life),
        false => format!("commit {} was seen before", floor.seq),
    };
    match head {
        None => Err(rolled_back(format!("{was_seen}, and now there is no log"))),
        Some(head) if (head.user_life, head.store_life, head.seq) < floor.position() => {
            Err(rolled_back(format!("{was_seen}, and now the newest is {}", head.seq)))
        }
        Some(_) => Ok(()),
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
            // The commit after a checkpoint names its chain value; where there is none, its own commit has to.
            let commits = self.log.commits(keys, early::beside(head)).try_collect::<Vec<_>>();
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
        if !is_above(head, &floor) {
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
