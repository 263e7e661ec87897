//! What commits and checkpoints have in common: a prelude in the clear, a sealed header of JSON, sections after it.

use std::ops::Range;

use memoseal_crypto as crypto;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Error, Result};

/// A user key never leaves its keyring, so in this format it has one epoch.
pub(super) const USER_KEY_EPOCH: u32 = 1;

/// The context of a header, with the prelude, so that what stands in the clear is authenticated too.
pub(super) fn header_info(mut context: Vec<u8>, prelude: &[u8]) -> Vec<u8> {
    context.extend_from_slice(&(prelude.len() as u32).to_be_bytes());
    context.extend_from_slice(prelude);
    context
}

pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Invalid(format!("cannot be written as JSON: {error}")))
}

pub(super) fn from_json<T: DeserializeOwned>(padded: &[u8]) -> Option<T> {
    serde_json::from_slice(crypto::unpad(padded).ok()?).ok()
}

pub(super) fn to_u32(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| Error::Invalid("a commit of more than 4 GiB cannot be written".into()))
}

/// Reads forward through bytes that nobody vouches for.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Reader<'_> {
    pub(super) fn take(&mut self, len: usize) -> Option<Range<usize>> {
        let end = self.at.checked_add(len).filter(|end| *end <= self.bytes.len())?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let range = self.take(N)?;
        self.bytes.get(range)?.first_chunk().copied()
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        self.array().map(|bytes| u32::from_be_bytes(bytes) as usize)
    }
}
