//! Adding a change of the store to the end of a log without reading what the log amounts to: a catalogue's entries, and
//! the last commit of a log that is closed.

use std::sync::Arc;

use futures_util::Stream;
use memoseal_crypto::Keyring;

use super::{Vault, opening::check_head};
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
    /// [`Error::Damaged`] if the end of the log is not as it was written; [`Error::NotFound`] if there is a newer life of
    /// it; those of [`Log::create`].
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
                        let commit = match Commit::open(&self.keys, seq + 1, bytes) {
                            Ok(commit) => commit,
                            // It may have been closed and emptied: then the end is another one by now.
                            Err(error) => self.newest().await?.filter(|end| end.seq > seq + 1).ok_or(error)?,
                        };
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
        let mut before = None;
        loop {
            let (head, found) = self.look().await?;
            match found {
                // It may have been emptied since it was listed.
                Err(_) if before != Some(head) => before = Some(head),
                found => return found,
            }
        }
    }

    /// The number of the newest commit, and what is found there.
    async fn look(&self) -> Result<(u64, Result<Option<Commit>>)> {
        let vault = self.vault;
        let floor = vault.floor(&self.id).await?;
        let lives = names::lives(vault.prefix(), &self.id.user, &self.id.store);
        let head = list::head(vault.backend(), vault.patience().read, &lives).await?;
        check_head(floor, head.as_ref().map(|head| &head.commit), self.user_life)?;
        let here = (self.user_life, self.store_life);
        if head.as_ref().is_some_and(|head| (head.commit.user_life, head.commit.store_life) > here) {
            let (what, hint) = ("this life of the log".into(), "it was destroyed, and a newer one is there".into());
            return Err(Error::NotFound { what, hint });
        }
        let Some(head) = head.map(|head| head.commit).filter(|head| (head.user_life, head.store_life) == here) else {
            return Ok((0, Ok(None)));
        };
        let missing = || Error::damaged(format!("commit {}", head.seq), "it was listed and cannot be found");
        let bytes = self.log.bytes(head.seq).await?;
        let found = bytes.ok_or_else(missing).and_then(|bytes| Commit::open(&self.keys, head.seq, bytes));
        Ok((head.seq, found.map(Some)))
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
