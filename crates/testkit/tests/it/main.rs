//! Integration tests: the stores of the test kit do what they say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod counting;
mod errors;
mod faults;
mod listings;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use memoseal_testkit::FaultStore;
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, Result, memory::InMemory, path::Path};

/// A fault store over memory, and the memory behind it.
fn faulty() -> (FaultStore, Arc<InMemory>) {
    let memory = Arc::new(InMemory::new());
    (FaultStore::new(Arc::clone(&memory) as Arc<dyn ObjectStore>), memory)
}

async fn create(store: &dyn ObjectStore, path: &str, body: &'static str) -> Result<()> {
    store.put_opts(&path.into(), body.into(), PutMode::Create.into()).await.map(drop)
}

async fn put(store: &dyn ObjectStore, path: &str, body: &'static str) -> Result<()> {
    store.put(&path.into(), body.into()).await.map(drop)
}

async fn get(store: &dyn ObjectStore, path: &str) -> Result<Bytes> {
    store.get(&path.into()).await?.bytes().await
}

async fn names(store: &dyn ObjectStore, prefix: &str) -> Result<Vec<String>> {
    store.list(Some(&Path::from(prefix))).map_ok(|entry| entry.location.to_string()).try_collect().await
}
