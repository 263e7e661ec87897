//! The shared suite on local disk.

use std::sync::Mutex;

use memoseal_conformance::{Failure, Place};
use memoseal_core::Backend;
use tempfile::TempDir;

use super::*;

/// Folders that go away with this.
#[derive(Default)]
struct Folders(Mutex<Vec<TempDir>>);

#[async_trait::async_trait]
impl Place for Folders {
    async fn fresh(&self) -> Result<Backend, Failure> {
        let folder = tempfile::tempdir()?;
        let backend = memoseal_local::create(&url_of(&folder.path().join("memory")))?;
        self.0.lock().unwrap().push(folder);
        Ok(backend)
    }
}

mod on_disk {
    use super::*;
    memoseal_conformance::suite!(Folders::default());
}
