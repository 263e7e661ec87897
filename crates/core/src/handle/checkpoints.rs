//! When a checkpoint is due, and writing it beside the work.
//!
//! A checkpoint is due when the commits since the last one weigh as much as it does, not before 32 of them and always
//! by 448. The writer of the commit that reaches this mark writes it; if it has not come 32 commits later, because
//! that writer is gone, any writer does. Losing one loses nothing.

use std::sync::{Arc, atomic::Ordering};

use super::{replica::Replica, vault::blocking};
use crate::{
    Result,
    codec::{SealedCheckpoint, StoreFields},
};

const FEWEST: u64 = 32;
const MOST: u64 = 448;
const OVERDUE: u64 = 32;
/// The newest checkpoints that are kept. A reader may be about to read the last but one.
const KEPT: usize = 2;

/// How far the log has gone since the last checkpoint that this process knows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// The size of the last checkpoint in bytes.
    last_bytes: u64,
    commits: u64,
    bytes: u64,
    /// The commit by which the next checkpoint became due.
    due: Option<u64>,
}

/// Whether a commit calls for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    No,
    /// It reached the mark: its writer writes the checkpoint.
    Due,
    /// The mark was reached long ago: somebody else should have written it.
    Overdue,
}

impl Mark {
    /// The mark of a log whose last checkpoint has this size.
    pub(super) fn after(last_bytes: u64) -> Self {
        Self { last_bytes, ..Self::default() }
    }

    /// Counts a commit.
    pub(super) fn commit(&mut self, seq: u64, bytes: u64) {
        self.commits += 1;
        self.bytes += bytes;
        let due = self.commits >= MOST || (self.commits >= FEWEST && self.bytes >= self.last_bytes);
        if due && self.due.is_none() {
            self.due = Some(seq);
        }
    }

    /// Whether a checkpoint should have been written.
    fn is_due(&self) -> bool {
        self.due.is_some()
    }

    /// What commit `seq`, just made by this process, calls for.
    pub(super) fn call(&self, seq: u64) -> Call {
        match self.due {
            Some(due) if due == seq => Call::Due,
            Some(due) if seq >= due + OVERDUE => Call::Overdue,
            _ => Call::No,
        }
    }

    /// The mark after a checkpoint of the state at which it was `then`.
    fn since(&self, then: &Self, last_bytes: u64) -> Self {
        let commits = self.commits.saturating_sub(then.commits);
        Self { last_bytes, commits, bytes: self.bytes.saturating_sub(then.bytes), due: None }
    }
}

/// Writes a checkpoint beside the work, if commit `seq` of this process calls for one and none is on its way.
pub(super) fn after_commit(replica: &Arc<Replica>, seq: u64) {
    let call = replica.confirmed().mark.call(seq);
    if call == Call::No || replica.checkpointing.swap(true, Ordering::AcqRel) {
        return;
    }
    let writer = Arc::clone(replica);
    replica.in_background(async move {
        if let Err(error) = write(&writer, call).await {
            // The log has everything; a writer that comes later finds the checkpoint overdue.
            tracing::warn!("no checkpoint was written: {error}");
        }
        writer.checkpointing.store(false, Ordering::Release);
    });
}

async fn write(replica: &Replica, call: Call) -> Result<()> {
    let vault = replica.user.vault();
    if call == Call::Overdue && adopted(replica).await? {
        return Ok(());
    }
    let keys = replica.keys().await?.clone();
    let (seq, chain, memories, deleted, store, then) = {
        let confirmed = replica.confirmed();
        if confirmed.state.ledger().closed.is_some() {
            return Err(replica.destroyed());
        }
        let mut memories: Vec<_> = confirmed.state.memories().map(Arc::clone).collect();
        memories.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let store = StoreFields::of(&confirmed.state);
        let deleted: Vec<_> = confirmed.state.deleted().cloned().collect();
        (confirmed.seq, confirmed.chain(&keys), memories, deleted, store, confirmed.mark)
    };
    let env = vault.env().clone();
    let seal = move || {
        let memories = memories.iter().map(AsRef::as_ref);
        SealedCheckpoint::seal(&keys, seq, &chain, memories, &deleted, store, || env.random())
    };
    let sealed = blocking(vault.env(), seal).await?;
    replica.log.create_checkpoint(vault.env(), seq, &sealed).await?;
    replica.checkpointed(|mark| mark.since(&then, sealed.bytes.len() as u64));
    // What was removed while it was written must not stay in it. Whoever removed it may not have seen it.
    replica.catch_up().await?;
    if newest_removal(replica) > seq {
        replica.log.delete_checkpoint(seq).await?;
    }
    delete_old(replica).await
}

fn newest_removal(replica: &Replica) -> u64 {
    #[cfg(feature = "simulation")]
    if replica.user.vault().env().has(crate::simulation::Planted::LateCheckpoint) {
        return 0;
    }
    replica.confirmed().state.ledger().newest_removal
}

/// Writes a checkpoint if there are older ones than the newest removal and none that is newer; then the older ones are
/// deleted. Also writes one that is due.
pub(super) async fn after_removal(replica: &Replica) -> Result<()> {
    replica.catch_up().await?;
    let removal = newest_removal(replica);
    let listed = replica.head().await?.map(|head| head.checkpoints).unwrap_or_default();
    let is_stale = listed.iter().any(|(seq, _)| *seq < removal) && listed.iter().all(|(seq, _)| *seq < removal);
    if is_stale || replica.confirmed().mark.is_due() {
        return write(replica, Call::Due).await;
    }
    delete_old(replica).await
}

/// Whether somebody else has written the checkpoint that is overdue here; then it counts from now on.
async fn adopted(replica: &Replica) -> Result<bool> {
    let Some(head) = replica.head().await? else { return Ok(false) };
    let (seq, mark) = {
        let confirmed = replica.confirmed();
        (confirmed.seq, confirmed.mark)
    };
    let Some((newest, bytes)) = head.checkpoints.first().copied() else { return Ok(false) };
    let begin = seq.saturating_sub(mark.commits);
    if newest <= begin || newest > seq {
        return Ok(false);
    }
    // What the commits up to it weighed is not known exactly; their share of the whole is near enough.
    let commits = newest - begin;
    let then = Mark { commits, bytes: mark.bytes / mark.commits.max(1) * commits, ..mark };
    replica.checkpointed(|mark| mark.since(&then, bytes));
    Ok(true)
}

async fn delete_old(replica: &Replica) -> Result<()> {
    let listed = replica.head().await?.map(|head| head.checkpoints).unwrap_or_default();
    let removal = newest_removal(replica);
    // One from before a removal holds what was removed. It is not needed where a newer one exists.
    let has_newer = listed.iter().any(|(seq, _)| *seq >= removal);
    for (at, (seq, _)) in listed.iter().enumerate() {
        if at >= KEPT || (has_newer && *seq < removal) {
            replica.log.delete_checkpoint(*seq).await?;
        }
    }
    Ok(())
}
