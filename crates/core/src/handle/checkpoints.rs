//! When a checkpoint is due, and writing it beside the work.
//!
//! A checkpoint is due when the commits since the last one weigh as much as it does, not before 32 of them and always
//! by 448. The writer of the commit that reaches this mark writes it; if it has not come 32 commits later, because
//! that writer is gone, any writer does. Losing one loses nothing.

use std::sync::{Arc, atomic::Ordering};

use super::replica::Replica;
use crate::{Error, Result, codec::SealedCheckpoint};

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
    let (seq, chain, memories, deleted, then) = {
        let confirmed = replica.confirmed();
        let memories: Vec<_> = confirmed.state.iter().map(Arc::clone).collect();
        let deleted: Vec<_> = confirmed.state.deleted().cloned().collect();
        (confirmed.seq, confirmed.chain(&keys), memories, deleted, confirmed.mark)
    };
    let env = vault.env().clone();
    let seal = move || {
        let memories = memories.iter().map(AsRef::as_ref);
        SealedCheckpoint::seal(&keys, seq, &chain, memories, &deleted, || env.random())
    };
    let sealed = tokio::task::spawn_blocking(seal)
        .await
        .map_err(|stopped| Error::Invalid(format!("the work was stopped: {stopped}")))??;
    replica.log.create_checkpoint(vault.env(), seq, &sealed).await?;
    replica.checkpointed(|mark| mark.since(&then, sealed.bytes.len() as u64));
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
    let listed = replica.head().await?;
    for (seq, _) in listed.iter().flat_map(|head| &head.checkpoints).skip(KEPT) {
        replica.log.delete_checkpoint(*seq).await?;
    }
    Ok(())
}
