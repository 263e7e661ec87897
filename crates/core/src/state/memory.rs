//! One memory, and the names of its parts.

use std::fmt;

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

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The identity of a version: the commit that made it, and its place among that commit's changes, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VersionId {
    /// The number of the commit, from 1.
    pub seq: u64,
    /// The place among the changes of that commit, from 0.
    pub index: u32,
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
}
