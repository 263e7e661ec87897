//! The tree of memories at one commit: what the log amounts to.

mod memory;
mod overlay;

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::Arc,
};

pub use self::{
    memory::{ContentRef, Memory, MemoryId, VersionId},
    overlay::Overlay,
};
use crate::path::MemoryPath;

/// All memories of a store at one commit.
///
/// Kept by id, because replay may meet two memories at one path for a while (a rename between them may have been
/// stripped); the index by path is right again at the head of the log, where every path is taken once.
#[derive(Debug, Default)]
pub struct State {
    by_id: HashMap<MemoryId, Arc<Memory>>,
    by_path: BTreeMap<MemoryPath, Arc<Memory>>,
    bytes: u64,
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

    /// Replays that `memory` stands at its path from now on.
    pub(crate) fn set(&mut self, memory: Memory) {
        self.remove(memory.id);
        let memory = Arc::new(memory);
        self.bytes += memory.size;
        self.by_path.insert(memory.path.clone(), Arc::clone(&memory));
        self.by_id.insert(memory.id, memory);
    }

    /// Replays that a memory is gone.
    pub(crate) fn remove(&mut self, id: MemoryId) {
        let Some(old) = self.by_id.remove(&id) else { return };
        self.bytes -= old.size;
        // Another memory may have taken the path since, by a change whose counterpart was stripped.
        if self.by_path.get(&old.path).is_some_and(|there| there.id == id) {
            self.by_path.remove(&old.path);
        }
    }
}
