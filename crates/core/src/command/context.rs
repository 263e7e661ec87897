//! What a command works with, and how it stops early.

use std::sync::Arc;

use bytes::Bytes;

use super::{Contents, Edit, Limits, NeedsContent, Outcome, Reply, text};
use crate::{
    history::Version,
    path::{MemoryPath, ToolPath},
    scrub::{Finding, Scrubbing},
    state::{Memory, Overlay, VersionId},
};

/// Everything that a command may look at.
pub(super) struct Context<'a> {
    pub(super) tree: &'a Overlay<'a>,
    pub(super) limits: &'a Limits,
    pub(super) contents: &'a dyn Contents,
    pub(super) scrubbing: &'a Scrubbing,
}

/// Why a command ends without an outcome of its own.
#[derive(Debug)]
pub(super) enum Stop {
    /// It cannot be decided without this content.
    Needs(NeedsContent),
    /// It failed, with this text for the model.
    Failed(String),
}

pub(super) type Step<T> = Result<T, Stop>;

/// Ends the command with this text for the model.
pub(super) fn fail<T>(text: String) -> Step<T> {
    Err(Stop::Failed(text))
}

/// The checked form of a path that the tool gave.
pub(super) fn tool_path(given: &str) -> Step<ToolPath> {
    ToolPath::parse(given).map_err(|error| Stop::Failed(text::bad_path(given, error)))
}

impl Outcome {
    pub(super) fn text(text: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { reply: Reply::Text(text.into()), edits, found: Vec::new() }
    }

    /// The same, where one of the edits writes what was scrubbed.
    pub(super) fn scrubbed(text: impl Into<String>, edits: Vec<Edit>, found: Vec<Finding>) -> Self {
        Self { found, ..Self::text(text, edits) }
    }
}

impl<'a> Context<'a> {
    /// The file at `path`.
    pub(super) fn file(&self, path: &MemoryPath) -> Option<&'a Arc<Memory>> {
        self.tree.get(path)
    }

    /// What is in `memory`.
    pub(super) fn content(&self, memory: &Memory) -> Step<Bytes> {
        self.contents.get(memory).ok_or(Stop::Needs(NeedsContent::Of(memory.content)))
    }

    /// The record of a version, or nothing if there is no such version.
    pub(super) fn version(&self, id: VersionId) -> Step<Option<Version>> {
        self.contents.version(id).ok_or(Stop::Needs(NeedsContent::Version(id)))
    }

    /// Fails if `path`, where nothing stands yet, lies below a file.
    pub(super) fn check_not_below_file(&self, path: &ToolPath) -> Step<()> {
        match path.resolved().ancestors().find(|above| self.file(above).is_some()) {
            Some(file) => fail(text::below_a_file(path, &file)),
            None => Ok(()),
        }
    }

    /// Fails if the store has no room for one file more.
    pub(super) fn check_files(&self) -> Step<()> {
        if self.tree.files() < self.limits.files { Ok(()) } else { fail(text::too_many_files(self.limits.files)) }
    }

    /// Fails if a file that goes from `before` to `after` bytes makes the store too large.
    ///
    /// What makes a store smaller is allowed in any case: a store may be too large because its limit was lowered.
    pub(super) fn check_store_bytes(&self, before: u64, after: u64) -> Step<()> {
        let bytes = self.tree.bytes().saturating_sub(before).saturating_add(after);
        if after > before && bytes > self.limits.store_bytes {
            return fail(text::store_too_large(bytes, self.limits.store_bytes));
        }
        Ok(())
    }
}
