//! Any sequence of turns, against a history that is kept as naively as possible.

use std::collections::BTreeMap;

use memoseal_core::command::{Command, Reply, Restore};
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put(usize, u8),
    Rename(usize, usize),
    RenameDirectory,
    Delete(usize),
    DeleteDirectory,
    Undo(usize),
    /// Which version, counted from the newest, and where to.
    Restore(usize, Option<usize>),
}

/// Files and directories never want the same name.
const FILES: [&str; 6] =
    ["/memories/a", "/memories/b", "/memories/d/x", "/memories/d/y", "/memories/e/x", "/memories/e/y"];

fn step() -> impl Strategy<Value = Step> {
    let file = || 0..FILES.len();
    prop_oneof![
        4 => (file(), 0..4u8).prop_map(|(file, content)| Step::Put(file, content)),
        2 => (file(), file()).prop_map(|(old, new)| Step::Rename(old, new)),
        1 => Just(Step::RenameDirectory),
        2 => file().prop_map(Step::Delete),
        1 => Just(Step::DeleteDirectory),
        2 => file().prop_map(Step::Undo),
        2 => (0..20usize, prop::option::of(file())).prop_map(|(version, to)| Step::Restore(version, to)),
    ]
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    id: VersionId,
    memory: usize,
    operation: Operation,
    path: String,
    content: Option<String>,
}

#[derive(Default)]
struct Model {
    seq: u64,
    index: u32,
    memories: usize,
    tree: BTreeMap<String, usize>,
    log: Vec<Entry>,
}

impl Model {
    fn add(&mut self, memory: usize, operation: Operation, path: &str, content: Option<String>) {
        let id = VersionId { seq: self.seq + 1, index: self.index };
        self.index += 1;
        self.log.push(Entry { id, memory, operation, path: path.into(), content });
        self.tree.retain(|_, standing| *standing != memory);
        if operation != Operation::Deleted {
            self.tree.insert(path.into(), memory);
        }
    }

    fn end_turn(&mut self) {
        self.seq += u64::from(self.index > 0);
        self.index = 0;
    }

    fn of(&self, memory: usize) -> Vec<Entry> {
        self.log.iter().filter(|entry| entry.memory == memory).cloned().collect()
    }

    fn content(&self, memory: usize) -> Option<String> {
        self.of(memory).last().and_then(|entry| entry.content.clone())
    }

    fn create(&mut self, path: &str, content: Option<String>) {
        self.memories += 1;
        self.add(self.memories, Operation::Created, path, content);
    }

    fn put(&mut self, path: &str, content: &str) -> bool {
        match self.tree.get(path).copied() {
            Some(memory) if self.content(memory).as_deref() == Some(content) => {}
            Some(memory) => self.add(memory, Operation::Modified, path, Some(content.into())),
            None => self.create(path, Some(content.into())),
        }
        true
    }

    fn rename(&mut self, old: &str, new: &str) -> bool {
        let Some(memory) = self.tree.get(old).copied() else { return false };
        if self.tree.contains_key(new) {
            return false;
        }
        self.add(memory, Operation::Modified, new, self.content(memory));
        true
    }

    fn under(&self, directory: &str) -> Vec<String> {
        self.tree.keys().filter(|path| path.starts_with(directory)).cloned().collect()
    }

    fn rename_directory(&mut self) -> bool {
        let paths = self.under("/memories/d/");
        if paths.is_empty() || !self.under("/memories/e/").is_empty() {
            return false;
        }
        paths.iter().all(|path| self.rename(path, &path.replace("/d/", "/e/")))
    }

    fn delete(&mut self, path: &str) -> bool {
        let Some(memory) = self.tree.get(path).copied() else { return false };
        self.add(memory, Operation::Deleted, path, None);
        true
    }

    fn delete_directory(&mut self) -> bool {
        let paths = self.under("/memories/e/");
        paths.iter().for_each(|path| assert!(self.delete(path)));
        !paths.is_empty()
    }

    /// The memory whose history is the path's.
    fn memory_at(&self, path: &str) -> Option<usize> {
        let deleted =
            || self.log.iter().rev().find(|entry| entry.operation == Operation::Deleted && entry.path == path);
        self.tree.get(path).copied().or_else(|| deleted().map(|entry| entry.memory))
    }

    fn undo(&mut self, path: &str) -> bool {
        let Some(memory) = self.memory_at(path) else { return false };
        match self.of(memory).iter().rev().nth(1).cloned() {
            Some(version) => self.restore(&version, None),
            None => false,
        }
    }

    fn restore(&mut self, version: &Entry, to: Option<&str>) -> bool {
        let Some(content) = version.content.clone() else { return false };
        let target = to.unwrap_or(&version.path);
        let standing = self.tree.iter().find(|(_, memory)| **memory == version.memory).map(|(path, _)| path.clone());
        if to.is_none()
            && let Some(path) = standing
            && path != target
        {
            return self.rename(&path, target) && self.put(target, &content);
        }
        match self.tree.get(target).copied() {
            Some(memory) if memory != version.memory => self.content(memory) == Some(content),
            _ => self.put(target, &content),
        }
    }
}

async fn check(store: &Store, model: &Model) {
    let mut ids = BTreeMap::new();
    let versions = all(store, limited(3)).await;
    assert_eq!(versions.len(), model.log.len());
    for (version, entry) in versions.iter().zip(model.log.iter().rev()) {
        assert_eq!(
            (version.id, version.operation, version.path.as_ref().map(ToString::to_string)),
            (entry.id, entry.operation, Some(entry.path.clone()))
        );
        assert_eq!(*ids.entry(entry.memory).or_insert(version.memory), version.memory);
        match &entry.content {
            Some(content) => assert_eq!(text(store, version.id).await, *content),
            None => assert!(store.read_version(version.id).await.is_err()),
        }
    }
    for path in FILES {
        let Some(memory) = model.memory_at(path) else {
            assert!(store.history(&of(path)).await.is_err(), "{path}");
            continue;
        };
        let mut query = of(path);
        query.limit = 2;
        let found: Vec<_> = all(store, query).await.iter().map(|version| version.id).collect();
        let expected: Vec<_> = model.of(memory).iter().rev().map(|entry| entry.id).collect();
        assert_eq!(found, expected, "{path}");
    }
    let tree: Vec<_> = store.memories().await.unwrap().iter().map(|memory| memory.path.to_string()).collect();
    assert_eq!(tree, model.tree.keys().cloned().collect::<Vec<_>>());
}

async fn play(turns: Vec<Vec<Step>>) {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let mut model = Model::default();
    for turn in turns {
        let mut commands = Vec::new();
        let mut expected = Vec::new();
        for step in &turn {
            let (command, succeeds) = match step {
                Step::Put(file, content) => {
                    let content = "x".repeat(usize::from(*content));
                    let put = Command::Put { path: FILES[*file].into(), content: content.clone().into() };
                    (put, model.put(FILES[*file], &content))
                }
                Step::Rename(old, new) => (rename(FILES[*old], FILES[*new]), model.rename(FILES[*old], FILES[*new])),
                Step::RenameDirectory => (rename("/memories/d", "/memories/e"), model.rename_directory()),
                Step::Delete(file) => (delete(FILES[*file]), model.delete(FILES[*file])),
                Step::DeleteDirectory => (delete("/memories/e"), model.delete_directory()),
                Step::Undo(file) => {
                    let restore = Restore { path: Some(FILES[*file].into()), ..Restore::default() };
                    (Command::Restore(restore), model.undo(FILES[*file]))
                }
                Step::Restore(back, to) => {
                    let Some(entry) = model.log.iter().rev().nth(*back).cloned() else { continue };
                    let to = to.map(|to| FILES[to]);
                    let restore = Restore { path: None, version: Some(entry.id), to: to.map(Into::into) };
                    (Command::Restore(restore), model.restore(&entry, to))
                }
            };
            commands.push(command);
            expected.push(succeeds);
        }
        let answers: Vec<Reply> = store.execute_turn(commands).await.into_iter().map(Result::unwrap).collect();
        let succeeded: Vec<_> = answers.iter().map(|answer| !answer.is_error()).collect();
        assert_eq!(succeeded, expected, "{turn:?}: {answers:?}");
        model.end_turn();
        assert_eq!(store.seq(), model.seq, "{turn:?}");
    }
    check(&store, &model).await;
    check(&roomy(&bucket.open().await, "alice").await, &model).await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn history_is_what_was_done(turns in prop::collection::vec(prop::collection::vec(step(), 1..4), 1..16)) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(play(turns));
    }
}
