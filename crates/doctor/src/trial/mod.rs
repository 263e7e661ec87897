//! What can be tried on any store, below a throw-away prefix.

mod access;
mod creates;
mod latency;
mod order;
mod vault;

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use memoseal_core::{
    Backend, Error, Result,
    env::{OsRandom, Random},
};
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutResult, path::Path};

use crate::{Check, Permissions};

/// Of a listing no more names are read than this: far more than are written here, and a listing may go on for ever.
const MOST_LISTED: usize = 10_000;

/// A throw-away prefix, and what was written there.
#[derive(Debug)]
pub struct Trial {
    backend: Backend,
    place: Path,
    permissions: Permissions,
    /// Names that may have been taken: what is sent counts, whatever the answer.
    names: Mutex<Vec<Path>>,
}

impl Trial {
    /// For a vault at `backend`: the throw-away prefix is `memoseal-doctor/` and something random, below the vault's own.
    /// Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn new(backend: &Backend, permissions: Permissions) -> Result<Self> {
        let mut random = [0; 8];
        OsRandom.fill(&mut random).map_err(|_| Error::NoRandomness)?;
        let place = backend.prefix().clone().join("memoseal-doctor").join(memoseal_core::hex(&random));
        Ok(Self { backend: backend.clone(), place, permissions, names: Mutex::default() })
    }

    /// The throw-away prefix.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Tries everything, and tells each answer when it is there. About 400 requests. It may be dropped at any moment;
    /// [`clean_up`](Self::clean_up) has to be called in any case.
    pub async fn run(&self, tell: &mut (impl FnMut(Check) + Send)) {
        let can = self.access(tell).await;
        if !can.put {
            for name in [creates::NAME, creates::RACED, order::NAME, latency::AFTER, latency::CLOCK, latency::NAME] {
                tell(Check::not_checked(name, "nothing can be written", format!("allow {}", self.permissions.put)));
            }
        } else if !can.get {
            for name in [creates::NAME, creates::RACED, order::NAME, latency::AFTER, latency::CLOCK, latency::NAME] {
                tell(Check::not_checked(name, "nothing can be read", format!("allow {}", self.permissions.get)));
            }
        } else {
            tell(self.create_twice().await);
            tell(self.create_raced().await);
            tell(match can.list {
                true => self.order().await,
                false => {
                    Check::not_checked(order::NAME, "nothing can be listed", format!("allow {}", self.permissions.list))
                }
            });
            tell(self.read_after_write(can.delete).await);
            tell(self.clock_skew().await);
            tell(self.latency().await);
        }
        tell(self.vault().await);
    }

    /// Deletes what [`run`](Self::run) has written, as far as it has come.
    pub async fn clean_up(&self) -> Check {
        const NAME: &str = "clean up";
        let names = std::mem::take(&mut *self.names.lock().unwrap_or_else(PoisonError::into_inner));
        let mut left = 0_usize;
        let mut problem = String::new();
        for name in &names {
            match self.backend.rest().delete(name).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => {
                    left += 1;
                    problem = one_line(&error);
                }
            }
        }
        match left {
            0 => Check::good(NAME, "what was written for this is deleted"),
            left => Check::warning(
                NAME,
                format!("up to {left} objects are left ({problem})"),
                format!("delete what lies below {}/", self.place),
            ),
        }
    }

    /// A name below the throw-away prefix.
    fn name(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.place))
    }

    fn note(&self, name: &Path) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(name) {
            names.push(name.clone());
        }
    }

    async fn create(&self, name: &Path, bytes: Bytes) -> object_store::Result<PutResult> {
        self.note(name);
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        self.backend.creates().put_opts(name, bytes.into(), options).await
    }

    async fn put(&self, name: &Path, bytes: Bytes) -> object_store::Result<PutResult> {
        self.note(name);
        self.backend.rest().put(name, bytes.into()).await
    }

    async fn get(&self, name: &Path) -> object_store::Result<Bytes> {
        self.backend.rest().get(name).await?.bytes().await
    }
}

/// A check that came to nothing because a request failed.
fn failed(name: &'static str, doing: &str, error: &object_store::Error) -> Check {
    Check::not_checked(name, format!("cannot {doing}: {}", one_line(error)), "mend that, and try again")
}

/// An error in one line, of a length that people read.
fn one_line(error: &object_store::Error) -> String {
    let text = error.to_string();
    let text: Vec<_> = text.split_whitespace().collect();
    let text = text.join(" ");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
