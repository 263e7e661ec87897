//! Maintenance of a whole vault: every store of every user, and the keyrings.

use std::sync::Arc;

use futures_util::TryStreamExt;

use super::{MaintainOptions, Maintained, Resealed, Vault, keyrings};
use crate::{
    Error, Result,
    codec::StoreKeys,
    log::{
        in_time, list,
        names::{self, KeyedHash},
    },
};

/// What a maintenance run over a vault did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VaultMaintained {
    /// Each store.
    pub stores: Vec<StoreMaintained>,
    /// The keyrings.
    pub keyrings: Resealed,
}

/// What became of one store in a maintenance run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoreMaintained {
    /// The user's name; the keyed hash where the name cannot be read.
    pub user: String,
    /// The store's name; the keyed hash where the name cannot be read.
    pub store: String,
    /// What was done, or why not all of it was.
    pub outcome: Result<Maintained>,
}

impl Vault {
    /// Maintains every store of every user (see [`Store::maintain`](super::Store::maintain)), and seals keyrings anew
    /// that lie under an earlier vault key. `progress` is told after each user how many of how many are done.
    ///
    /// What is damaged is told, and the rest is done all the same.
    ///
    /// # Errors
    /// [`Error::Backend`] if the vault cannot be reached or written. What was done until then stays done.
    pub async fn maintain(
        &self,
        options: &MaintainOptions,
        mut progress: impl FnMut(u64, u64) + Send,
    ) -> Result<VaultMaintained> {
        let mut done =
            VaultMaintained { keyrings: self.reseal_keyrings(|_, _| {}).await?, ..VaultMaintained::default() };
        let users = self.user_hashes().await?;
        let total = users.len() as u64;
        for (n, user) in (1..).zip(users) {
            match self.maintain_user(&user, options, &mut done.stores).await {
                Ok(()) => {}
                Err(error @ (Error::Damaged { .. } | Error::NewerFormat { .. })) => {
                    let (user, store) = (memoseal_crypto::to_hex(&user), String::new());
                    done.stores.push(StoreMaintained { user, store, outcome: Err(error) });
                }
                Err(error) => return Err(error),
            }
            progress(n, total);
        }
        Ok(done)
    }

    async fn maintain_user(
        &self,
        user: &KeyedHash,
        options: &MaintainOptions,
        stores: &mut Vec<StoreMaintained>,
    ) -> Result<()> {
        let Some(keyring) = keyrings::newest(self, user).await? else { return Ok(()) };
        let name = keyring.user().to_owned();
        let logs = names::logs(self.prefix(), user);
        let listed = in_time(self.patience().read, self.backend().rest().list_with_delimiter(Some(&logs))).await;
        let folders = listed.map_err(|error| Error::backend("cannot list the vault", error))?.common_prefixes;
        for hash in folders.iter().filter_map(|folder| names::parse_hash(folder.filename()?)) {
            let keys = |life| StoreKeys::new(Arc::clone(&keyring), self.id(), hash, life);
            let (store, outcome) = match self.store_name(user, &hash, keyring.life(), keys).await {
                Ok(None) => continue,
                Ok(Some(store)) => {
                    let outcome = self.maintain_store(&name, &store, options).await;
                    (store, outcome)
                }
                Err(error) => (memoseal_crypto::to_hex(&hash), Err(error)),
            };
            match outcome {
                Err(error @ (Error::Backend { .. } | Error::OutcomeUnknown { .. })) => return Err(error),
                outcome => stores.push(StoreMaintained { user: name.clone(), store, outcome }),
            }
        }
        Ok(())
    }

    /// The name of a store, from its first commit; nothing if it has no log in this life of the user.
    async fn store_name(
        &self,
        user: &KeyedHash,
        store: &KeyedHash,
        user_life: u64,
        keys: impl FnOnce(u64) -> StoreKeys,
    ) -> Result<Option<String>> {
        let lives = names::lives(self.prefix(), user, store);
        let head = list::head(self.backend(), self.patience().read, &lives).await?;
        let Some(head) = head.filter(|head| head.commit.user_life == user_life) else { return Ok(None) };
        let keys = keys(head.commit.store_life);
        let log = self.log(names::log(&lives, user_life, head.commit.store_life));
        let first = std::pin::pin!(log.commits(&keys, [1])).try_next().await?;
        let name = first.and_then(|commit| commit.store_name().map(str::to_owned));
        name.map(Some).ok_or_else(|| Error::damaged("commit 1", "it names no store"))
    }

    async fn maintain_store(&self, user: &str, store: &str, options: &MaintainOptions) -> Result<Maintained> {
        self.user(user).store(store).open().await?.maintain(options).await
    }
}
