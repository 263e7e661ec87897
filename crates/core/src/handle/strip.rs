//! Taking out of the bucket what the log says is gone.
//!
//! A commit is overwritten with its own sealed header and less payload. Such an overwrite may land late, and carry back
//! what another took out since; so everything that was removed is looked at again, see `maintain`.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::try_join_all;
use tokio::time::{Instant, timeout_at};

use super::replica::Replica;
use crate::{
    Error, Result,
    codec::{Commit, Stripping},
    log::NO_ANSWER,
    state::{Pending, VersionId},
};

/// How many commits are held in memory at once.
const SIDE_BY_SIDE: usize = 16;

/// An overwrite is sent within this time of reading what it overwrites.
const FRESH: Duration = Duration::from_secs(60);

/// So often a batch that took too long is read again.
const TRIES: usize = 3;

/// What a look at the bucket found.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// How many commits were overwritten.
    pub(super) stripped: u64,
    /// Pending versions of which nothing was left, and whether an overwrite of their commit can carry anything back.
    pub(super) clean: Vec<(VersionId, Pending, bool)>,
}

/// Looks at these commits, and strips what the refreshed state calls gone.
pub(super) async fn strip(replica: &Replica, commits: BTreeSet<u64>) -> Result<Look> {
    let mut look = Look::default();
    let commits: Vec<u64> = commits.into_iter().collect();
    for batch in commits.chunks(SIDE_BY_SIDE) {
        let mut tries = 0;
        while !strip_batch(replica, batch, &mut look).await? {
            tries += 1;
            if tries == TRIES {
                let source = object_store::Error::Generic { store: "memoseal", source: NO_ANSWER.into() };
                return Err(Error::backend("cannot remove what was redacted or is too old", source));
            }
        }
    }
    Ok(look)
}

/// Whether it was done in time.
async fn strip_batch(replica: &Replica, batch: &[u64], look: &mut Look) -> Result<bool> {
    let keys = replica.keys().await?;
    let env = replica.user.vault().env();
    let (deadline, begun_ms) = (Instant::now() + FRESH, env.clock.now_ms());
    let read = batch.iter().map(|seq| async move {
        let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but later ones exist");
        Commit::open(keys, *seq, replica.log.bytes(*seq).await?.ok_or_else(missing)?)
    });
    let commits = try_join_all(read).await?;
    // What was removed since goes too.
    replica.catch_up().await?;
    let mut overwrites = Vec::new();
    let mut clean = Vec::new();
    for commit in &commits {
        let pending: Vec<_> = replica.confirmed().state.ledger().pending_in(commit.seq).collect();
        let gone: Vec<_> = pending
            .iter()
            .map(|(version, pending)| Stripping { version: *version, content: pending.content })
            .collect();
        match commit.stripped(&gone)? {
            Some(bytes) => overwrites.push((commit.seq, bytes)),
            None => {
                // Stripped whole, it is always the same bytes.
                let is_whole = commit.links().len() == 1 && commit.is_bare();
                let look = |(id, pending): (VersionId, Pending)| (id, pending, !is_whole || pending.twice);
                clean.extend(pending.into_iter().map(look));
            }
        }
    }
    // By both clocks: one of them stands still while a machine sleeps.
    if Instant::now() >= deadline || env.since_ms(begun_ms) >= FRESH {
        return Ok(false);
    }
    let puts = overwrites.iter().map(|(seq, bytes)| timeout_at(deadline, replica.log.overwrite(*seq, bytes.clone())));
    for put in futures_util::future::join_all(puts).await {
        match put {
            Ok(done) => done?,
            Err(_) => return Ok(false),
        }
        look.stripped += 1;
    }
    look.clean.extend(clean);
    Ok(true)
}
