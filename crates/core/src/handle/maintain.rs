//! Maintenance: what is too old goes, what was removed is looked for again, a checkpoint that is due is written.
//!
//! Any number of processes may do it at once, and again after it was interrupted: every step is a change in the log or
//! follows from one.

use std::collections::BTreeSet;

use bytes::Bytes;
use object_store::ObjectStoreExt;

use super::{
    Store, checkpoints,
    order::Order,
    strip::{self, Look},
};
use crate::{
    Error, Result,
    log::{in_time, list, names},
    state::Retention,
};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// For so long after the first look that found it clean, what was removed is looked for again.
const WATCHED_MS: i64 = DAY_MS;

/// The most commits whose replaced versions go by one change in the log.
const STEP: u64 = 1_024;

/// What lies in the object whose time tells the store's clock.
const CLOCK: &[u8] = b"memoseal\n";

/// What to do in a maintenance run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MaintainOptions {
    /// Whether what is older than the store's retention goes; default yes.
    pub expire: bool,
}

impl Default for MaintainOptions {
    fn default() -> Self {
        Self { expire: true }
    }
}

/// What a maintenance run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintained {
    /// Versions that lost their record or their content because they are older than the store keeps them.
    pub expired: u64,
    /// Commits that were overwritten without what was removed from them.
    pub stripped: u64,
    /// Versions that will be looked at again, by a run in a day or later.
    pub pending: u64,
}

impl Store {
    /// How long versions that were replaced are kept. One request.
    ///
    /// # Errors
    /// Those of [`Store::execute`].
    pub async fn retention(&self) -> Result<Retention> {
        self.replica.catch_up().await?;
        Ok(self.replica.confirmed().state.retention())
    }

    /// Sets how long versions that were replaced are kept. Tells whether that is a change. What is older goes with the
    /// next maintenance; what is gone does not come back.
    ///
    /// # Errors
    /// [`Error::Invalid`] in a read-only handle; those of [`Store::execute`].
    pub async fn set_retention(&self, retention: Retention) -> Result<bool> {
        self.check_writable()?;
        Ok(self.writer.order(Order::Retain(retention)).await?.seq.is_some())
    }

    /// Does what has to be done now and then: removes versions that are older than the store keeps them, looks whether
    /// what was removed before is really gone, and writes a checkpoint if one is due.
    ///
    /// How old something is is told by the store's own clock, never by this machine's.
    ///
    /// # Errors
    /// [`Error::Invalid`] in a read-only handle; those of [`Store::execute`]. What was done until then stays done, and
    /// the next run goes on.
    pub async fn maintain(&self, options: &MaintainOptions) -> Result<Maintained> {
        self.check_writable()?;
        let replica = &self.replica;
        let mut done = Maintained::default();
        replica.catch_up().await?;
        if replica.confirmed().seq == 0 {
            return Ok(done);
        }
        let clock_ms = self.clock().await?;
        if options.expire {
            done.expired = self.expire(clock_ms).await?;
        }
        // Twice: what the first look had to strip is clean by the second.
        for _ in 0..2 {
            let look = self.look(clock_ms).await?;
            done.stripped += look.stripped;
            if look.stripped == 0 {
                break;
            }
        }
        checkpoints::after_removal(replica).await?;
        replica.settle().await;
        done.pending = replica.confirmed().state.ledger().pending.len() as u64;
        Ok(done)
    }

    /// The time by the store's own clock. Two requests.
    async fn clock(&self) -> Result<i64> {
        let vault = self.replica.user.vault();
        let (limit, path) = (vault.patience().read, names::clock(vault.prefix()));
        let store = vault.backend().rest();
        let failed = |error| Error::backend("cannot read the store's clock", error);
        in_time(limit, store.put(&path, Bytes::from_static(CLOCK).into())).await.map_err(failed)?;
        let found = in_time(limit, store.head(&path)).await.map_err(failed)?;
        Ok(found.last_modified.timestamp_millis())
    }

    /// Marks what is too old. Gives how many versions that were.
    async fn expire(&self, clock_ms: i64) -> Result<u64> {
        let replica = &self.replica;
        let (retention, cursor) = {
            let confirmed = replica.confirmed();
            (confirmed.state.retention(), confirmed.state.ledger().expired)
        };
        let Retention::Days(days) = retention else { return Ok(0) };
        let vault = replica.user.vault();
        let life = (replica.user_life, replica.store_life);
        let times = list::times(vault.backend(), vault.patience().read, &replica.lives, life, cursor).await?;
        // The newest commit that is old enough. Those before it are at least as old, whatever their own times say: a strip
        // renews the time of what it overwrites.
        let is_old = |at_ms: i64| clock_ms.saturating_sub(at_ms) >= i64::from(days) * DAY_MS;
        let last = times.into_iter().find(|(_, at_ms)| is_old(*at_ms));
        let Some((last, _)) = last else { return Ok(0) };
        let mut expired = 0;
        loop {
            let cursor = replica.confirmed().state.ledger().expired;
            if cursor >= last {
                return Ok(expired);
            }
            let ordered = self.writer.order(Order::Expire { upto: last.min(cursor + STEP) }).await?;
            if ordered.seq.is_none() {
                return Ok(expired);
            }
            expired += ordered.outcome.removal.versions().count() as u64;
        }
    }

    /// Looks at everything that was removed and may have come back, or was never stripped, and notes what is clean.
    async fn look(&self, clock_ms: i64) -> Result<Look> {
        let replica = &self.replica;
        let commits: BTreeSet<u64> = replica.confirmed().state.ledger().pending.keys().map(|id| id.seq).collect();
        let look = strip::strip(replica, commits).await?;
        let (mut clean, mut done) = (Vec::new(), Vec::new());
        for (id, pending, can_come_back) in &look.clean {
            #[cfg(feature = "simulation")]
            if replica.user.vault().env().has(crate::simulation::Planted::NoSecondLook) {
                done.push(*id);
                continue;
            }
            match pending.clean_ms {
                _ if !can_come_back => done.push(*id),
                None => clean.push(*id),
                Some(first) if clock_ms.saturating_sub(first) >= WATCHED_MS => done.push(*id),
                Some(_) => {}
            }
        }
        if !clean.is_empty() || !done.is_empty() {
            self.writer.order(Order::Looked { clean, done, clock_ms }).await?;
        }
        Ok(look)
    }
}
