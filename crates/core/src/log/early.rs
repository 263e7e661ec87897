//! What was read before it could be opened: a checkpoint and commits, fetched beside the keyring that opens them, so that
//! opening a store does not wait once more for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use object_store::path::Path;

use super::{Log, MAX_CHECKPOINT, SIDE_BY_SIDE, WAITING_BYTES, list::Head, names};
use crate::log::read::{Found, get, in_time};

/// Bytes by the name under which they were found. Each is given out once. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early(Arc<Mutex<HashMap<Path, Bytes>>>);

impl Early {
    pub(super) fn take(&self, path: &Path) -> Option<Bytes> {
        self.bytes().remove(path)
    }

    /// What nobody has asked for is old now.
    pub(crate) fn clear(&self) {
        self.bytes().clear();
    }

    fn bytes(&self) -> MutexGuard<'_, HashMap<Path, Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The commits that are read beside the newest checkpoint of a listing: as many as are kept in memory meanwhile. Where
/// none comes after it, its own.
pub(crate) fn beside(head: &Head) -> std::ops::RangeInclusive<u64> {
    let checkpoint = head.checkpoints.first().map_or(0, |(seq, _)| *seq);
    let last = head.commit.seq.min(checkpoint.saturating_add(SIDE_BY_SIDE as u64));
    last.min(checkpoint.saturating_add(1))..=last
}

impl Log {
    /// Reads what a store is opened from, side by side, and `seen`, a commit that it is compared with. What cannot be read
    /// is read again when it is needed, and is an error then.
    pub(crate) async fn read_early(&self, head: &Head, seen: Option<u64>) {
        let checkpoint =
            head.checkpoints.first().map(|(seq, _)| (names::checkpoint(&self.place, *seq), MAX_CHECKPOINT));
        let commits = beside(head).chain(seen).map(|seq| (names::commit(&self.place, seq), WAITING_BYTES));
        stream::iter(checkpoint.into_iter().chain(commits))
            .for_each_concurrent(SIDE_BY_SIDE + 2, async |(path, max)| {
                let found = in_time(self.patience.read, get(&self.backend, &path, max)).await;
                if let Ok(Found::Bytes(bytes)) = found {
                    self.early.bytes().insert(path, bytes);
                }
            })
            .await;
    }
}
