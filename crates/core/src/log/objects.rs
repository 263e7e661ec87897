//! Whole listings, read to their end. However the bucket answers, there is one: every page has to come in time, and there
//! is a number of names beyond which a listing is taken for one that goes on for ever.

use futures_util::{TryStreamExt, stream::BoxStream};
use object_store::{ObjectMeta, path::Path};
use tokio::time::timeout;

use super::{Patience, list::PAGE, read::in_time};
use crate::{Backend, Error, Result};

/// The objects below a place, one after another.
pub(crate) struct Objects<'a> {
    backend: &'a Backend,
    patience: &'a Patience,
    place: Path,
    listing: BoxStream<'static, object_store::Result<ObjectMeta>>,
    told: u64,
    last: Option<Path>,
}

impl<'a> Objects<'a> {
    /// Those below `place`; of the whole store, if that is its root. One request for each 1,000.
    pub(crate) fn below(backend: &'a Backend, patience: &'a Patience, place: &Path) -> Self {
        let listing = backend.rest().list((!place.as_ref().is_empty()).then_some(place));
        Self { backend, patience, place: place.clone(), listing, told: 0, last: None }
    }

    /// The next object, in whatever order they are told.
    ///
    /// # Errors
    /// [`Error::Backend`] if it does not come in time; [`Error::Unsuitable`] if there are too many.
    pub(crate) async fn next(&mut self) -> Result<Option<ObjectMeta>> {
        let next = in_time(self.patience.read, self.listing.try_next()).await;
        let next = next.map_err(|error| Error::backend("cannot list the vault", error))?;
        if next.is_some() {
            self.told += 1;
            if self.told > self.patience.names {
                return Err(endless(self.patience));
            }
        }
        Ok(next)
    }

    /// The next object, in the order of names.
    ///
    /// # Errors
    /// As [`Objects::next`]; [`Error::Unsuitable`] if a name does not come after the one before it.
    pub(crate) async fn next_in_order(&mut self) -> Result<Option<ObjectMeta>> {
        let Some(next) = self.next().await? else { return Ok(None) };
        if self.last.as_ref().is_some_and(|last| *last >= next.location) {
            return Err(out_of_order());
        }
        self.last = Some(next.location.clone());
        Ok(Some(next))
    }

    /// Goes on with the first name after `offset`. One request.
    fn skip_to(&mut self, offset: Path) {
        self.listing = self.backend.rest().list_with_offset(Some(&self.place), &offset);
        self.last = Some(offset);
    }
}

fn endless(patience: &Patience) -> Error {
    Error::Unsuitable(format!(
        "its listing has more than {} names, and may never end: check what answers at this address, and what else lies \
         there (a vault that is as large needs more of `Patience::names`)",
        patience.names
    ))
}

pub(super) fn out_of_order() -> Error {
    Error::Unsuitable(
        "it lists objects out of order (S3 directory buckets do), or a name twice: choose a bucket that lists in order"
            .into(),
    )
}

/// The folders straight below `place`. One request for each 1,000 of them.
///
/// A store gives all of them in one answer, and nobody sees how far that is. Where it does not come in time, because they
/// are many or the store is slow, they are told from the names of what lies in them, of which each page has to come in time.
pub(crate) async fn folders(backend: &Backend, patience: &Patience, place: &Path) -> Result<Vec<Path>> {
    match timeout(patience.read, backend.rest().list_with_delimiter(Some(place))).await {
        Ok(Ok(listed)) => Ok(listed.common_prefixes),
        Ok(Err(error)) => Err(Error::backend("cannot list the vault", error)),
        Err(_) => folders_by_names(backend, patience, place).await,
    }
}

/// One request for each 1,000 objects, and no more than two for what lies in one folder.
async fn folders_by_names(backend: &Backend, patience: &Patience, place: &Path) -> Result<Vec<Path>> {
    let mut objects = Objects::below(backend, patience, place);
    let mut folders: Vec<Path> = Vec::new();
    let mut in_last = 0;
    while let Some(object) = objects.next_in_order().await? {
        let Some(mut parts) = object.location.prefix_match(place) else { continue };
        let (Some(name), Some(_)) = (parts.next(), parts.next()) else { continue };
        let folder = place.clone().join(name.clone());
        if folders.last() != Some(&folder) {
            folders.push(folder);
            in_last = 0;
        }
        in_last += 1;
        if in_last > PAGE {
            // Behind everything that lies in the folder: `0` is the character after `/`.
            objects.skip_to(place.clone().join(format!("{}0", name.as_ref())));
            in_last = 0;
        }
    }
    Ok(folders)
}
