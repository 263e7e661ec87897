//! Reads that end: in time, and with no more bytes than what is read may have. What lies in the bucket is not believed
//! about its size either.

use std::time::Duration;

use bytes::Bytes;
use object_store::{Error as StoreError, ObjectStoreExt, path::Path};
use tokio::time::timeout;

use crate::{Backend, Error, Result};

/// What was found at a key.
#[derive(Debug)]
pub(crate) enum Found {
    Nothing,
    Bytes(Bytes),
    /// It has more bytes than were wanted; none of them was read.
    TooLarge,
}

/// Gets the object at `path` if it has at most `max` bytes. One request.
pub(crate) async fn get(backend: &Backend, path: &Path, max: u64) -> Result<Found, StoreError> {
    match backend.rest().get(path).await {
        Ok(found) if found.meta.size > max => Ok(Found::TooLarge),
        Ok(found) => found.bytes().await.map(Found::Bytes),
        Err(StoreError::NotFound { .. }) => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

/// Reads `what`, which has at most `max` bytes, at `path`; nothing if nothing is there. One request.
///
/// # Errors
/// [`Error::Backend`] if it cannot be read within `limit`; [`Error::Damaged`] if it is larger.
pub(crate) async fn read(
    backend: &Backend,
    limit: Duration,
    path: &Path,
    max: u64,
    what: &str,
) -> Result<Option<Bytes>> {
    let found = in_time(limit, get(backend, path, max)).await;
    match found.map_err(|error| Error::backend(format!("cannot read {what}"), error))? {
        Found::Nothing => Ok(None),
        Found::Bytes(bytes) => Ok(Some(bytes)),
        Found::TooLarge => Err(too_large(what)),
    }
}

pub(crate) fn too_large(what: &str) -> Error {
    Error::damaged(what, "it is larger than any that memoseal writes")
}

/// Waits for an answer of the store, but not for ever.
pub(crate) async fn in_time<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match timeout(limit, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::Generic { store: "memoseal", source: NO_ANSWER.into() }),
    }
}

pub(crate) const NO_ANSWER: &str = "the store gave no answer in time";
