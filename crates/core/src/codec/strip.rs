//! Stripping: a commit with the same sealed header and less payload, and what is missing from one.

use bytes::Bytes;

use std::ops::Range;

use memoseal_crypto as crypto;

use super::{
    Commit,
    layout::{Reader, to_u32},
};
use crate::{Result, state::VersionId};

/// What is to be taken out of one change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stripping {
    pub(crate) version: VersionId,
    /// Whether the content goes too.
    pub(crate) content: bool,
}

/// A section that the header names and the object does not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    pub(crate) version: VersionId,
    /// Whether it is a content section; a meta section otherwise.
    pub(crate) content: bool,
}

impl Commit {
    /// The object without these sections; nothing if none of them is there any more. The same sections give the same
    /// bytes, whoever takes them out.
    ///
    /// # Errors
    /// [`crate::Error::Damaged`] if a section that stays is not the one that was written: what was read wrong must not be
    /// written back.
    pub(crate) fn stripped(&self, gone: &[Stripping]) -> Result<Option<Bytes>> {
        if !self.holds(gone) {
            return Ok(None);
        }
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let mut stripped = bytes(&(0..self.header_len)).to_vec();
        let mut payload = Vec::new();
        for (index, (change, sections)) in (0..).zip(self.header.changes.iter().zip(&self.sections)) {
            let version = VersionId { seq: self.seq, index };
            let going = gone.iter().find(|stripping| stripping.version == version);
            let meta = if going.is_some() { &[] } else { bytes(&sections.meta) };
            let content = if going.is_some_and(|stripping| stripping.content) { &[] } else { bytes(&sections.content) };
            if !meta.is_empty() {
                self.section(index, "meta", &sections.meta, change.meta)?;
            }
            if !content.is_empty() {
                self.section(index, "content", &sections.content, change.data)?;
            }
            stripped.extend_from_slice(&to_u32(meta.len())?.to_be_bytes());
            stripped.extend_from_slice(&to_u32(content.len())?.to_be_bytes());
            payload.extend_from_slice(meta);
            payload.extend_from_slice(content);
        }
        stripped.extend_from_slice(&payload);
        Ok(Some(stripped.into()))
    }

    /// Whether one of these sections is still there.
    pub(crate) fn holds(&self, gone: &[Stripping]) -> bool {
        gone.iter().any(|stripping| {
            self.sections.get(stripping.version.index as usize).is_some_and(|sections| {
                !sections.meta.is_empty() || (stripping.content && !sections.content.is_empty())
            })
        })
    }

    /// Whether no section is left.
    pub(crate) fn is_bare(&self) -> bool {
        self.sections.iter().all(|sections| sections.meta.is_empty() && sections.content.is_empty())
    }

    /// The sections that were written and are not there.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (index, (change, sections)) in (0..).zip(self.header.changes.iter().zip(&self.sections)) {
            let version = VersionId { seq: self.seq, index };
            if change.meta.is_some() && sections.meta.is_empty() {
                missing.push(Missing { version, content: false });
            }
            if change.data.is_some() && sections.content.is_empty() {
                missing.push(Missing { version, content: true });
            }
        }
        missing
    }
}

/// Of two copies of one commit, what both still hold: the commit without what was taken out of either. Nothing if
/// they are no copies of one commit. Opens nothing, and needs no key.
pub(crate) fn common(a: &Bytes, b: &Bytes) -> Option<Bytes> {
    let (a, b) = (Parts::of(a)?, Parts::of(b)?);
    if a.sealed_header != b.sealed_header || a.sections.len() != b.sections.len() {
        return None;
    }
    let (mut common, mut payload) = (a.sealed_header.to_vec(), Vec::new());
    for (a, b) in a.sections.iter().zip(&b.sections) {
        let section = if a.is_empty() || b.is_empty() { &[] } else { *a };
        if !section.is_empty() && a != b {
            return None;
        }
        common.extend_from_slice(&to_u32(section.len()).ok()?.to_be_bytes());
        payload.extend_from_slice(section);
    }
    common.extend_from_slice(&payload);
    Some(common.into())
}

/// The parts of a commit, as far as they can be told without a key.
struct Parts<'a> {
    sealed_header: &'a [u8],
    sections: Vec<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// Nothing if `bytes` cannot be a commit.
    ///
    /// The number of changes is sealed, but no two numbers of lengths in the table give the length of what follows.
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader { bytes, at: crypto::PRELUDE_LEN };
        reader.array::<{ super::sealed_header::CHAIN_LEN }>()?;
        let header = reader.length()?;
        reader.take(header)?;
        let sealed_header = bytes.get(..reader.at)?;
        let (mut lengths, mut payload) = (Vec::new(), 0_usize);
        while reader.at.checked_add(payload)? < bytes.len() {
            let length = reader.length()?;
            lengths.push(length);
            payload = payload.checked_add(length)?;
        }
        let sections = lengths.into_iter().map(|length| bytes.get(reader.take(length)?)).collect::<Option<_>>()?;
        (reader.at == bytes.len()).then_some(Self { sealed_header, sections })
    }
}
