//! Where a memory lies: the rules for paths, in one place.

mod refused;
mod tool;

use std::{cmp::Ordering, fmt, sync::Arc};

pub use self::tool::{MAX_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, PathError, ToolPath};
pub(crate) use self::{
    refused::escaped,
    tool::{PREFIX, shown},
};

/// The resolved path of a memory or a directory inside a store, in NFC, without the tool's prefix: the root is the
/// empty string, everything else starts with `/` and does not end in one (`/notes/today.md`).
///
/// Paths are ordered segment by segment, by bytes, so that what lies under a directory follows it directly.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MemoryPath(Arc<str>);

impl MemoryPath {
    /// The root of a store, `/memories` to the tool.
    pub fn root() -> Self {
        Self("".into())
    }

    /// A path that a commit of ours holds; it was checked before it was sealed.
    pub(crate) fn from_sealed(path: &str) -> Self {
        Self(path.into())
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path without the tool's prefix; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this path lies under `directory`, at any depth. A path does not lie under itself.
    pub fn is_under(&self, directory: &Self) -> bool {
        self.0.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The directory that holds this path; none for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.into()))
    }

    /// Reads a path as the tool writes it.
    ///
    /// # Errors
    /// Why no memory can have this path, in the words that the model would read.
    pub fn parse(given: &str) -> Result<Self, String> {
        crate::command::parse_path(given).map(|path| path.resolved().clone())
    }

    /// What stands directly in `directory` on the way to this path; none if this path does not lie under it.
    pub fn child_under(&self, directory: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(directory.as_str())?.strip_prefix('/')?;
        let name = rest.split('/').next().unwrap_or(rest);
        Some(Self(format!("{}/{name}", directory.as_str()).into()))
    }

    /// The directories that hold this path, the nearest first, without the root.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent).take_while(|path| !path.is_root())
    }

    /// The names from below the root to this path.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').skip(1)
    }

    /// What follows `directory`, one of this path's ancestors, without the slash between them.
    pub(crate) fn below(&self, directory: &Self) -> Option<&str> {
        self.0.strip_prefix(directory.as_str())?.strip_prefix('/')
    }

    /// The last name; empty for the root.
    pub(crate) fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// This path with `from`, one of its ancestors or itself, replaced by `to`.
    pub(crate) fn rebased(&self, from: &Self, to: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(from.as_str())?;
        Some(Self(format!("{}{rest}", to.as_str()).into()))
    }
}

impl Ord for MemoryPath {
    fn cmp(&self, other: &Self) -> Ordering {
        // No segment holds a control character, so `/` as zero sorts a directory's content before its siblings.
        let key = |byte: u8| if byte == b'/' { 0 } else { byte };
        self.0.bytes().map(key).cmp(other.0.bytes().map(key))
    }
}

impl PartialOrd for MemoryPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for MemoryPath {
    /// The path as the tool writes it, with `/memories` in front.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl fmt::Debug for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
