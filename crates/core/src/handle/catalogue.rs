//! The catalogue of a user's stores: a log of the same kind, under the empty name, which no store can have.
//!
//! A store is entered before its first commit, so that whoever destroys the user, and closes the catalogue first, knows
//! every store that can still come: a store that is not entered by then cannot be made any more. The store `default` of a
//! user that was never destroyed needs no entry, since everybody knows of it.

use std::{collections::BTreeMap, sync::Arc};

use memoseal_crypto::Keyring;

use super::{
    Vault,
    keyrings::FIRST_LIFE,
    replica::Replica,
    tail::{Added, Tail},
    user::{DEFAULT_STORE, not_sent},
};
use crate::{
    Result,
    codec::{Actor, StoreKeys},
    log::{
        for_each_commit,
        names::{self, KeyedHash},
    },
    state::{Closing, Note},
};

/// The name of the catalogue among the user's stores.
const NAME: &str = "";

/// The keyed hash under which the catalogue of a user lies.
pub(super) fn hash(vault: &Vault, user: &str) -> KeyedHash {
    names::store_hash(vault.open_vault().name_key(), user, NAME)
}

fn tail<'a>(vault: &'a Vault, keyring: Arc<Keyring>, user: KeyedHash) -> Tail<'a> {
    let hash = hash(vault, keyring.user());
    Tail::new(vault, keyring, user, hash, FIRST_LIFE)
}

/// Enters a store that has no commit yet, where it has to be.
///
/// # Errors
/// [`crate::Error::NotFound`] if the user is being destroyed.
pub(super) async fn enter(replica: &Replica, keys: &StoreKeys) -> Result<()> {
    let life = replica.store_life;
    if replica.store == DEFAULT_STORE && life == FIRST_LIFE {
        return Ok(());
    }
    let entry = Note::Entered { store: replica.id.store, life };
    let tail = tail(replica.user.vault(), keys.shared_keyring(), replica.id.user);
    let added = replica.unless_destroyed(tail.add(Some(NAME), entry, &replica.options.actor).await).await;
    match added.map_err(|error| not_sent("the catalogue of the user's stores", error))? {
        Added::At(_) => Ok(()),
        Added::Closed(..) => Err(replica.destroyed()),
    }
}

/// Closes a user's catalogue for good, and tells what stands in it: the newest life of each store, by its keyed hash.
pub(super) async fn close(
    vault: &Vault,
    keyring: &Arc<Keyring>,
    user: KeyedHash,
    actor: &Actor,
) -> Result<BTreeMap<KeyedHash, u64>> {
    let tail = tail(vault, Arc::clone(keyring), user);
    let (Added::At(last) | Added::Closed(_, last)) = tail.add(Some(NAME), Note::Closed(Closing::User), actor).await?;
    let mut lives = BTreeMap::new();
    for_each_commit(tail.commits(last), |commit| {
        for note in commit.notes() {
            if let Note::Entered { store, life } = note {
                let newest = lives.entry(store).or_insert(life);
                *newest = life.max(*newest);
            }
        }
        Ok(())
    })
    .await?;
    Ok(lives)
}

/// Whether somebody has begun to destroy this user.
pub(super) async fn is_closed(vault: &Vault, keyring: &Arc<Keyring>, user: KeyedHash) -> Result<bool> {
    let newest = tail(vault, Arc::clone(keyring), user).newest().await?;
    Ok(newest.is_some_and(|commit| commit.closing().is_some()))
}
