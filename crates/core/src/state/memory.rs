//! One memory, and the names of its parts.

use std::{fmt, str::FromStr};

use crate::path::MemoryPath;

/// The identity of a memory: random, kept through edits and renames, never used again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub(crate) [u8; 16]);

impl MemoryId {
    /// The identity with these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// A text is not the id of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a memory: it is written as 32 hex digits, as `history --json` shows it")]
pub struct ParseMemoryError;

impl FromStr for MemoryId {
    type Err = ParseMemoryError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = u128::from_str_radix(text, 16).map_err(|_| ParseMemoryError)?;
        let parsed = Self(id.to_be_bytes());
        // One memory has one text: no signs, no capitals, every digit.
        if parsed.to_string() == text { Ok(parsed) } else { Err(ParseMemoryError) }
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The identity of a version: the commit that made it, and its place among that commit's changes, from 0.
///
/// As text it is the two numbers with a dot between them, such as `12.0`. Later versions of a store are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VersionId {
    /// The number of the commit, from 1.
    pub seq: u64,
    /// The place among the changes of that commit, from 0.
    pub index: u32,
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.index)
    }
}

/// A text is not the id of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version: it is written like 12.0, the number of a commit, a dot, and a place in it from 0")]
pub struct ParseVersionError;

impl FromStr for VersionId {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (seq, index) = text.split_once('.').ok_or(ParseVersionError)?;
        let (Ok(seq), Ok(index)) = (seq.parse(), index.parse()) else { return Err(ParseVersionError) };
        let parsed = Self { seq, index };
        // One version has one text: no signs, no zeros in front.
        if seq > 0 && parsed.to_string() == text { Ok(parsed) } else { Err(ParseVersionError) }
    }
}

/// Where the content of a memory lies: the content section of the version that wrote it.
///
/// Versions that only moved a memory share the content of the version before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRef {
    /// The version whose content section holds the bytes.
    pub version: VersionId,
    /// Where the section began when it was last seen, in bytes from the start of the commit: a hint.
    pub(crate) offset: u64,
    /// The length of the sealed section in bytes: a hint, like the offset.
    pub(crate) len: u32,
}

/// A memory as it stands at some commit. Its content lies elsewhere.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Its identity.
    pub id: MemoryId,
    /// Where it stands.
    pub path: MemoryPath,
    /// The size of its content in bytes.
    pub size: u64,
    /// The SHA-256 of its content.
    pub sha256: [u8; 32],
    /// The version that this is.
    pub version: VersionId,
    /// Where its content lies.
    pub content: ContentRef,
    /// When it was created, in milliseconds since the Unix epoch, by the writer's clock.
    pub created_ms: i64,
    /// When it last changed, in milliseconds since the Unix epoch, by the writer's clock.
    pub updated_ms: i64,
    /// The last day on which it is known to have been read, in days since the Unix epoch, by the reader's clock; 0 if
    /// none is known. Reads on the day of the last change are not noted.
    pub used_day: u32,
}

impl Memory {
    /// Whether nobody is known to have read or written it for `days` whole days at `now_ms`.
    pub fn is_unused(&self, days: u32, now_ms: i64) -> bool {
        let span = i64::from(days).saturating_mul(DAY_MS);
        let read_ms = i64::from(self.used_day).saturating_add(1).saturating_mul(DAY_MS);
        let was_read = self.used_day > 0 && now_ms.saturating_sub(read_ms) < span;
        !was_read && now_ms.saturating_sub(self.updated_ms) >= span
    }

    /// Whether a reading on this day says something new.
    pub(crate) fn is_news(&self, day: u32) -> bool {
        self.used_day < day && self.updated_ms.div_euclid(DAY_MS) < i64::from(day)
    }
}

/// The milliseconds of a day.
pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// What is kept of a memory that was deleted, so that it can be found and restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its identity, never used again.
    pub id: MemoryId,
    /// Where it stood.
    pub path: MemoryPath,
    /// Its last version before the deletion.
    pub last: VersionId,
    /// The deletion.
    pub version: VersionId,
    /// When it was deleted, in milliseconds since the Unix epoch, by the writer's clock.
    pub at_ms: i64,
}
