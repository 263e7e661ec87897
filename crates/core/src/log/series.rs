//! A numbered series whose newest generation counts: the vault's header, a user's keyring.
//!
//! A new generation is created with put-if-absent; then the older ones are overwritten with a stub. They are not
//! deleted, since a freed name could be created again by a writer that has stalled. So whoever has listed a generation
//! and then finds a stub there was overtaken, and lists again; it is damage only if a stub is still the newest.

use std::time::Duration;

use bytes::Bytes;
use object_store::{ObjectStoreExt, path::Path};

use super::{New, in_time, list, names, read};
use crate::{Backend, Error, Result};

/// What stands where a superseded header or keyring stood. Shorter than either, so that a listing tells them apart,
/// and neither a header (`memoseal` is not `vault`) nor a sealed object (it does not begin with the magic).
const STUB: &[u8] = b"{\"memoseal\":\"superseded\",\"read\":\"the newest generation\"}\n";

/// So many times a listing may have been overtaken before the bucket is taken for a hostile one.
const ROUNDS: usize = 32;

/// Whether this is what stands where a superseded generation stood.
pub(crate) fn is_stub(bytes: &[u8]) -> bool {
    bytes == STUB
}

/// A series in the bucket.
#[derive(Debug)]
pub(crate) struct Series<'a> {
    backend: &'a Backend,
    limit: Duration,
    folder: Path,
    kind: Kind,
    #[cfg(feature = "simulation")]
    frees_names: bool,
}

/// What a series holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// What it is called in errors.
    pub(crate) what: &'static str,
    /// The most bytes that one has.
    pub(crate) max: u64,
    /// The size of generations that are not overwritten when they are superseded, since they hold nothing: tombstones.
    pub(crate) kept: Option<u64>,
}

/// What a listing told of a series.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Number and size, newest first.
    generations: Vec<(u64, u64)>,
}

impl Listing {
    /// The number of the newest generation.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.generations.first().map(|(number, _)| *number)
    }
}

impl<'a> Series<'a> {
    /// The series in `folder`. No read of it takes longer than `limit`.
    pub(crate) fn new(backend: &'a Backend, limit: Duration, folder: Path, kind: Kind) -> Self {
        Self {
            backend,
            limit,
            folder,
            kind,
            #[cfg(feature = "simulation")]
            frees_names: false,
        }
    }

    /// Test only: whether superseded generations are deleted.
    #[cfg(feature = "simulation")]
    pub(crate) fn freeing_names(self, env: &crate::env::Env) -> Self {
        Self { frees_names: env.has(crate::simulation::Planted::FreedNames), ..self }
    }

    /// One generation, to be created.
    pub(crate) fn new_generation(&self, path: &'a Path, bytes: &'a Bytes) -> New<'a> {
        New { path, bytes, max: self.kind.max, what: self.kind.what }
    }

    /// The name of one generation.
    pub(crate) fn path(&self, number: u64) -> Path {
        names::generation(&self.folder, number)
    }

    /// What is wrong if generation `number` is there, since nothing could be created in its place, and is not listed.
    pub(crate) fn hidden(&self, number: u64) -> Error {
        let problem = format!(
            "generation {number} is there, but no listing tells of it: check what answers at this address, and whether \
             these credentials may list all of the vault"
        );
        Error::damaged(self.kind.what, problem)
    }

    /// One request.
    pub(crate) async fn list(&self) -> Result<Listing> {
        Ok(Listing { generations: list::generations(self.backend, self.limit, &self.folder).await? })
    }

    /// The newest generation and its bytes, or nothing if the series is empty. Two requests.
    pub(crate) async fn newest(&self) -> Result<Option<(u64, Bytes)>> {
        match self.list().await?.newest() {
            Some(listed) => self.follow(listed).await.map(Some),
            None => Ok(None),
        }
    }

    /// The newest generation and its bytes, where a listing has just called `listed` the newest. One request, and two
    /// more each time that it was superseded in between.
    ///
    /// # Errors
    /// [`Error::Damaged`] if what is newest is a stub, or cannot be read.
    pub(crate) async fn follow(&self, mut listed: u64) -> Result<(u64, Bytes)> {
        let mut problem = "";
        for _ in 0..ROUNDS {
            problem = match read(self.backend, self.limit, &self.path(listed), self.kind.max, self.kind.what).await? {
                Some(bytes) if !is_stub(&bytes) => return Ok((listed, bytes)),
                Some(_) => "it is called superseded, but there is no newer one",
                None => "it was listed but cannot be read",
            };
            match self.list().await?.newest() {
                Some(newest) if newest > listed => listed = newest,
                _ => break,
            }
        }
        Err(Error::damaged(self.kind.what, problem))
    }

    /// Overwrites what is older than generation `newest` with stubs, as far as the listing says that it is not one yet.
    /// One request each.
    ///
    /// What cannot be overwritten is left for the next time: it is told to the log and is no error, because the newest
    /// generation counts all the same.
    pub(crate) async fn supersede(&self, listing: &Listing, newest: u64) {
        for (number, size) in &listing.generations {
            if *number < newest && !self.is_done(*size) {
                self.overwrite(*number).await;
            }
        }
    }

    /// As [`supersede`](Self::supersede), and reads those too that are as long as a stub or as what `is_kept`: somebody may
    /// have put something else there. One request more each.
    pub(crate) async fn supersede_closely(
        &self,
        listing: &Listing,
        newest: u64,
        is_kept: impl Fn(u64, &Bytes) -> bool,
    ) {
        for (number, size) in listing.generations.iter().filter(|(number, _)| *number < newest) {
            if self.is_done(*size) {
                match read(self.backend, self.limit, &self.path(*number), self.kind.max, self.kind.what).await {
                    Ok(None) => continue,
                    Ok(Some(bytes)) if is_stub(&bytes) || is_kept(*number, &bytes) => continue,
                    Ok(Some(_)) | Err(Error::Damaged { .. }) => {}
                    Err(error) => {
                        tracing::warn!("whether generation {number} is overwritten is not known: {error}");
                        continue;
                    }
                }
            }
            self.overwrite(*number).await;
        }
    }

    /// Whether a superseded generation of this size needs nothing more to be done, as far as a size can tell.
    fn is_done(&self, size: u64) -> bool {
        size == STUB.len() as u64 || Some(size) == self.kind.kept
    }

    async fn overwrite(&self, number: u64) {
        let path = self.path(number);
        #[cfg(feature = "simulation")]
        if self.frees_names {
            // The names are free from here on.
            let _ = self.backend.rest().delete(&path).await;
            return;
        }
        let put = self.backend.rest().put(&path, Bytes::from_static(STUB).into());
        if let Err(error) = in_time(self.limit, put).await {
            let what = self.kind.what;
            tracing::warn!("generation {number} of {what} is superseded but could not be overwritten: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use memoseal_crypto::{Error, Kind as ObjectKind, NewSlot, Prelude, PreludeError, RawKey, Unlock, create, unlock};

    use super::*;
    use crate::env::OsRandom;

    #[test]
    fn a_stub_is_exactly_these_bytes_and_neither_a_header_nor_a_keyring() {
        assert_eq!(STUB, b"{\"memoseal\":\"superseded\",\"read\":\"the newest generation\"}\n");
        assert!(is_stub(STUB));
        for other in [&STUB[1..], &STUB[..STUB.len() - 1], b"", &[STUB, b"\n"].concat()] {
            assert!(!is_stub(other), "{other:?}");
        }
        let key = RawKey::from_bytes([7; 32]);
        assert_eq!(unlock(STUB, 1, &Unlock::Raw(&key)).unwrap_err(), Error::NotAVault);
        assert_eq!(Prelude::parse_kind(STUB, ObjectKind::Keyring), Err(PreludeError::NotOurs));
        let (header, _) = create(&[NewSlot::Raw(&key)], &OsRandom).unwrap();
        assert!(!is_stub(&header) && header.len() > STUB.len() && memoseal_crypto::CONTENT_FLOOR > STUB.len());
    }
}
