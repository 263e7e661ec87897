//! What a group of commands sees while it runs: the confirmed state with the group's own edits laid over it.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::Arc,
};

use sha2::{Digest as _, Sha256};

use super::{ContentRef, Deleted, Memory, MemoryId, State, VersionId};
use crate::{command::Edit, path::MemoryPath};

/// A state with edits laid over it that are not in the log yet. Without edits it is the state itself.
#[derive(Clone, Debug)]
pub struct Overlay<'a> {
    base: &'a State,
    /// Paths that differ from the base: what stands there now, or nothing.
    edits: BTreeMap<MemoryPath, Option<Arc<Memory>>>,
    /// Where the memories that the edits touched stand now, if anywhere.
    places: HashMap<MemoryId, Option<MemoryPath>>,
    /// What the edits deleted, in order.
    deleted: Vec<Deleted>,
    files: usize,
    bytes: u64,
}

impl<'a> Overlay<'a> {
    /// A view of `base` without edits.
    pub fn new(base: &'a State) -> Self {
        Self {
            base,
            edits: BTreeMap::new(),
            places: HashMap::new(),
            deleted: Vec::new(),
            files: base.files(),
            bytes: base.bytes(),
        }
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

    /// The memory with this identity.
    pub fn get_id(&self, id: MemoryId) -> Option<&Arc<Memory>> {
        match self.places.get(&id) {
            Some(place) => place.as_ref().and_then(|path| self.get(path)),
            None => self.base.get_id(id),
        }
    }

    /// Every memory under `directory`, at any depth, in the order of paths.
    pub fn under(&self, directory: &MemoryPath) -> impl Iterator<Item = &Arc<Memory>> {
        let bounds = (Bound::Excluded(directory.clone()), Bound::<MemoryPath>::Unbounded);
        let inside = directory.clone();
        let edits = self.edits.range(bounds).take_while(move |(path, _)| path.is_under(&inside));
        Merged { base: self.base.under(directory).peekable(), edits: edits.peekable() }
    }

    /// The memory that was the last to be deleted at this path.
    pub fn deleted_at(&self, path: &MemoryPath) -> Option<&Deleted> {
        self.deleted.iter().rfind(|deleted| deleted.path == *path).or_else(|| self.base.deleted_at(path))
    }

    /// Whether something lies under `path`, which makes it a directory. The root always is one.
    pub fn is_directory(&self, path: &MemoryPath) -> bool {
        path.is_root() || self.under(path).next().is_some()
    }

    /// Lays `edit` down as the change `version`, made at `now_ms`; a memory that it creates is called `id`.
    ///
    /// Gives the memory as the edit leaves it; nothing when the edit deletes it, or names a memory that is not there.
    pub fn apply(&mut self, edit: &Edit, id: MemoryId, version: VersionId, now_ms: i64) -> Option<Memory> {
        let memory = match edit {
            Edit::Create { path, content } => Memory {
                id,
                path: path.clone(),
                size: content.len() as u64,
                sha256: Sha256::digest(content).into(),
                version,
                content: ContentRef { version, offset: 0, len: 0 },
                created_ms: now_ms,
                updated_ms: now_ms,
                used_day: 0,
            },
            Edit::Write { memory, content } => Memory {
                size: content.len() as u64,
                sha256: Sha256::digest(content).into(),
                version,
                content: ContentRef { version, offset: 0, len: 0 },
                updated_ms: now_ms,
                ..Memory::clone(self.get_id(*memory)?)
            },
            Edit::Move { memory, path } => {
                Memory { path: path.clone(), version, updated_ms: now_ms, ..Memory::clone(self.get_id(*memory)?) }
            }
            Edit::Delete { memory } => {
                let old = self.get_id(*memory)?;
                let (path, last) = (old.path.clone(), old.version);
                self.clear(&path);
                self.deleted.push(Deleted { id: *memory, path, last, version, at_ms: now_ms });
                return None;
            }
        };
        self.set(memory.clone());
        Some(memory)
    }

    fn set(&mut self, memory: Memory) {
        if let Some(path) = self.get_id(memory.id).map(|old| old.path.clone()) {
            self.clear(&path);
        }
        self.clear(&memory.path);
        self.files += 1;
        self.bytes += memory.size;
        self.places.insert(memory.id, Some(memory.path.clone()));
        self.edits.insert(memory.path.clone(), Some(Arc::new(memory)));
    }

    fn clear(&mut self, path: &MemoryPath) {
        if let Some((id, size)) = self.get(path).map(|old| (old.id, old.size)) {
            self.files -= 1;
            self.bytes -= size;
            self.places.insert(id, None);
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
