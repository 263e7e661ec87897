//! A block of history: the sealed headers of 256 commits in one object.
//!
//! ```text
//! prelude        magic, format, kind, key epoch       in the clear
//! headers        256 sealed headers, one after another, as they stand in their commits
//! ```
//!
//! Nothing in it is sealed anew, so it has the same bytes whoever writes it. It needs no seal of its own: each header
//! opens only at its own number of its own log, names the chain value of the one before it, and the last is compared
//! with what the log says.

use std::sync::Arc;

use bytes::Bytes;
use memoseal_crypto::{self as crypto, Kind, Prelude, PreludeError};

use super::{ChainValue, SealedHeader, StoreKeys, layout::USER_KEY_EPOCH};
use crate::{Error, Result};

/// How many commits make a block.
pub(crate) const COMMITS: u64 = 256;

/// The largest block in bytes. Commits whose headers weigh more have none; they are read one by one.
pub(crate) const MAX_BLOCK: u64 = 64 * 1024 * 1024;

/// A block whose headers were opened.
#[derive(Debug)]
pub(crate) struct Block {
    headers: Vec<Arc<SealedHeader>>,
}

impl Block {
    /// The block in which commit `seq` belongs; blocks are numbered from 1.
    pub(crate) fn of(seq: u64) -> u64 {
        seq.div_ceil(COMMITS)
    }

    /// The first and the last commit of block `number`.
    pub(crate) fn range(number: u64) -> (u64, u64) {
        let last = number.saturating_mul(COMMITS);
        (last.saturating_sub(COMMITS - 1), last)
    }

    /// The block in which commit `seq` is the last, if it is the last of one.
    pub(crate) fn filled_by(seq: u64) -> Option<u64> {
        (seq > 0 && seq.is_multiple_of(COMMITS)).then_some(seq / COMMITS)
    }

    /// The bytes of the block of these sealed headers; nothing if they are too large for one.
    pub(crate) fn write<'a>(headers: impl Iterator<Item = &'a [u8]>) -> Option<Bytes> {
        let mut bytes = Prelude { kind: Kind::History, epoch: USER_KEY_EPOCH }.to_bytes().to_vec();
        for header in headers {
            bytes.extend_from_slice(header);
            if bytes.len() as u64 > MAX_BLOCK {
                return None;
            }
        }
        Some(bytes.into())
    }

    /// Opens the block that was found under the name of `number`. The caller compares [`Block::chain`] with the log.
    ///
    /// # Errors
    /// [`Error::NewerFormat`], or [`Error::Damaged`] if any byte is not as written, or the headers do not follow from
    /// one another.
    pub(crate) fn open(keys: &StoreKeys, number: u64, bytes: &[u8]) -> Result<Self> {
        let what = format!("block {number} of the history");
        let damaged = |problem: &str| Error::damaged(&what, problem);
        Prelude::parse_kind(bytes, Kind::History).map_err(|error| match error {
            PreludeError::NewerFormat { .. } => Error::NewerFormat { what: what.clone() },
            _ => damaged("this is not a block of history"),
        })?;
        if bytes.get(..crypto::PRELUDE_LEN)
            != Some(&Prelude { kind: Kind::History, epoch: USER_KEY_EPOCH }.to_bytes()[..])
        {
            return Err(damaged("this is not a block of history"));
        }
        let (first, last) = Self::range(number);
        let mut at = crypto::PRELUDE_LEN;
        let mut headers: Vec<Arc<SealedHeader>> = Vec::new();
        for seq in first..=last {
            let header = SealedHeader::open(keys, seq, bytes.get(at..).unwrap_or_default()).map_err(|error| {
                let Error::Damaged { problem, .. } = error else { return error };
                Error::damaged(&what, format!("the header of commit {seq}: {problem}"))
            })?;
            at = at.saturating_add(header.header_len);
            if headers.last().is_some_and(|before| before.chain != header.previous_chain) {
                return Err(damaged("its headers do not follow from one another"));
            }
            headers.push(Arc::new(header));
        }
        if at != bytes.len() {
            return Err(damaged("bytes follow the last header"));
        }
        Ok(Self { headers })
    }

    /// The chain value after its last commit.
    pub(crate) fn chain(&self) -> Option<ChainValue> {
        self.headers.last().map(|header| header.chain)
    }

    /// The header of commit `seq`, if it is one of this block.
    pub(crate) fn header(&self, seq: u64) -> Option<&Arc<SealedHeader>> {
        let first = self.headers.first()?.seq;
        self.headers.get(usize::try_from(seq.checked_sub(first)?).ok()?)
    }
}
