//! A vault in memory whose requests are counted and can be made to fail.

use std::{sync::Arc, time::Duration};

use memoseal_core::{
    Backend, Key, Store, Vault, VaultOptions,
    command::{Command, Limits, Reply},
};
use memoseal_testkit::{CountingStore, Counts, FaultStore};
use object_store::{ObjectStore, memory::InMemory};
use serde_json::{Value, json};

pub(crate) struct Bucket {
    pub(crate) memory: Arc<dyn ObjectStore>,
    pub(crate) counting: CountingStore,
    pub(crate) faults: FaultStore,
}

impl Bucket {
    pub(crate) fn new() -> Self {
        let memory: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        Self::over(memory)
    }

    /// Another client of the same bucket, with counters and faults of its own.
    pub(crate) fn again(&self) -> Self {
        Self::over(Arc::clone(&self.memory))
    }

    pub(crate) fn over(memory: Arc<dyn ObjectStore>) -> Self {
        let faults = FaultStore::new(Arc::clone(&memory));
        let counting = CountingStore::new(Arc::new(faults.clone()));
        Self { memory, counting, faults }
    }

    pub(crate) fn backend(&self) -> Backend {
        Backend::single(Arc::new(self.counting.clone()))
    }

    pub(crate) async fn create(&self) -> Vault {
        Vault::create(self.backend(), key(), options()).await.unwrap()
    }

    pub(crate) async fn open(&self) -> Vault {
        Vault::open(self.backend(), key(), options()).await.unwrap()
    }

    /// The requests since the last call.
    pub(crate) fn spent(&self) -> Counts {
        let counts = self.counting.counts().requests();
        self.counting.reset();
        counts
    }
}

pub(crate) fn key() -> Key {
    Key::raw([7; 32])
}

pub(crate) fn options() -> VaultOptions {
    let mut options = VaultOptions::default();
    options.patience.create = Duration::from_secs(30);
    options
}

/// A store without limits that would be in the way.
pub(crate) async fn roomy(vault: &Vault, user: &str) -> Store {
    let mut limits = Limits::default();
    limits.files = usize::MAX;
    limits.store_bytes = u64::MAX;
    limits.file_bytes = u64::MAX;
    vault.user(user).store("default").limits(limits).open().await.unwrap()
}

pub(crate) fn create(path: &str, text: &str) -> Command {
    command(json!({ "command": "create", "path": path, "file_text": text }))
}

pub(crate) fn view(path: &str) -> Command {
    command(json!({ "command": "view", "path": path }))
}

pub(crate) fn replace(path: &str, old: &str, new: &str) -> Command {
    command(json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new }))
}

pub(crate) fn delete(path: &str) -> Command {
    command(json!({ "command": "delete", "path": path }))
}

pub(crate) fn rename(old: &str, new: &str) -> Command {
    command(json!({ "command": "rename", "old_path": old, "new_path": new }))
}

pub(crate) fn command(input: Value) -> Command {
    Command::parse(&input).unwrap()
}

/// Executes a command that has to succeed.
pub(crate) async fn ok(store: &Store, command: Command) -> String {
    match store.execute(command).await.unwrap() {
        Reply::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// Executes a command that has to fail with an answer.
pub(crate) async fn fails(store: &Store, command: Command) -> String {
    match store.execute(command).await.unwrap() {
        Reply::Error(text) => text,
        other => panic!("{other:?}"),
    }
}

/// The tree with all contents, as a fresh handle reads it.
pub(crate) async fn tree(vault: &Vault, user: &str) -> Vec<(String, String)> {
    let store = roomy(vault, user).await;
    let mut tree = Vec::new();
    for memory in store.memories().await.unwrap() {
        let path = memory.path.to_string();
        let text = String::from_utf8(store.read(&path).await.unwrap().to_vec()).unwrap();
        tree.push((path, text));
    }
    tree
}
