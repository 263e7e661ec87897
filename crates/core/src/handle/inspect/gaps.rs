//! What is missing in a log, and whether the log says so: lawful gaps and others.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    codec::{Commit, Missing},
    state::{Note, Replay, VersionId},
};

/// What is missing in a log, and what may be.
#[derive(Default)]
pub(super) struct Gaps {
    missing: Vec<Missing>,
    /// Versions that were removed, and whether their content was too.
    removed: BTreeMap<VersionId, bool>,
    /// The same, by version: what is missing of it, content or record.
    missing_of: BTreeSet<(VersionId, bool)>,
    /// The versions that have no content of their own.
    without_content: BTreeSet<VersionId>,
    /// The versions that have a content of their own, and it is there.
    contents: BTreeSet<VersionId>,
}

impl Gaps {
    pub(super) fn look(&mut self, commit: &Commit) {
        let missing = commit.missing();
        let lost: BTreeSet<_> =
            missing.iter().filter(|missing| missing.content).map(|missing| missing.version).collect();
        let written = commit.with_content().map(|index| VersionId { seq: commit.seq, index });
        self.contents.extend(written.filter(|id| !lost.contains(id)));
        self.missing_of.extend(missing.iter().map(|missing| (missing.version, missing.content)));
        self.missing.extend(missing);
        self.without_content.extend(commit.links().into_iter().filter(|link| link.is_move).map(|link| link.version));
    }

    /// Whether the content of this version is there.
    pub(super) fn holds(&self, id: VersionId) -> bool {
        self.contents.contains(&id)
    }

    /// What was removed and is there: the version, and whether it is its content or its record.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (VersionId, bool)> {
        self.removed.iter().flat_map(|(id, content)| {
            let content = *content && !self.without_content.contains(id);
            let parts = [Some((*id, false)), content.then_some((*id, true))];
            parts.into_iter().flatten().filter(|part| !self.missing_of.contains(part))
        })
    }

    pub(super) fn note(&mut self, change: &Replay) {
        if let Replay::Note { note: Note::Redacted(removal) | Note::Expired { removal, .. }, .. } = change {
            for (id, content) in removal.versions() {
                *self.removed.entry(id).or_default() |= content;
            }
        }
    }

    /// What is missing and was not removed.
    pub(super) fn unlawful(&self) -> impl Iterator<Item = &Missing> {
        self.missing
            .iter()
            .filter(|missing| self.removed.get(&missing.version).is_none_or(|content| missing.content && !content))
    }
}

pub(super) fn name_of(content: bool) -> &'static str {
    if content { "the content" } else { "the record" }
}
