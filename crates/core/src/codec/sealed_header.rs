//! The sealed header of a commit, opened: who changed what and when, and how it hangs together with what came before.
//!
//! It never changes. It is the first part of every commit, and blocks of history hold it without the rest.

use memoseal_crypto::{self as crypto, Kind, Prelude, PreludeError};

use super::{
    Actor, Chain, ChainValue, StoreKeys,
    base64::Base64,
    header::{Header, HeaderChange, Op},
    layout::{Reader, from_json, header_info},
};
use crate::{
    Error, Result,
    history::Version,
    state::{MemoryId, VersionId},
};

pub(super) const CHAIN_LEN: usize = 32;

/// An opened header.
#[derive(Debug)]
pub(crate) struct SealedHeader {
    pub(crate) seq: u64,
    pub(crate) previous_chain: ChainValue,
    pub(crate) chain: ChainValue,
    /// The length of the sealed header, prelude and all.
    pub(super) header_len: usize,
    pub(super) salt: [u8; crypto::SALT_LEN],
    pub(super) header: Header,
}

/// How a version hangs together with the one before it. All of it stands in the header, which is never stripped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionLink {
    pub(crate) version: VersionId,
    pub(crate) memory: MemoryId,
    pub(crate) previous: Option<VersionId>,
    pub(crate) is_deletion: bool,
    /// Whether it shares the content of the version before.
    pub(crate) is_move: bool,
}

impl SealedHeader {
    /// Opens the header of commit `seq` with which `bytes` begin.
    ///
    /// # Errors
    /// [`Error::NewerFormat`], or [`Error::Damaged`] if any byte of it is not as written.
    pub(crate) fn open(keys: &StoreKeys, seq: u64, bytes: &[u8]) -> Result<Self> {
        let what = format!("commit {seq}");
        let damaged = |problem: &str| Error::damaged(&what, problem);
        let newer = || Error::NewerFormat { what: what.clone() };
        Prelude::parse_kind(bytes, Kind::Commit).map_err(|error| match error {
            PreludeError::NewerFormat { .. } => newer(),
            _ => damaged("this is not a commit"),
        })?;
        let mut reader = Reader { bytes, at: crypto::PRELUDE_LEN };
        let truncated = || damaged("the object ends too early");
        let previous_chain: ChainValue = reader.array::<CHAIN_LEN>().ok_or_else(truncated)?;
        let sealed_len = reader.length().ok_or_else(truncated)?;
        let info =
            header_info(keys.context(Kind::Commit, seq, 0).encode(), bytes.get(..reader.at).ok_or_else(truncated)?);
        let sealed = reader.take(sealed_len).ok_or_else(truncated)?;
        let sealed = bytes.get(sealed).ok_or_else(truncated)?;
        let salt = sealed.first_chunk().copied().ok_or_else(truncated)?;
        let padded = crypto::open(keys.keyring().key(), &info, sealed)
            .map_err(|_| damaged("the header does not open: it was changed, or belongs elsewhere"))?;
        let header: Header = from_json(&padded).ok_or_else(|| damaged("the header cannot be read"))?;
        if header.changes.iter().any(|change| change.op == Op::Unknown) {
            return Err(newer());
        }
        if header.seq != seq {
            return Err(damaged("the header names another number"));
        }
        if header.changes.iter().any(|change| change.mem.is_none() && change.op.operation().is_some()) {
            return Err(damaged("the header cannot be read"));
        }
        let header_len = reader.at;
        let chain = Chain::link(&previous_chain, bytes.get(..header_len).ok_or_else(truncated)?);
        Ok(Self { seq, previous_chain, chain, header_len, salt, header })
    }

    /// The name of the store, in commit 1.
    pub(crate) fn store_name(&self) -> Option<&str> {
        self.header.store.as_deref()
    }

    /// The number of changes.
    pub(crate) fn changes(&self) -> usize {
        self.header.changes.len()
    }

    /// How many values were taken out of what its changes wrote.
    pub(crate) fn taken_out(&self) -> u64 {
        self.header.changes.iter().map(|change| change.findings().count()).sum()
    }

    /// What the header alone tells of the version that change `index` made: neither path nor content. Nothing if there
    /// is no such change of a memory.
    pub(crate) fn record(&self, index: u32) -> Result<Option<Version>> {
        let Some(change) = self.header.changes.get(index as usize) else { return Ok(None) };
        let Some(Base64(memory)) = change.mem else { return Ok(None) };
        Ok(Some(Version {
            id: VersionId { seq: self.seq, index },
            memory: MemoryId(memory),
            operation: change.op.operation().ok_or_else(|| self.newer())?,
            previous: change.prev.map(|previous| previous.0),
            path: None,
            size: None,
            sha256: None,
            content: None,
            at_ms: change.at.unwrap_or(self.header.at),
            actor: self.actor(change),
            redacted: None,
            findings: change.findings(),
        }))
    }

    fn actor(&self, change: &HeaderChange) -> Actor {
        self.header.actors.get(change.by as usize).cloned().unwrap_or(Actor::Unknown)
    }

    /// When change `index` was made, and by whom.
    pub(crate) fn audit(&self, index: u32) -> Option<(i64, Actor)> {
        let change = self.header.changes.get(index as usize)?;
        Some((change.at.unwrap_or(self.header.at), self.actor(change)))
    }

    /// The versions that this commit made, in order, each with its time.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = (VersionId, i64)> {
        let (seq, at_ms) = (self.seq, self.header.at);
        let changes = self.header.changes.iter().enumerate().filter(|(_, change)| change.mem.is_some());
        changes.filter_map(move |(index, change)| {
            Some((VersionId { seq, index: u32::try_from(index).ok()? }, change.at.unwrap_or(at_ms)))
        })
    }

    /// The versions of one memory that this commit made, in order, each with the version before it.
    pub(crate) fn versions_of(&self, memory: MemoryId) -> impl Iterator<Item = (VersionId, Option<VersionId>)> {
        let seq = self.seq;
        (0..)
            .zip(&self.header.changes)
            .filter(move |(_, change)| change.mem.is_some_and(|id| id.0 == memory.0))
            .map(move |(index, change)| (VersionId { seq, index }, change.prev.map(|previous| previous.0)))
    }

    /// For each change of a memory: its version, the one before it, and whether it moved the memory and so shares the
    /// content of the one before.
    pub(crate) fn links(&self) -> Vec<VersionLink> {
        let links = (0..).zip(&self.header.changes);
        links
            .filter_map(|(index, change)| Some((index, change, MemoryId(change.mem?.0))))
            .map(|(index, change, memory)| VersionLink {
                memory,
                version: VersionId { seq: self.seq, index },
                previous: change.prev.map(|previous| previous.0),
                is_deletion: change.op == Op::Deleted,
                is_move: change.meta.is_some() && change.data.is_none(),
            })
            .collect()
    }

    pub(super) fn newer(&self) -> Error {
        Error::NewerFormat { what: format!("commit {}", self.seq) }
    }
}
