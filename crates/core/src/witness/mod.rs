//! What this machine has seen of a log, kept where whoever has the bucket cannot reach it.
//!
//! Sealing and the chain tell a reader when something in the middle is not as it was written. They cannot tell a log
//! without its newest commits, or a whole older copy, from a log that never had more. A witness can: it remembers the
//! newest commit that was seen, and the chain value there.

mod file;

use std::{fmt, str::FromStr};

use async_trait::async_trait;

pub use self::file::FileWitness;
use crate::Result;

/// Which log: the vault's id and the keyed hashes of user and store. It says nothing about their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId {
    pub(crate) vault: [u8; 16],
    pub(crate) user: [u8; 16],
    pub(crate) store: [u8; 16],
}

impl LogId {
    /// The vault's id.
    pub fn vault(&self) -> [u8; 16] {
        self.vault
    }
}

impl FromStr for LogId {
    type Err = NotALogId;

    /// What [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> std::result::Result<Self, NotALogId> {
        let mut parts = text.split('.').map(|part| memoseal_crypto::from_hex(part.as_bytes()));
        match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some(Some(vault)), Some(Some(user)), Some(Some(store)), None] => Ok(Self { vault, user, store }),
            _ => Err(NotALogId),
        }
    }
}

/// A text that names no log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not three keyed hashes in hex, with dots between")]
pub struct NotALogId;

impl fmt::Display for LogId {
    /// Three keyed hashes or ids in hex, with dots between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = memoseal_crypto::to_hex;
        write!(f, "{}.{}.{}", hex(&self.vault), hex(&self.user), hex(&self.store))
    }
}

/// A commit that was seen, and the chain value there. Ordered by lives and number. A user that was seen destroyed stands
/// above its whole life, with the largest store life and number that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The life of the user.
    pub user_life: u64,
    /// The life of the store.
    pub store_life: u64,
    /// The number of the commit.
    pub seq: u64,
    /// The chain value after it.
    pub chain: [u8; 32],
}

impl Seen {
    /// A life of a user that was destroyed: it stands above everything in that life, and has no chain value.
    pub(crate) fn tombstone(user_life: u64) -> Self {
        Self { user_life, store_life: u64::MAX, seq: u64::MAX, chain: [0; 32] }
    }

    pub(crate) fn is_tombstone(&self) -> bool {
        self.seq == u64::MAX
    }

    pub(crate) fn position(&self) -> (u64, u64, u64) {
        (self.user_life, self.store_life, self.seq)
    }
}

/// Remembers the newest commit that was seen of each log.
///
/// Each machine has its own; none needs to be copied or backed up. A witness that lags behind, or was lost, notices
/// less, and never stops anybody who is right.
#[async_trait]
pub trait HeadWitness: Send + Sync + fmt::Debug {
    /// What was seen of this log, if anything.
    ///
    /// # Errors
    /// If it cannot be read. The log is not opened then: a witness that an attacker can silence is none.
    async fn read(&self, log: &LogId) -> Result<Option<Seen>>;

    /// Notes that `seen` was seen, if it is further than what is noted already.
    ///
    /// # Errors
    /// If it cannot be written; the next call notes more.
    async fn advance(&self, log: &LogId, seen: &Seen) -> Result<()>;

    /// Notes `seen` whatever was noted before, or nothing: after a restore from a backup, on an operator's word.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn rebase(&self, log: &LogId, seen: Option<&Seen>) -> Result<()>;

    /// All logs of the vault of this id of which something is noted, in any order: an inspection misses those that are gone.
    ///
    /// # Errors
    /// If they cannot be listed.
    async fn logs(&self, vault: &[u8; 16]) -> Result<Vec<LogId>>;
}
