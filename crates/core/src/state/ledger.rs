//! What a store's log says about the store itself: how long it keeps what was replaced, and what of it has to go.

use std::collections::BTreeMap;

use super::{MemoryId, VersionId};
use crate::scrub::Policy;

/// How long a store keeps versions that were replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retention {
    /// So many days by the store's own clock, counted from the change that replaced the version. 0 removes it at the
    /// next maintenance.
    Days(u32),
    /// For good.
    Forever,
}

impl Retention {
    /// The days; none for good.
    pub fn days(self) -> Option<u32> {
        match self {
            Self::Days(days) => Some(days),
            Self::Forever => None,
        }
    }

    pub(crate) fn of_days(days: Option<u32>) -> Self {
        days.map_or(Self::Forever, Self::Days)
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self::Days(30)
    }
}

/// Versions whose sections go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removal {
    /// These lose every section that they have of their own.
    pub(crate) gone: Vec<VersionId>,
    /// These lose their meta section and keep their content for now: a later version shares it.
    pub(crate) bare: Vec<VersionId>,
}

impl Removal {
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.bare.is_empty()
    }

    /// Each version, and whether its content goes too.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (VersionId, bool)> {
        self.bare.iter().map(|id| (*id, false)).chain(self.gone.iter().map(|id| (*id, true)))
    }
}

/// What goes when a log is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// This store alone.
    Store,
    /// Its user, with every store.
    User,
}

/// A change of the store, not of one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Somebody removed these.
    Redacted(Removal),
    /// What was replaced by the changes of every commit up to this one is too old.
    Expired { upto: u64, removal: Removal },
    /// From now on the store keeps what was replaced for so long.
    Retention(Retention),
    /// From now on this is taken out of what is written.
    Scrub(Policy),
    /// Somebody looked whether the sections of these are really gone, at this time of the store's clock, and they were.
    Looked { clean: Vec<VersionId>, done: Vec<VersionId>, clock_ms: i64 },
    /// Nothing comes after this: the store was destroyed, or its user was.
    Closed(Closing),
    /// In a catalogue: the store with this keyed hash is about to be made, for this life.
    Entered { store: [u8; 16], life: u64 },
    /// These were read on this day, in days since the Unix epoch.
    Used { day: u32, memories: Vec<MemoryId> },
}

/// A version whose removed sections may come back, or may not have been stripped yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Whether its content is to go too.
    pub(crate) content: bool,
    /// Whether its meta section was to go before its content was: an overwrite for the first may carry the second back.
    pub(crate) twice: bool,
    /// When it was first found clean, by the store's clock.
    pub(crate) clean_ms: Option<i64>,
}

/// What the log says about the store itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    pub(crate) retention: Retention,
    /// What is taken out of what is written, where the log says it.
    pub(crate) scrub: Option<Policy>,
    /// The changes of commits up to this one have been looked at for what they replaced.
    pub(crate) expired: u64,
    /// Each redacted version, and the change that redacted it.
    pub(crate) redacted: BTreeMap<VersionId, VersionId>,
    /// What has still to be looked at.
    pub(crate) pending: BTreeMap<VersionId, Pending>,
    /// The newest commit that removed something; 0 if none did.
    pub(crate) newest_removal: u64,
    /// Whether the log has ended, and what goes.
    pub(crate) closed: Option<Closing>,
}

impl Ledger {
    /// Applies what change `by` says.
    pub(super) fn apply(&mut self, note: &Note, by: VersionId) {
        match note {
            Note::Redacted(removal) => {
                for (id, _) in removal.versions() {
                    self.redacted.entry(id).or_insert(by);
                }
                self.remove(removal, by);
            }
            Note::Expired { upto, removal } => {
                self.expired = self.expired.max(*upto);
                self.remove(removal, by);
            }
            Note::Retention(retention) => self.retention = *retention,
            Note::Scrub(policy) => self.scrub = Some(policy.clone()),
            // It is the memories' own.
            Note::Used { .. } => {}
            Note::Looked { clean, done, clock_ms } => {
                for id in clean {
                    if let Some(pending) = self.pending.get_mut(id) {
                        pending.clean_ms.get_or_insert(*clock_ms);
                    }
                }
                for id in done {
                    self.pending.remove(id);
                }
            }
            Note::Closed(closing) => self.closed = Some(*closing),
            // A catalogue is read for its entries alone; see `destroy`.
            Note::Entered { .. } => {}
        }
    }

    fn remove(&mut self, removal: &Removal, by: VersionId) {
        if !removal.is_empty() {
            self.newest_removal = self.newest_removal.max(by.seq);
        }
        for (id, content) in removal.versions() {
            let before = self.pending.get(&id).copied();
            let twice = before.is_some_and(|before| before.twice || before.content != content);
            let content = content || before.is_some_and(|before| before.content);
            self.pending.insert(id, Pending { content, twice, clean_ms: None });
        }
    }

    /// The pending versions of one commit.
    pub(crate) fn pending_in(&self, seq: u64) -> impl Iterator<Item = (VersionId, Pending)> {
        let bounds = VersionId { seq, index: 0 }..=VersionId { seq, index: u32::MAX };
        self.pending.range(bounds).map(|(id, pending)| (*id, *pending))
    }
}
