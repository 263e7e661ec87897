//! What was: versions of memories, as the log tells them, and pages of them.

use crate::{
    codec::Actor,
    path::MemoryPath,
    scrub::Findings,
    state::{ContentRef, Memory, MemoryId, VersionId},
};

/// The most versions on one page.
pub const MAX_PAGE: usize = 1_000;

/// What a change did to its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// It made it.
    Created,
    /// It gave it another content, or another path.
    Modified,
    /// It deleted it.
    Deleted,
}

impl Operation {
    /// One word: `created`, `modified` or `deleted`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
        }
    }
}

/// The record of one change to one memory, without content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// Its identity.
    pub id: VersionId,
    /// The memory that was changed.
    pub memory: MemoryId,
    /// What was done to it.
    pub operation: Operation,
    /// The version of the same memory before this one; none for the first.
    pub previous: Option<VersionId>,
    /// Where the memory stood afterwards; for a deletion, where it stood until then. None once that has been removed
    /// from the log.
    pub path: Option<MemoryPath>,
    /// The size of its content in bytes; none for a deletion, or once that has been removed.
    pub size: Option<u64>,
    /// The SHA-256 of its content; none where the size is.
    pub sha256: Option<[u8; 32]>,
    /// Where the content lies, if it is still there. A deletion has none.
    pub content: Option<ContentRef>,
    /// When, in milliseconds since the Unix epoch, by the writer's clock.
    pub at_ms: i64,
    /// Who.
    pub actor: Actor,
    /// When and by whom it was redacted, if it was. What it held is none then.
    pub redacted: Option<Redaction>,
    /// What was taken out of the text before it was sealed; this stays, whatever becomes of the content.
    pub findings: Findings,
}

/// That a version was redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redaction {
    /// When, in milliseconds since the Unix epoch, by the writer's clock.
    pub at_ms: i64,
    /// Who.
    pub actor: Actor,
}

impl Version {
    /// Whether the content can be read.
    pub fn has_content(&self) -> bool {
        self.content.is_some()
    }

    /// Takes away what it held.
    pub(crate) fn forget(&mut self) {
        (self.path, self.size, self.sha256, self.content) = (None, None, None, None);
    }

    /// The memory as this version left it, if all of that is still there.
    pub(crate) fn as_memory(&self) -> Option<Memory> {
        Some(Memory {
            id: self.memory,
            path: self.path.clone()?,
            size: self.size?,
            sha256: self.sha256?,
            version: self.id,
            content: self.content?,
            created_ms: self.at_ms,
            updated_ms: self.at_ms,
            used_day: 0,
        })
    }
}

/// Which versions to list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HistoryQuery {
    /// Those of one memory: the one that stands at this path or, if none does, the last one that was deleted there.
    /// Not together with `memory`.
    pub path: Option<MemoryPath>,
    /// Those of this memory, wherever it stands or stood.
    pub memory: Option<MemoryId>,
    /// Only what was done at this time or later, in milliseconds since the Unix epoch.
    ///
    /// Times are those of the writers' clocks. The log is read back until it is an hour older than asked, so that
    /// clocks may be apart by that much.
    pub since_ms: Option<i64>,
    /// Only what came before this version: a page's [`HistoryPage::next`], or any version's id.
    pub before: Option<VersionId>,
    /// Only who, when and what was done: no paths, sizes and contents. Then a page of the whole store costs few requests,
    /// however much is on it: what 256 commits say of this lies in one object.
    pub audit: bool,
    /// The most versions on the page, at least 1 and at most [`MAX_PAGE`]; default 100.
    pub limit: usize,
}

impl Default for HistoryQuery {
    fn default() -> Self {
        Self { path: None, memory: None, since_ms: None, before: None, audit: false, limit: 100 }
    }
}

/// A page of history.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HistoryPage {
    /// The newest first.
    pub versions: Vec<Version>,
    /// Ask for [`HistoryQuery::before`] this to get the next page; none on the last one.
    pub next: Option<VersionId>,
}
