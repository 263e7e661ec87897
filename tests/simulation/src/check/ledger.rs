//! All versions of all memories, and how they hang together.

use std::collections::BTreeMap;

use memoseal_core::{
    Operation,
    state::{MemoryId, VersionId},
};

use crate::observe::{Commit, Seen};

/// A version, and what came after it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The change that made it.
    pub seen: Seen,
    /// When that landed, among all events; 0 for the template's.
    pub event: u64,
    /// The version of the same memory after it, and when it landed: event and milliseconds.
    pub next: Option<(VersionId, u64, i64)>,
}

/// All versions.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// By number.
    pub versions: BTreeMap<VersionId, Entry>,
}

impl Ledger {
    /// The versions of these commits.
    pub fn new(before: &[Commit], commits: &[Commit]) -> Self {
        let mut ledger = Self::default();
        let mut newest: BTreeMap<MemoryId, VersionId> = BTreeMap::new();
        let all = before.iter().map(|commit| (0, commit)).chain(commits.iter().map(|commit| (commit.event, commit)));
        for (event, commit) in all {
            for seen in &commit.changes {
                if let Some(before) = newest.insert(seen.memory, seen.id)
                    && let Some(entry) = ledger.versions.get_mut(&before)
                {
                    entry.next = Some((seen.id, event, commit.at_ms));
                }
                ledger.versions.insert(seen.id, Entry { seen: seen.clone(), event, next: None });
            }
        }
        ledger
    }

    /// The versions that a restore of `path` may mean just before version `at`: the one before the last change of what
    /// stands there, or the last of what was deleted there.
    pub fn restorable(&self, path: &str, at: VersionId) -> Vec<&Entry> {
        let known: Vec<&Entry> = self.versions.range(..at).map(|(_, entry)| entry).collect();
        let is_newest = |entry: &Entry| entry.next.is_none_or(|(next, ..)| next >= at);
        let before = |entry: &&Entry| entry.seen.previous.and_then(|previous| self.versions.get(&previous));
        let ends = known.iter().copied().filter(|entry| is_newest(entry) && entry.seen.path == path);
        ends.filter_map(|entry| before(&entry)).collect()
    }

    /// Whether this version holds a content that it shares with none before it.
    pub fn has_own_content(entry: &Entry) -> bool {
        entry.seen.operation != Operation::Deleted && entry.seen.holder == Some(entry.seen.id)
    }
}
