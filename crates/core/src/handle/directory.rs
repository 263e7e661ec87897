//! Who and what is in a vault, from the bucket and the key alone.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, future::join, stream};
use memoseal_crypto::Keyring;
use object_store::path::Path;

use super::{User, Vault, destroy::logs, keyrings};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    log::{
        Log, list,
        names::{self, KeyedHash},
    },
    state::Closing,
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
            .try_filter_map(|newest| async move { Ok(newest.alive().map(|keyring| keyring.user().to_owned())) })
            .try_collect()
            .await?;
        users.sort();
        Ok(users)
    }
}

impl User {
    /// Whether the vault knows this user: something was written, and the user was not destroyed since. Two requests.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the keyring is not as it was written; [`Error::Backend`].
    pub async fn exists(&self) -> Result<bool> {
        Ok(self.keyring().await?.alive().is_some())
    }

    /// The names of this user's stores, sorted; none if the user does not exist. Three requests, and three a store.
    ///
    /// # Errors
    /// [`Error::Damaged`] if something is not as it was written; [`Error::Backend`].
    pub async fn stores(&self) -> Result<Vec<String>> {
        let (vault, user) = (self.vault(), self.hash());
        let Some(keyring) = self.keyring().await?.alive() else { return Ok(Vec::new()) };
        let mut stores: Vec<String> = stream::iter(logs(vault, &user).await?)
            .map(|(_, store)| {
                let keyring = &keyring;
                async move { Standing::of(vault, keyring, &user, &store).await }
            })
            .buffer_unordered(SIDE_BY_SIDE)
            .try_filter_map(|standing| async move {
                Ok(if let Standing::Open { name, .. } = standing { Some(name) } else { None })
            })
            .try_collect()
            .await?;
        stores.sort();
        Ok(stores)
    }
}

/// What lies under the keyed hash of a store.
#[derive(Debug)]
pub(super) enum Standing {
    /// Nothing of the user's present life.
    Absent,
    /// A store.
    Open { name: String, store_life: u64 },
    /// The log of one that was destroyed, with its last commit.
    Closed { closing: Closing, store_life: u64, seq: u64 },
    /// The catalogue of the stores, open.
    Catalogue,
}

impl Standing {
    /// Three requests.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the first or the last commit is not as it was written.
    pub(super) async fn of(vault: &Vault, keyring: &Arc<Keyring>, user: &KeyedHash, store: &KeyedHash) -> Result<Self> {
        match Self::look(vault, keyring, user, store).await {
            // It may have been destroyed between the listing and the reading.
            Err(error) if error.is_damage() && is_over(vault, user, keyring.life()).await? => Ok(Self::Absent),
            Err(error) if error.is_damage() => Self::look(vault, keyring, user, store).await,
            standing => standing,
        }
    }

    async fn look(vault: &Vault, keyring: &Arc<Keyring>, user: &KeyedHash, store: &KeyedHash) -> Result<Self> {
        let lives = names::lives(vault.prefix(), user, store);
        let head = list::head(vault.backend(), vault.patience().read, &lives).await?;
        let Some(head) = list::of_life(head, keyring.life())?.map(|head| head.commit) else { return Ok(Self::Absent) };
        let store_life = head.store_life;
        let keys = StoreKeys::new(Arc::clone(keyring), vault.id(), *store, store_life);
        let log = vault.log(names::log(&lives, head.user_life, store_life));
        let (last, first) = join(commit(&log, &keys, head.seq), commit(&log, &keys, 1)).await;
        if let Some(closing) = last?.closing() {
            return Ok(Self::Closed { closing, store_life, seq: head.seq });
        }
        match first?.store_name() {
            Some("") => Ok(Self::Catalogue),
            Some(name) => Ok(Self::Open { name: name.to_owned(), store_life }),
            None => Err(Error::damaged("commit 1", "it names no store")),
        }
    }

    /// What the last commit of one life of a log says that goes, and its number; nothing if the log goes on. Two requests.
    pub(super) async fn end_of(
        vault: &Vault,
        keyring: &Arc<Keyring>,
        lives: &Path,
        store: &KeyedHash,
        store_life: u64,
    ) -> Result<Option<(Closing, u64)>> {
        let life = (keyring.life(), store_life);
        let newest = list::newest_commit(vault.backend(), vault.patience().read, lives, life).await?;
        let Some(seq) = newest else { return Ok(None) };
        let keys = StoreKeys::new(Arc::clone(keyring), vault.id(), *store, store_life);
        let last = commit(&vault.log(names::log(lives, life.0, store_life)), &keys, seq).await?;
        Ok(last.closing().map(|closing| (closing, seq)))
    }
}

/// Whether this life of the user has been destroyed. Two requests.
pub(super) async fn is_over(vault: &Vault, user: &KeyedHash, life: u64) -> Result<bool> {
    Ok(keyrings::newest(vault, user).await?.life() > life)
}

async fn commit(log: &Log, keys: &StoreKeys, seq: u64) -> Result<Commit> {
    let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but the log has others");
    Commit::open(keys, seq, log.bytes(seq).await?.ok_or_else(missing)?)
}
