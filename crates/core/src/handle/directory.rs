//! Who and what is in a vault, from the bucket and the key alone.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{User, Vault, keyrings};
use crate::{
    Error, Result,
    codec::StoreKeys,
    log::{in_time, list, names},
};

/// How many users or stores are looked at side by side.
const SIDE_BY_SIDE: usize = 16;

impl Vault {
    /// The names of all users, sorted. One listing for each 1,000 users, and two requests a user.
    ///
    /// # Errors
    /// [`Error::Damaged`] if a keyring is not as it was written; [`Error::Backend`].
    pub async fn users(&self) -> Result<Vec<String>> {
        let mut users: Vec<String> = stream::iter(self.user_hashes().await?)
            .map(|hash| async move { keyrings::newest(self, &hash).await })
            .buffer_unordered(SIDE_BY_SIDE)
            .try_filter_map(|keyring| async move { Ok(keyring.map(|keyring| keyring.user().to_owned())) })
            .try_collect()
            .await?;
        users.sort();
        Ok(users)
    }
}

impl User {
    /// The names of this user's stores, sorted; none if the user does not exist. Three requests, and two a store.
    ///
    /// # Errors
    /// [`Error::Damaged`] if something is not as it was written; [`Error::Backend`].
    pub async fn stores(&self) -> Result<Vec<String>> {
        let vault = self.vault();
        let (backend, limit) = (vault.backend(), vault.patience().read);
        let Some(keyring) = self.keyring().await? else { return Ok(Vec::new()) };
        let logs = names::logs(vault.prefix(), &self.hash());
        let listed = in_time(limit, backend.rest().list_with_delimiter(Some(&logs))).await;
        let folders = listed.map_err(|error| Error::backend("cannot list the user's stores", error))?.common_prefixes;
        let mut stores: Vec<String> = stream::iter(folders)
            .map(|lives| {
                let keyring = std::sync::Arc::clone(&keyring);
                async move {
                    let Some(hash) = lives.filename().and_then(names::parse_hash) else { return Ok(None) };
                    let head = list::head(backend, limit, &lives).await?.map(|head| head.commit);
                    let Some(head) = head.filter(|head| head.user_life == keyring.life()) else { return Ok(None) };
                    let keys = StoreKeys::new(keyring, vault.id(), hash, head.store_life);
                    let log = vault.log(names::log(&lives, head.user_life, head.store_life));
                    let first = std::pin::pin!(log.commits(&keys, [1])).try_next().await?;
                    Ok(first.and_then(|commit| commit.store_name().map(str::to_owned)))
                }
            })
            .buffer_unordered(SIDE_BY_SIDE)
            .try_filter_map(|name: Option<String>| async move { Ok(name) })
            .try_collect()
            .await?;
        stores.sort();
        Ok(stores)
    }
}
