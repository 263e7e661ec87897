//! What a group of commands sees while it runs: the confirmed state with the group's own edits laid over it.

use std::{collections::BTreeMap, ops::Bound, sync::Arc};

use super::{Memory, State};
use crate::path::MemoryPath;

/// A state with edits laid over it that are not in the log yet. Without edits it is the state itself.
#[derive(Debug)]
pub struct Overlay<'a> {
    base: &'a State,
    /// Paths that differ from the base: what stands there now, or nothing.
    edits: BTreeMap<MemoryPath, Option<Arc<Memory>>>,
    files: usize,
    bytes: u64,
}

impl<'a> Overlay<'a> {
    /// A view of `base` without edits.
    pub fn new(base: &'a State) -> Self {
        Self { base, edits: BTreeMap::new(), files: base.files(), bytes: base.bytes() }
    }

    /// The number of memories.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The size of all current content, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory at exactly this path.
    pub fn get(&self, path: &MemoryPath) -> Option<&Arc<Memory>> {
        match self.edits.get(path) {
            Some(edit) => edit.as_ref(),
            None => self.base.get(path),
        }
    }

    /// Every memory under `directory`, at any depth, in the order of paths.
    pub fn under(&self, directory: &MemoryPath) -> impl Iterator<Item = &Arc<Memory>> {
        let bounds = (Bound::Excluded(directory.clone()), Bound::<MemoryPath>::Unbounded);
        let inside = directory.clone();
        let edits = self.edits.range(bounds).take_while(move |(path, _)| path.is_under(&inside));
        Merged { base: self.base.under(directory).peekable(), edits: edits.peekable() }
    }

    /// Whether something lies under `path`, which makes it a directory. The root always is one.
    pub fn is_directory(&self, path: &MemoryPath) -> bool {
        path.is_root() || self.under(path).next().is_some()
    }

    /// Lays down that `memory` now stands at its path.
    pub(crate) fn set(&mut self, memory: Memory) {
        self.clear(&memory.path.clone());
        self.files += 1;
        self.bytes += memory.size;
        self.edits.insert(memory.path.clone(), Some(Arc::new(memory)));
    }

    /// Lays down that nothing stands at `path` any more.
    pub(crate) fn clear(&mut self, path: &MemoryPath) {
        if let Some(size) = self.get(path).map(|old| old.size) {
            self.files -= 1;
            self.bytes -= size;
            self.edits.insert(path.clone(), None);
        }
    }
}

/// Merges two walks in the order of paths; where both have a path, the edit counts.
struct Merged<'a, B, E>
where
    B: Iterator<Item = &'a Arc<Memory>>,
    E: Iterator<Item = (&'a MemoryPath, &'a Option<Arc<Memory>>)>,
{
    base: std::iter::Peekable<B>,
    edits: std::iter::Peekable<E>,
}

impl<'a, B, E> Iterator for Merged<'a, B, E>
where
    B: Iterator<Item = &'a Arc<Memory>>,
    E: Iterator<Item = (&'a MemoryPath, &'a Option<Arc<Memory>>)>,
{
    type Item = &'a Arc<Memory>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((path, _)) = self.edits.peek() else {
                return self.base.next();
            };
            match self.base.peek() {
                Some(memory) if memory.path < **path => return self.base.next(),
                Some(memory) if memory.path == **path => {
                    self.base.next();
                }
                _ => {}
            }
            if let Some((_, Some(memory))) = self.edits.next() {
                return Some(memory);
            }
        }
    }
}
