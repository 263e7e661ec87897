//! Maintenance: what is too old goes, what was removed is looked for again, a checkpoint that is due is written.
//!
//! Any number of processes may do it at once, and again after it was interrupted: every step is a change in the log or
//! follows from one.

use std::collections::BTreeSet;

use super::{
    Store, blocks, checkpoints,
    order::Order,
    plan::Turn,
    replica::Confirmed,
    strip::{self, Look},
};
use crate::{
    Error, Result,
    codec::Actor,
    command::{Command, Reply},
    log::list,
    path::MemoryPath,
    state::{DAY_MS, Retention},
};

/// For so long after the first look that found it clean, what was removed is looked for again.
const WATCHED_MS: i64 = DAY_MS;

/// The most commits whose replaced versions go by one change in the log.
const STEP: u64 = 1_024;

/// What to do in a maintenance run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MaintainOptions {
    /// Whether what is older than the store's retention goes; default yes.
    pub expire: bool,
    /// Memories that nobody is known to have read or written for so many days are deleted, as by hand: they can be
    /// restored as long as the store keeps what was deleted. Default: none.
    ///
    /// A reading is known when the handle that read has written since, or was maintained. What other handles have only
    /// read, nobody knows; let each of them be maintained now and then.
    pub unused_days: Option<u32>,
    /// Only tell what `unused_days` would delete; nothing else is done either, but for the store's clock.
    pub dry_run: bool,
}

impl Default for MaintainOptions {
    fn default() -> Self {
        Self { expire: true, unused_days: None, dry_run: false }
    }
}

/// What a maintenance run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintained {
    /// Memories that were deleted because nobody used them, or would be.
    pub unused: Vec<MemoryPath>,
    /// Versions that lost their record or their content because they are older than the store keeps them.
    pub expired: u64,
    /// Commits that were overwritten without what was removed from them.
    pub stripped: u64,
    /// Blocks of history that were missing and were written.
    pub blocks: u64,
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
        let done = self.maintain_quietly(options).await?;
        self.replica.settle().await;
        Ok(done)
    }

    /// [`Store::maintain`], without waiting for what else runs in the background.
    pub(super) async fn maintain_quietly(&self, options: &MaintainOptions) -> Result<Maintained> {
        self.replica.unless_destroyed(self.try_maintain(options).await).await
    }

    async fn try_maintain(&self, options: &MaintainOptions) -> Result<Maintained> {
        self.check_writable()?;
        self.replica.unless_destroyed(self.maintain_steps(options).await).await
    }

    async fn maintain_steps(&self, options: &MaintainOptions) -> Result<Maintained> {
        let replica = &self.replica;
        let mut done = Maintained::default();
        replica.catch_up().await?;
        if replica.confirmed().seq == 0 {
            return Ok(done);
        }
        if options.dry_run {
            if let Some(days) = options.unused_days {
                done.unused = self.unused(days).await?;
            }
            return Ok(done);
        }
        while self.writer.order(Order::NoteReads).await?.seq.is_some() {}
        // First: what expires is found in them.
        done.blocks = blocks::write_missing(replica).await?;
        let clock_ms = replica.user.vault().clock().await?;
        if options.expire {
            done.expired = self.expire(clock_ms).await?;
        }
        if let Some(days) = options.unused_days {
            done.unused = self.delete_unused(days, clock_ms).await?;
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
        done.pending = replica.confirmed().state.ledger().pending.len() as u64;
        Ok(done)
    }

    /// What nobody is known to have used for so long.
    async fn unused(&self, days: u32) -> Result<Vec<MemoryPath>> {
        let clock_ms = self.replica.user.vault().clock().await?;
        let unused = |now: &Confirmed| {
            let memories = now.state.iter().filter(|memory| memory.is_unused(days, clock_ms));
            memories.map(|memory| memory.path.clone()).collect()
        };
        self.replica.at_head(unused).await
    }

    async fn delete_unused(&self, days: u32, now_ms: i64) -> Result<Vec<MemoryPath>> {
        let mut deleted = Vec::new();
        loop {
            let actor = Actor::Local { name: format!("maintain --expire-unused {days}") };
            let turn = Turn { commands: vec![Command::DeleteUnused { days, now_ms }], actor };
            let reply = self.writer.submit(turn).await.into_iter().next().transpose()?;
            match reply {
                Some(Reply::Deleted(paths)) if !paths.is_empty() => deleted.extend(paths),
                Some(Reply::Deleted(_)) | None => return Ok(deleted),
                Some(other) => return Err(Error::Invalid(format!("an answer of another command: {other:?}"))),
            }
        }
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
        let times = list::times(vault.backend(), vault.patience(), &replica.lives, life, cursor).await?;
        // The newest commit that is old enough. Those before it are at least as old, whatever their own times say: a strip
        // renews the time of what it overwrites.
        // A HEAD, which tells the clock, gives whole seconds (RFC 9110, 5.6.7), and a listing may give more: what was written
        // in this very second would be from the future.
        let second = |ms: i64| ms.div_euclid(1000) * 1000;
        let is_old = |at_ms: i64| second(clock_ms) - second(at_ms) >= i64::from(days) * DAY_MS;
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
