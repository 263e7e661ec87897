//! After a rotation: the users' keyrings sealed anew under the vault key of today.
//!
//! A user's key stays what it is, so nothing else of a user is touched. Each keyring is one more generation of its
//! series; readers that meet the old one go on being right, since the header keeps the earlier vault keys.

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use super::{
    Vault,
    keyrings::{self, keyring_error},
};
use crate::{
    Error, Result,
    log::{
        Backoff, Created, create, folders,
        names::{self, KeyedHash},
    },
};

/// How many users are looked at side by side.
const SIDE_BY_SIDE: usize = 16;

/// How superseded keyrings are told from the stubs that should stand there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look {
    BySize,
    /// Each is read.
    Closely,
}

/// What became of the keyrings.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Resealed {
    /// How many users there are.
    pub users: u64,
    /// How many keyrings were sealed anew; the others were under the vault key of today already.
    pub resealed: u64,
    /// Keyrings that could not be read, by the keyed hash of their user: they are as they were.
    pub damaged: Vec<(String, Error)>,
}

impl Vault {
    /// Seals the keyring of every user that lies under an earlier vault key anew, and overwrites older ones with stubs.
    /// `progress` is told after each user how many of how many are done. It may be run at any time, by any number of
    /// processes, and again after it was interrupted.
    ///
    /// One listing for each 1,000 users, two requests a user, and two more for each keyring that is sealed anew.
    ///
    /// # Errors
    /// [`Error::Backend`] if the vault cannot be reached or written; [`Error::OutcomeUnknown`]; those of
    /// [`Vault::refresh`]. What was done until then stays done. Keyrings that are damaged are no error but told.
    pub async fn reseal_keyrings(&self, progress: impl FnMut(u64, u64) + Send) -> Result<Resealed> {
        self.reseal_all(Look::BySize, progress).await
    }

    pub(super) async fn reseal_all(&self, look: Look, mut progress: impl FnMut(u64, u64) + Send) -> Result<Resealed> {
        let users = self.user_hashes().await?;
        let total = users.len() as u64;
        let mut outcome = Resealed { users: total, ..Resealed::default() };
        let mut work = stream::iter(users)
            .map(|user| async move { (user, self.reseal_keyring(&user, look).await) })
            .buffer_unordered(SIDE_BY_SIDE);
        let mut done = 0;
        while let Some((user, resealed)) = work.next().await {
            match resealed {
                Ok(resealed) => outcome.resealed += u64::from(resealed),
                Err(error @ (Error::Damaged { .. } | Error::NewerFormat { .. })) => {
                    outcome.damaged.push((memoseal_crypto::to_hex(&user), error));
                }
                Err(error) => return Err(error),
            }
            done += 1;
            progress(done, total);
        }
        Ok(outcome)
    }

    /// The keyed hashes of all users, from the names of their folders.
    pub(super) async fn user_hashes(&self) -> Result<Vec<KeyedHash>> {
        let folders = folders(self.backend(), self.patience(), &names::users(self.prefix())).await?;
        Ok(folders.iter().filter_map(|folder| names::parse_hash(folder.filename()?)).collect())
    }

    /// Whether the keyring was sealed anew.
    async fn reseal_keyring(&self, user: &KeyedHash, look: Look) -> Result<bool> {
        let series = keyrings::series(self, user);
        #[cfg(feature = "simulation")]
        let series = series.freeing_names(self.env());
        let mut backoff = Backoff::new(self.env(), self.patience());
        // The number at which another was first.
        let mut lost = 0;
        loop {
            let listing = series.list().await?;
            let Some(listed) = listing.newest() else { return Ok(false) };
            if listed < lost {
                return Err(series.hidden(lost));
            }
            let Some(found) = keyrings::find(self, user, Some(listed)).await? else { return Ok(false) };
            // A tombstone holds no key.
            let Some(keyring) = &found.keyring else { return Ok(false) };
            // Taken after the keyring was read, which may have brought a newer header.
            let header = self.open_vault();
            if found.epoch >= header.epoch() {
                match look {
                    Look::BySize => series.supersede(&listing, found.generation).await,
                    Look::Closely => {
                        let is_kept = |generation, bytes: &Bytes| keyrings::is_tombstone(self, user, generation, bytes);
                        series.supersede_closely(&listing, found.generation, is_kept).await;
                    }
                }
                return Ok(false);
            }
            self.probe().await?;
            let generation = found.generation + 1;
            let sealed = keyring.seal(&header, *user, generation, self.env().random.as_ref());
            let sealed = Bytes::from(sealed.map_err(keyring_error)?);
            let path = series.path(generation);
            let new = series.new_generation(&path, &sealed);
            match create(self.backend(), self.env(), self.patience(), new, |there| *there == sealed).await? {
                Created::Ours => {
                    self.keyring_floors().raise(user, generation);
                    series.supersede(&listing, generation).await;
                    return Ok(true);
                }
                Created::Theirs(_) => {
                    lost = generation;
                    backoff.pause().await?;
                }
            }
        }
    }
}
