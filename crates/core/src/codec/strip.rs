//! Stripping: a commit with the same sealed header and less payload, and what is missing from one.

use bytes::Bytes;

use super::{Commit, layout::to_u32};
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
        let bytes = |range: &std::ops::Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
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
