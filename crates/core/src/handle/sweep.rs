//! Overwriting what is left of a log whose store or user was destroyed, and later deleting the names.
//!
//! An overwrite or a checkpoint that was sent before may land late, so maintenance comes back to it. A name is deleted no
//! sooner than seven days after its object was emptied: a handle opens anew after a day, so that nobody is left then who
//! could take the free name for one that was never used.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, future::try_join_all, stream};
use object_store::{ObjectMeta, ObjectStoreExt, path::Path};

use super::Vault;
use crate::{
    Error, Result,
    log::{Objects, in_time, names},
};

/// How many objects are overwritten side by side.
const SIDE_BY_SIDE: usize = 64;

/// So often the listing is read again for what landed meanwhile.
const ROUNDS: usize = 3;

/// For so long after it was emptied, a name is kept.
const KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Swept {
    /// Objects that were overwritten with nothing.
    pub(super) emptied: u64,
    /// Names that were deleted.
    pub(super) deleted: u64,
}

impl Swept {
    pub(super) fn add(&mut self, other: Self) {
        self.emptied += other.emptied;
        self.deleted += other.deleted;
    }
}

/// Empties every object in `log`, but for commit `kept`. Where the time by the store's own clock is given, names that
/// have been empty for long are deleted. `progress` is told how many objects were emptied.
pub(super) async fn sweep(
    vault: &Vault,
    log: &Path,
    kept: Option<u64>,
    clock_ms: Option<i64>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Swept> {
    let kept = kept.map(|seq| names::commit(log, seq));
    let mut swept = Swept::default();
    for _ in 0..ROUNDS {
        let mut objects = list(vault, log).await?;
        objects.retain(|object| kept.as_ref() != Some(&object.location));
        let (empty, full): (Vec<_>, Vec<_>) = objects.into_iter().partition(|object| object.size == 0);
        if full.is_empty() {
            let is_old = |object: &ObjectMeta| {
                clock_ms
                    .is_some_and(|clock_ms| clock_ms.saturating_sub(object.last_modified.timestamp_millis()) >= KEPT_MS)
            };
            // All or none, the oldest first: as long as there are names, the newest is one of them.
            if empty.iter().all(is_old) {
                let old: Vec<_> = empty.into_iter().rev().map(|object| object.location).collect();
                swept.deleted = old.len() as u64;
                delete(vault, &old).await?;
            }
            break;
        }
        let mut emptying = stream::iter(full).map(|object| empty_object(vault, object.location));
        let mut emptying = emptying.by_ref().buffer_unordered(SIDE_BY_SIDE);
        while let Some(()) = emptying.try_next().await? {
            swept.emptied += 1;
            progress(swept.emptied);
        }
    }
    Ok(swept)
}

/// What lies in a folder. One request for each 1,000 objects.
pub(super) async fn list(vault: &Vault, folder: &Path) -> Result<Vec<ObjectMeta>> {
    let mut listing = Objects::below(vault.backend(), vault.patience(), folder);
    let mut objects = Vec::new();
    while let Some(object) = listing.next_in_order().await? {
        objects.push(object);
    }
    Ok(objects)
}

async fn empty_object(vault: &Vault, path: Path) -> Result<()> {
    let put = vault.backend().rest().put(&path, Bytes::new().into());
    let done = in_time(vault.patience().read, put).await;
    done.map(drop).map_err(|error| Error::backend("cannot overwrite what was destroyed", error))
}

async fn delete(vault: &Vault, paths: &[Path]) -> Result<()> {
    for batch in paths.chunks(SIDE_BY_SIDE) {
        let deletions = batch.iter().map(|path| async move {
            match in_time(vault.patience().read, vault.backend().rest().delete(path)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(Error::backend("cannot delete what was destroyed", error)),
            }
        });
        try_join_all(deletions).await?;
    }
    Ok(())
}
