//! Listings, read as far as they are needed and believed no further than they can be checked.

use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;

use super::{
    Patience,
    names::{self, LogName},
    objects::{Objects, out_of_order},
    read::in_time,
};
use crate::{Backend, Error, Result};

/// A listing is read to the end of its first page, as large as the smallest that a store gives.
pub(super) const PAGE: usize = 1000;

/// What the first page of a log's listing tells.
#[derive(Debug)]
pub(crate) struct Head {
    /// The newest commit; a checkpoint where its commit is missing, see [`of_life`].
    pub(crate) commit: LogName,
    /// The checkpoints of the same life on the same page, newest first: number and size in bytes.
    pub(crate) checkpoints: Vec<(u64, u64)>,
}

/// The newest commit below `lives` and the checkpoints near it, or nothing if there is no log. One request.
///
/// # Errors
/// [`Error::Unsuitable`] if the listing is out of order: newest-first names would not give the head then.
pub(crate) async fn head(backend: &Backend, limit: Duration, lives: &Path) -> Result<Option<Head>> {
    let page = page(backend, limit, lives).await?;
    let mut names = page.iter().filter_map(|(found, size)| Some((names::parse_log(lives, found)?, *size)));
    let Some((commit, _)) = names.next() else { return nothing(&page) };
    let same_life = |name: &LogName| (name.user_life, name.store_life) == (commit.user_life, commit.store_life);
    let checkpoints = names.filter(|(name, _)| name.is_checkpoint && same_life(name));
    Ok(Some(Head { commit, checkpoints: checkpoints.map(|(name, size)| (name.seq, size)).collect() }))
}

/// The head, where it is of this life of the user: a log of another life counts as no log, whatever is left of it.
///
/// # Errors
/// [`Error::Damaged`] if a checkpoint has no commit under its number or above it.
pub(crate) fn of_life(head: Option<Head>, user_life: u64) -> Result<Option<Head>> {
    let head = head.filter(|head| head.commit.user_life == user_life);
    match head.as_ref().map(|head| head.commit).filter(|name| name.is_checkpoint) {
        Some(name) => Err(Error::damaged(format!("commit {}", name.seq), "it is missing, but its checkpoint exists")),
        None => Ok(head),
    }
}

/// The newest commit of one life of a log, or nothing if it has none. One request.
///
/// # Errors
/// As [`head`].
pub(crate) async fn newest_commit(
    backend: &Backend,
    limit: Duration,
    lives: &Path,
    (user_life, store_life): (u64, u64),
) -> Result<Option<u64>> {
    let page = page(backend, limit, &names::log(lives, user_life, store_life)).await?;
    let mut names = page.iter().filter_map(|(found, _)| names::parse_log(lives, found));
    names.find(|name| !name.is_checkpoint).map_or_else(|| nothing(&page), |name| Ok(Some(name.seq)))
}

/// The newest generation in a series, or nothing if it is empty. One request.
///
/// # Errors
/// As [`head`].
pub(crate) async fn newest(backend: &Backend, limit: Duration, series: &Path) -> Result<Option<u64>> {
    let page = page(backend, limit, series).await?;
    match page.iter().find_map(|(found, _)| names::parse_generation(series, found)) {
        Some(newest) => Ok(Some(newest)),
        None => nothing(&page),
    }
}

/// When each commit above `above` of one life was last written by the store's own clock, in milliseconds since the Unix
/// epoch, newest commit first. One request for each 1,000 objects.
pub(crate) async fn times(
    backend: &Backend,
    patience: &Patience,
    lives: &Path,
    (user_life, store_life): (u64, u64),
    above: u64,
) -> Result<Vec<(u64, i64)>> {
    let mut objects = Objects::below(backend, patience, lives);
    let mut times: Vec<(u64, i64)> = Vec::new();
    while let Some(found) = objects.next_in_order().await? {
        let Some(name) = names::parse_log(lives, &found.location) else { continue };
        if name.is_checkpoint || (name.user_life, name.store_life) != (user_life, store_life) {
            continue;
        }
        if name.seq <= above {
            break;
        }
        times.push((name.seq, found.last_modified.timestamp_millis()));
    }
    Ok(times)
}

/// A page without a name of ours: there is none, unless the page is full of other names that hide it.
fn nothing<T>(page: &[(Path, u64)]) -> Result<Option<T>> {
    if page.len() < PAGE {
        return Ok(None);
    }
    Err(Error::damaged("the listing", "it is full of names that memoseal did not give"))
}

/// The names on the first page, with sizes in bytes.
async fn page(backend: &Backend, limit: Duration, prefix: &Path) -> Result<Vec<(Path, u64)>> {
    let mut listing = backend.rest().list(Some(prefix));
    let mut page: Vec<(Path, u64)> = Vec::new();
    while page.len() < PAGE {
        let next = in_time(limit, listing.try_next()).await;
        let Some(found) = next.map_err(|error| Error::backend("cannot list the vault", error))? else { break };
        if page.last().is_some_and(|(last, _)| *last >= found.location) {
            return Err(out_of_order());
        }
        page.push((found.location, found.size));
    }
    Ok(page)
}

/// The generations of a series on the first page of its listing, newest first: number and size in bytes. One request.
///
/// # Errors
/// As [`head`].
pub(crate) async fn generations(backend: &Backend, limit: Duration, series: &Path) -> Result<Vec<(u64, u64)>> {
    let page = page(backend, limit, series).await?;
    let generation = |(found, size): &(Path, u64)| Some((names::parse_generation(series, found)?, *size));
    let generations: Vec<_> = page.iter().filter_map(generation).collect();
    if generations.is_empty() { Ok(nothing(&page)?.unwrap_or_default()) } else { Ok(generations) }
}
