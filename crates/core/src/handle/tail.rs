//! Adding a change of the store to the end of a log without reading what the log amounts to: a catalogue's entries, and
//! the last commit of a log that is closed.

use std::sync::Arc;

use futures_util::Stream;
use memoseal_crypto::Keyring;

use super::{Vault, opening::check_head, replica::rolled_back};
use crate::{
    Error, Result,
    codec::{self, Actor, ChainValue, Change, Commit, StoreKeys, What},
    log::{
        Created, Log, list,
        names::{self, KeyedHash},
    },
    state::{Closing, Note},
    witness::{LogId, Seen},
};

/// The end of one life of a log.
pub(super) struct Tail<'a> {
    vault: &'a Vault,
    id: LogId,
    keys: StoreKeys,
    user_life: u64,
    store_life: u64,
    log: Log,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It stands in this commit.
    At(u64),
    /// The log had ended before, with this commit.
    Closed(Closing, u64),
}

impl<'a> Tail<'a> {
    pub(super) fn new(
        vault: &'a Vault,
        keyring: Arc<Keyring>,
        user: KeyedHash,
        store: KeyedHash,
        store_life: u64,
    ) -> Self {
        let user_life = keyring.life();
        let lives = names::lives(vault.prefix(), &user, &store);
        Self {
            vault,
            id: LogId { vault: vault.id(), user, store },
            keys: StoreKeys::new(keyring, vault.id(), store, store_life),
            user_life,
            store_life,
            log: vault.log(names::log(&lives, user_life, store_life)),
        }
    }

    /// Adds a change of the store. One listing and one create; one read more where the log is not empty, and two more each
    /// time that another writer is first.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the end of the log is not as it was written; those of [`Log::create`].
    pub(super) async fn add(&self, name: Option<&str>, note: Note, actor: &Actor) -> Result<Added> {
        let vault = self.vault;
        vault.probe().await?;
        let (mut seq, mut chain) = match self.newest().await? {
            Some(commit) => match commit.closing() {
                Some(closing) => return Ok(Added::Closed(closing, commit.seq)),
                None => (commit.seq, commit.chain),
            },
            None => (0, self.keys.genesis()),
        };
        let change = Change { what: What::Store(note), at_ms: vault.env().clock.now_ms(), actor: actor.clone() };
        let changes = [change];
        loop {
            let sealed = codec::seal(&self.keys, seq + 1, &chain, name, &changes, || vault.env().random())?;
            match self.log.create(vault.env(), &sealed).await? {
                Created::Ours => {
                    self.saw(sealed.seq, sealed.chain).await;
                    return Ok(Added::At(sealed.seq));
                }
                Created::Theirs(bytes) => {
                    // Others may be far ahead by now.
                    let mut next = Some(bytes);
                    while let Some(bytes) = next {
                        let (commit, is_next) = match Commit::open(&self.keys, seq + 1, bytes) {
                            Ok(commit) => (commit, true),
                            // The log may have been closed and emptied: then its end is another one by now.
                            Err(error) => (self.newest().await?.filter(|end| end.seq > seq).ok_or(error)?, false),
                        };
                        if is_next && commit.previous_chain != chain {
                            let what = format!("commit {}", commit.seq);
                            return Err(Error::damaged(what, "it does not follow from the commit before it"));
                        }
                        if let Some(closing) = commit.closing() {
                            return Ok(Added::Closed(closing, commit.seq));
                        }
                        (seq, chain) = (commit.seq, commit.chain);
                        next = self.log.bytes(seq + 1).await?;
                    }
                }
            }
        }
    }

    /// The newest commit, if there is one.
    pub(super) async fn newest(&self) -> Result<Option<Commit>> {
        match self.look().await {
            // The log may have been closed and emptied between the listing and the reading.
            Err(error) if error.is_damage() => self.look().await,
            newest => newest,
        }
    }

    async fn look(&self) -> Result<Option<Commit>> {
        let vault = self.vault;
        let floor = vault.floor(&self.id).await?;
        let lives = names::lives(vault.prefix(), &self.id.user, &self.id.store);
        let (backend, limit) = (vault.backend(), vault.patience().read);
        let head = list::head(backend, limit, &lives).await?.map(|head| head.commit);
        check_head(floor, head.as_ref(), self.user_life)?;
        let here = (self.user_life, self.store_life);
        let newest = match head {
            Some(head) if (head.user_life, head.store_life) == here && !head.is_checkpoint => Some(head.seq),
            // What looks like a newer life says nothing about the end of this one.
            Some(_) => list::newest_commit(backend, limit, &lives, here).await?,
            None => None,
        };
        let Some(seq) = newest else {
            vault.rebase(&self.id, None).await?;
            return Ok(None);
        };
        let missing = || Error::damaged(format!("commit {seq}"), "it was listed and cannot be found");
        let bytes = self.log.bytes(seq).await?.ok_or_else(missing)?;
        let commit = Commit::open(&self.keys, seq, bytes)?;
        let seen = Seen { user_life: self.user_life, store_life: self.store_life, seq, chain: commit.chain };
        if floor.is_some_and(|floor| floor.position() == seen.position() && floor.chain != seen.chain) {
            return Err(rolled_back(format!("commit {seq} is not the one that was seen before")));
        }
        vault.rebase(&self.id, Some(&seen)).await?;
        Ok(Some(commit))
    }

    /// Every commit up to `last`, in order.
    pub(super) fn commits(&self, last: u64) -> impl Stream<Item = Result<Commit>> + Send + '_ {
        self.log.commits(&self.keys, 1..=last)
    }

    async fn saw(&self, seq: u64, chain: ChainValue) {
        let seen = Seen { user_life: self.user_life, store_life: self.store_life, seq, chain };
        if self.vault.raise_floor(&self.id, &seen) {
            self.vault.saw(&self.id, &seen).await;
        }
    }
}
