//! Listings, read as far as they are needed and believed no further than they can be checked.

use futures_util::TryStreamExt;
use object_store::path::Path;

use super::names::{self, CommitName};
use crate::{Backend, Error, Result};

/// A listing is read to the end of its first page, as large as the smallest that a store gives.
const PAGE: usize = 1000;

/// The newest commit below `lives`, or nothing if there is none. One request.
///
/// # Errors
/// [`Error::Unsuitable`] if the listing is out of order: newest-first names would not give the head then.
pub(crate) async fn head(backend: &Backend, lives: &Path) -> Result<Option<CommitName>> {
    let page = page(backend, lives).await?;
    Ok(page.iter().find_map(|(found, _)| names::parse_commit(lives, found)))
}

/// The newest generation in a series, or nothing if it is empty. One request.
///
/// # Errors
/// As [`head`].
pub(crate) async fn newest(backend: &Backend, series: &Path) -> Result<Option<u64>> {
    let page = page(backend, series).await?;
    Ok(page.iter().find_map(|(found, _)| names::parse_generation(series, found)))
}

/// The names on the first page, with sizes in bytes.
async fn page(backend: &Backend, prefix: &Path) -> Result<Vec<(Path, u64)>> {
    let mut listing = backend.rest().list(Some(prefix));
    let mut page: Vec<(Path, u64)> = Vec::new();
    while page.len() < PAGE {
        let next = listing.try_next().await.map_err(|error| Error::backend("cannot list the vault", error))?;
        let Some(found) = next else { break };
        if page.last().is_some_and(|(last, _)| *last >= found.location) {
            return Err(Error::Unsuitable(
                "it lists objects out of order (S3 directory buckets do): choose a bucket that lists in order".into(),
            ));
        }
        page.push((found.location, found.size));
    }
    Ok(page)
}

/// The generations of a series on the first page of its listing, newest first: number and size in bytes. One request.
///
/// # Errors
/// As [`head`].
pub(crate) async fn generations(backend: &Backend, series: &Path) -> Result<Vec<(u64, u64)>> {
    let page = page(backend, series).await?;
    Ok(page.iter().filter_map(|(found, size)| Some((names::parse_generation(series, found)?, *size))).collect())
}
