//! The tree of memories at one commit: what the log amounts to.

mod ledger;
mod memory;
mod overlay;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Bound,
    sync::Arc,
};

pub use self::{
    ledger::Retention,
    memory::{ContentRef, Deleted, Memory, MemoryId, ParseMemoryError, ParseVersionError, VersionId},
    overlay::Overlay,
};
pub(crate) use self::{
    ledger::{Closing, Ledger, Note, Pending, Removal},
    memory::DAY_MS,
};
use crate::{path::MemoryPath, scrub::Policy};

/// What one change of a commit does to a state.
#[derive(Clone, Debug)]
pub(crate) enum Replay {
    /// A memory stands like this from now on.
    Set(Memory),
    /// A memory is gone, by this version; `previous` was its last.
    Remove { id: MemoryId, previous: Option<VersionId>, version: VersionId, at_ms: i64 },
    /// A memory was changed by this version, whose record has been removed since.
    Skip { id: MemoryId, version: VersionId, at_ms: i64 },
    /// Something about the store itself.
    Note { note: Note, by: VersionId },
}

/// All memories of a store at one commit.
///
/// Kept by id, because replay may meet two memories at one path for a while (a rename between them may have been
/// stripped); the index by path is right again at the head of the log, where every path is taken once.
#[derive(Debug, Default)]
pub struct State {
    by_id: HashMap<MemoryId, Arc<Memory>>,
    by_path: BTreeMap<MemoryPath, Arc<Memory>>,
    bytes: u64,
    /// In the order of deletions. A sequence without indexes: it is looked through for what a person asks for, seldom,
    /// and most records are passed over by the length of their path alone.
    deleted: Vec<Deleted>,
    /// Memories whose last change was skipped. At the head of the log there are none: what stands has its record.
    skipped: HashMap<MemoryId, Skipped>,
    ledger: Ledger,
}

/// A memory of which the last known change was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// That change.
    pub(crate) version: VersionId,
    /// When the memory was created, as far as can be told.
    pub(crate) born_ms: i64,
    /// The last day on which it is known to have been read.
    pub(crate) used_day: u32,
}

impl State {
    /// The number of memories.
    pub fn files(&self) -> usize {
        self.by_id.len()
    }

    /// The size of all current content, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory at exactly this path.
    pub fn get(&self, path: &MemoryPath) -> Option<&Arc<Memory>> {
        self.by_path.get(path)
    }

    /// The memory with this identity.
    pub fn get_id(&self, id: MemoryId) -> Option<&Arc<Memory>> {
        self.by_id.get(&id)
    }

    /// The last known version of a memory that stands, whether its record is still there or not.
    pub(crate) fn version_of(&self, id: MemoryId) -> Option<VersionId> {
        let skipped = self.skipped.get(&id).map(|skipped| skipped.version);
        skipped.or_else(|| self.by_id.get(&id).map(|memory| memory.version))
    }

    /// Every memory, in the order of paths.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Memory>> {
        self.by_path.values()
    }

    /// Every memory under `directory`, at any depth, in the order of paths.
    pub fn under(&self, directory: &MemoryPath) -> impl Iterator<Item = &Arc<Memory>> {
        let bounds = (Bound::Excluded(directory.clone()), Bound::Unbounded);
        let directory = directory.clone();
        self.by_path.range(bounds).take_while(move |(path, _)| path.is_under(&directory)).map(|(_, memory)| memory)
    }

    /// Whether both hold the same memories at the same versions. Hints do not count.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let same = |a: &Memory, b: &Memory| {
            (a.id, &a.path, a.size, a.sha256, a.version) == (b.id, &b.path, b.size, b.sha256, b.version)
                && (a.content.version, a.created_ms, a.updated_ms, a.used_day)
                    == (b.content.version, b.created_ms, b.updated_ms, b.used_day)
        };
        self.files() == other.files()
            && self.iter().zip(other.iter()).all(|(a, b)| same(a, b))
            && self.deleted == other.deleted
            && self.ledger == other.ledger
    }

    /// How long versions that were replaced are kept.
    pub fn retention(&self) -> Retention {
        self.ledger.retention
    }

    /// What is taken out of what is written, where the store's log says it.
    pub fn scrub_policy(&self) -> Option<&Policy> {
        self.ledger.scrub.as_ref()
    }

    /// What the log says about the store itself.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether the last known change of some memory was skipped, which can only be behind the head.
    pub(crate) fn has_skipped(&self) -> bool {
        !self.skipped.is_empty()
    }

    /// The memories whose last change was skipped.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (MemoryId, Skipped)> {
        self.skipped.iter().map(|(id, skipped)| (*id, *skipped))
    }

    /// Every memory, in no order: while something is skipped, two may stand at one path.
    pub(crate) fn memories(&self) -> impl Iterator<Item = &Arc<Memory>> {
        self.by_id.values()
    }

    /// The deleted memories that are still on record, in the order in which they were deleted.
    pub fn deleted(&self) -> impl DoubleEndedIterator<Item = &Deleted> {
        self.deleted.iter()
    }

    /// The memory that was the last to be deleted at this path.
    pub fn deleted_at(&self, path: &MemoryPath) -> Option<&Deleted> {
        self.deleted().rfind(|deleted| deleted.path == *path)
    }

    /// The deleted memory with this identity.
    pub fn deleted_id(&self, id: MemoryId) -> Option<&Deleted> {
        self.deleted().rfind(|deleted| deleted.id == id)
    }

    /// The memory that this version deleted.
    pub fn deleted_by(&self, version: VersionId) -> Option<&Deleted> {
        let at = self.deleted.binary_search_by_key(&version, |deleted| deleted.version).ok()?;
        self.deleted.get(at)
    }

    /// The same state with these records of deleted memories, in the order in which they were deleted.
    pub(crate) fn with_deleted(self, deleted: Vec<Deleted>) -> Self {
        Self { deleted, ..self }
    }

    /// The same state with this ledger, and with these memories' changes skipped.
    pub(crate) fn with_ledger(self, ledger: Ledger, skipped: HashMap<MemoryId, Skipped>) -> Self {
        Self { ledger, skipped, ..self }
    }

    /// Replays one change. It validates nothing: whoever committed the change did.
    pub(crate) fn replay(&mut self, change: Replay) {
        match change {
            Replay::Set(memory) => self.set(memory),
            Replay::Remove { id, previous, version, at_ms } => {
                self.skipped.remove(&id);
                // Where the last version was skipped, the record of an earlier one says nothing about it.
                if let Some(old) = self.remove(id)
                    && previous.is_none_or(|previous| previous == old.version)
                {
                    let (path, last) = (old.path.clone(), old.version);
                    self.deleted.push(Deleted { id, path, last, version, at_ms });
                }
            }
            Replay::Skip { id, version, at_ms } => {
                let here = self.by_id.get(&id).map(|memory| (memory.created_ms, memory.used_day));
                let before = self.skipped.get(&id).map(|skipped| (skipped.born_ms, skipped.used_day));
                let (born_ms, used_day) = here.or(before).unwrap_or((at_ms, 0));
                let used_day = used_day.max(before.map_or(0, |(_, used_day)| used_day));
                self.skipped.insert(id, Skipped { version, born_ms, used_day });
            }
            Replay::Note { note: Note::Used { day, memories }, .. } => {
                memories.iter().for_each(|id| self.used(*id, day));
            }
            Replay::Note { note, by } => {
                self.ledger.apply(&note, by);
                if let Note::Redacted(removal) | Note::Expired { removal, .. } = note {
                    let removed: HashSet<VersionId> = removal.versions().map(|(id, _)| id).collect();
                    self.deleted.retain(|deleted| !removed.contains(&deleted.last));
                }
            }
        }
    }

    /// Notes that a memory was read. One that does not stand any more is passed over.
    fn used(&mut self, id: MemoryId, day: u32) {
        if let Some(skipped) = self.skipped.get_mut(&id) {
            skipped.used_day = skipped.used_day.max(day);
        }
        let Some(memory) = self.by_id.get_mut(&id).filter(|memory| memory.used_day < day) else { return };
        *memory = Arc::new(Memory { used_day: day, ..Memory::clone(memory) });
        if let Some(there) = self.by_path.get_mut(&memory.path).filter(|there| there.id == id) {
            *there = Arc::clone(memory);
        }
    }

    fn set(&mut self, mut memory: Memory) {
        if let Some(skipped) = self.skipped.remove(&memory.id) {
            memory.created_ms = skipped.born_ms;
            memory.used_day = memory.used_day.max(skipped.used_day);
        }
        if let Some(old) = self.remove(memory.id) {
            memory.created_ms = old.created_ms;
            memory.used_day = memory.used_day.max(old.used_day);
            // A move does not say where in its commit the shared content lies; the version before may know.
            if memory.content.len == 0 && memory.content.version == old.content.version {
                memory.content = old.content;
            }
        }
        let memory = Arc::new(memory);
        self.bytes += memory.size;
        self.by_path.insert(memory.path.clone(), Arc::clone(&memory));
        self.by_id.insert(memory.id, memory);
    }

    fn remove(&mut self, id: MemoryId) -> Option<Arc<Memory>> {
        let old = self.by_id.remove(&id)?;
        self.bytes -= old.size;
        // Another memory may have taken the path since, by a change whose counterpart was stripped.
        if self.by_path.get(&old.path).is_some_and(|there| there.id == id) {
            self.by_path.remove(&old.path);
        }
        Some(old)
    }
}

/// The state in which exactly these memories stand, each at its path.
impl FromIterator<Memory> for State {
    fn from_iter<T: IntoIterator<Item = Memory>>(memories: T) -> Self {
        let mut state = Self::default();
        memories.into_iter().for_each(|memory| state.set(memory));
        state
    }
}
