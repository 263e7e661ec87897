//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod disk;
mod doctor;
mod leftovers;
mod list;
mod objects;
mod place;
mod processes;
mod vanished;

use std::{fs, path::Path, sync::Arc};

use futures_util::TryStreamExt as _;
use memoseal_local::Error;
use object_store::{ObjectStore, PutMode, Result, path::Path as Location};
use tempfile::TempDir;
use url::Url;

fn url_of(folder: &Path) -> Url {
    Url::from_directory_path(folder).unwrap()
}

/// A store over an empty folder, which goes away with the second value.
fn fresh() -> (Arc<dyn ObjectStore>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (store(folder.path()), folder)
}

fn store(folder: &Path) -> Arc<dyn ObjectStore> {
    Arc::clone(memoseal_local::open(&url_of(folder)).unwrap().rest())
}

async fn create(store: &dyn ObjectStore, name: &str, body: impl Into<object_store::PutPayload>) -> Result<()> {
    store.put_opts(&Location::parse(name)?, body.into(), PutMode::Create.into()).await.map(drop)
}

async fn names(store: &dyn ObjectStore, prefix: &str) -> Result<Vec<String>> {
    store.list(Some(&prefix.into())).map_ok(|object| object.location.to_string()).try_collect().await
}

/// Makes a file behind the store's back.
fn file(root: &Path, name: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, name).unwrap();
}

/// The first error of this type in the chain of sources.
fn find<'a, E: std::error::Error + 'static>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

fn io_kind(error: &object_store::Error) -> Option<std::io::ErrorKind> {
    find::<std::io::Error>(error).map(std::io::Error::kind)
}

fn ours(error: &object_store::Error) -> Option<&Error> {
    find(error)
}
