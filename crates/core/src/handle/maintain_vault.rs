//! Maintenance of a whole vault: every store of every user, and the keyrings.

use std::sync::Arc;

use memoseal_crypto::Keyring;
use tokio::sync::OnceCell;

use super::{
    MaintainOptions, Maintained, Resealed, StoreOptions, Vault, catalogue, destroy,
    directory::{Standing, is_over},
    keyrings::{self, FIRST_LIFE},
    reseal::Look,
    sweep::Swept,
};
use crate::{Error, Result, log::names::KeyedHash};

/// What a maintenance run over a vault did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VaultMaintained {
    /// Each store.
    pub stores: Vec<StoreMaintained>,
    /// The keyrings.
    pub keyrings: Resealed,
    /// Objects of users and stores that were destroyed, which were overwritten with nothing.
    pub emptied: u64,
    /// Names of such objects that were deleted.
    pub deleted: u64,
}

impl VaultMaintained {
    fn add(&mut self, swept: Swept) {
        self.emptied += swept.emptied;
        self.deleted += swept.deleted;
    }
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
    /// that lie under an earlier vault key. What was destroyed is looked for again, and a destruction that was interrupted
    /// is finished. `progress` is told after each user how many of how many are done.
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
        let mut done = VaultMaintained::default();
        if !options.dry_run {
            self.finish_superseding().await?;
            done.keyrings = self.reseal_all(Look::Closely, |_, _| {}).await?;
        }
        let run = Run { vault: self, options, clock_ms: OnceCell::new() };
        let users = self.user_hashes().await?;
        let total = users.len() as u64;
        for (n, user) in (1..).zip(users) {
            match run.maintain_user(&user, &mut done).await {
                Ok(()) => {}
                Err(error @ (Error::Damaged { .. } | Error::NewerFormat { .. } | Error::RolledBack { .. })) => {
                    let (user, store) = (memoseal_crypto::to_hex(&user), String::new());
                    done.stores.push(StoreMaintained { user, store, outcome: Err(error) });
                }
                Err(error) => return Err(error),
            }
            progress(n, total);
        }
        Ok(done)
    }
}

/// One run over a vault.
struct Run<'a> {
    vault: &'a Vault,
    options: &'a MaintainOptions,
    /// The time by the store's own clock, once it was asked.
    clock_ms: OnceCell<i64>,
}

impl Run<'_> {
    /// The time by the store's own clock when the run first needed it. By that, what was destroyed is younger than it is, so
    /// that no name is deleted too early.
    async fn clock(&self) -> Result<i64> {
        self.clock_ms.get_or_try_init(|| self.vault.clock()).await.copied()
    }

    async fn maintain_user(&self, user: &KeyedHash, done: &mut VaultMaintained) -> Result<()> {
        let vault = self.vault;
        let Some(found) = keyrings::find(vault, user, None).await? else { return Ok(()) };
        let (life, generation) = (found.life, found.generation);
        let is_dry = self.options.dry_run;
        let Some(keyring) = found.keyring.map(Arc::new) else {
            if is_dry {
                return Ok(());
            }
            let clock_ms = self.clock().await?;
            done.add(destroy::sweep_user(vault, user, life, generation, Some(clock_ms), &mut |_| {}).await?);
            return Ok(());
        };
        let is_closed = match catalogue::is_closed(vault, &keyring, *user).await {
            // Whoever destroyed the user meanwhile also overwrites what is left.
            Err(error) if error.is_damage() && is_over(vault, user, life).await? => return Ok(()),
            is_closed => is_closed?,
        };
        if is_closed {
            if is_dry {
                return Ok(());
            }
            // Whoever began to destroy the user has stopped, or is not done yet: the order is in the log.
            let actor = StoreOptions::default().actor;
            destroy::destroy_user(vault, user, Some(life), &actor, &mut |_| {}).await?;
            return Ok(());
        }
        if life > FIRST_LIFE && !is_dry {
            let clock_ms = self.clock().await?;
            done.add(destroy::sweep_logs(vault, user, life - 1, Some(clock_ms), &mut |_| {}).await?);
        }
        let name = keyring.user().to_owned();
        for (_, hash) in destroy::logs(vault, user).await? {
            let (store, outcome) = match self.maintain_log(&keyring, user, &hash).await {
                Ok((swept, maintained)) => {
                    done.add(swept);
                    let Some(maintained) = maintained else { continue };
                    maintained
                }
                Err(error) => (memoseal_crypto::to_hex(&hash), Err(error)),
            };
            match outcome {
                Err(error @ (Error::Backend { .. } | Error::OutcomeUnknown { .. })) => return Err(error),
                outcome => done.stores.push(StoreMaintained { user: name.clone(), store, outcome }),
            }
        }
        Ok(())
    }

    /// Maintains what lies under the keyed hash of a store: lives of it that have ended, and the store, if there is one.
    async fn maintain_log(
        &self,
        keyring: &Arc<Keyring>,
        user: &KeyedHash,
        store: &KeyedHash,
    ) -> Result<(Swept, Option<(String, Result<Maintained>)>)> {
        let standing = Standing::of(self.vault, keyring, user, store).await?;
        let mut swept = Swept::default();
        let has_ended_lives =
            !matches!(standing, Standing::Open { store_life: FIRST_LIFE, .. } | Standing::Catalogue | Standing::Absent);
        if has_ended_lives && !self.options.dry_run {
            let clock_ms = self.clock().await?;
            swept = destroy::sweep_store(self.vault, keyring, user, store, Some(clock_ms)).await?;
        }
        let Standing::Open { name, .. } = standing else { return Ok((swept, None)) };
        let maintained = self.maintain_store(keyring.user(), &name).await;
        Ok((swept, Some((name, maintained))))
    }

    async fn maintain_store(&self, user: &str, store: &str) -> Result<Maintained> {
        self.vault.user(user).store(store).open().await?.maintain(self.options).await
    }
}
