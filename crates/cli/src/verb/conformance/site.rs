//! The folder in the caller's storage in which the cases run, and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{StreamExt as _, TryStreamExt as _};
use memoseal::{Error, core::Backend};
use memoseal_conformance::{Failure, Place};
use url::Url;

/// How often what came meanwhile is removed too: a request of a case that was let go may land late.
const PASSES: usize = 5;

/// A new folder in a place, `memoseal-conformance-…`, with a folder for each place that a case asks for.
pub(super) struct Site {
    url: Url,
    folder: String,
    backend: Backend,
    number: AtomicU64,
}

impl Site {
    /// Chooses the folder, and asks whether the place answers.
    pub(super) async fn at(url: &str) -> Result<Self, Error> {
        let mut url = memoseal::parse_url(url)?;
        let mut random = [0; 9];
        getrandom::fill(&mut random).map_err(|_| Error::NoRandomness)?;
        let folder = format!("memoseal-conformance-{}", URL_SAFE_NO_PAD.encode(random));
        let path = format!("{}/{folder}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let backend = memoseal::place(url.as_str())?;
        let listed = backend.rest().list(Some(backend.prefix())).next().await.transpose();
        listed.map_err(|error| Error::backend("cannot list the place", error))?;
        Ok(Self { url, folder, backend, number: AtomicU64::new(0) })
    }

    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// Removes the folder; gives why, if something is left.
    pub(super) async fn clean(&self) -> Option<String> {
        for _ in 0..PASSES {
            match self.empty().await {
                Ok(0) => return self.remove_folder(),
                Ok(_) => {}
                Err(error) => return Some(error.to_string()),
            }
        }
        Some("objects came while others were removed".into())
    }

    /// Removes every object; gives how many there were.
    async fn empty(&self) -> object_store::Result<usize> {
        let store = self.backend.rest();
        let names: Vec<_> =
            store.list(Some(self.backend.prefix())).map_ok(|object| object.location).try_collect().await?;
        let count = names.len();
        let mut removed = store.delete_stream(futures_util::stream::iter(names.into_iter().map(Ok)).boxed());
        while let Some(answer) = removed.next().await {
            match answer {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// On a disk the empty folders are left.
    fn remove_folder(&self) -> Option<String> {
        let path = self.url.to_file_path().ok()?;
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Some(error.to_string()),
            _ => None,
        }
    }
}

#[async_trait]
impl Place for Site {
    async fn fresh(&self) -> Result<Backend, Failure> {
        let mut url = self.url.clone();
        let path = format!("{}/{}", url.path(), self.number.fetch_add(1, Ordering::Relaxed));
        url.set_path(&path);
        Ok(memoseal::place(url.as_str())?)
    }
}
