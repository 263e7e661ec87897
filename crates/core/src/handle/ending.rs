//! How a handle meets the end of its store: the last commit of the log, or a bucket in which everything that it knew has
//! been overwritten.

use super::{keyrings::Newest, replica::Replica};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    log::{names, names::LogName},
    witness::Seen,
};

impl Replica {
    /// What is answered when the store, or its user, has been destroyed.
    pub(super) fn destroyed(&self) -> Error {
        Error::NotFound {
            what: format!("store {} of user {}", self.store, self.user.name()),
            hint: "it was destroyed; open it again to begin anew".into(),
        }
    }

    /// Refuses to go on where the log has ended.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.confirmed().state.ledger().closed.is_some() { Err(self.destroyed()) } else { Ok(()) }
    }

    /// Damage that may be none: where a store or its user is destroyed, what lay in the bucket is overwritten. Then the
    /// keyring or the head of the log says so.
    pub(super) async fn unless_destroyed<T>(&self, found: Result<T>) -> Result<T> {
        match found {
            Err(error) if error.is_damage() => match self.is_destroyed().await {
                Ok(true) => Err(self.destroyed()),
                Ok(false) => Err(error),
                Err(other) if other.is_damage() => Err(error),
                // Nobody can tell.
                Err(other) => Err(other),
            },
            found => found,
        }
    }

    /// Whether the bucket says that this store, or this life of its user, is gone. Four requests.
    async fn is_destroyed(&self) -> Result<bool> {
        let newest = self.user.keyring().await?;
        if let Newest::Destroyed { life } = newest {
            self.note(&Seen::tombstone(life)).await;
        }
        if newest.life() > self.user_life {
            return Ok(true);
        }
        let (Some(head), Some(keyring)) = (self.head().await?, newest.alive()) else { return Ok(false) };
        let LogName { user_life, store_life, seq, .. } = head.commit;
        if store_life < self.store_life {
            return Ok(false);
        }
        // Whoever has no key can put a name there, but no commit.
        let vault = self.user.vault();
        let keys = StoreKeys::new(keyring, vault.id(), self.id.store, store_life);
        let Some(bytes) = vault.log(names::log(&self.lives, user_life, store_life)).bytes(seq).await? else {
            return Ok(false);
        };
        let newest = Commit::open(&keys, seq, bytes)?;
        let has_ended = store_life > self.store_life || newest.closing().is_some();
        if has_ended {
            self.note(&Seen { user_life, store_life, seq, chain: newest.chain }).await;
        }
        Ok(has_ended)
    }

    /// Notes the end of a log that was met.
    async fn note(&self, seen: &Seen) {
        let vault = self.user.vault();
        if vault.raise_floor(&self.id, seen) {
            vault.saw(&self.id, seen).await;
        }
    }
}
