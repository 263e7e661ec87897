//! How far each log was seen: by this process as long as a vault is open, and by the witness of this machine, which is
//! told beside the work, since one that lags behind does no harm.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, MutexGuard, PoisonError, atomic::Ordering},
};

use super::{Vault, replica::Replica};
use crate::{
    Result,
    witness::{LogId, Seen},
};

impl Vault {
    /// The furthest that was seen of a log, by this process or by the witness. To be asked before the log is listed.
    pub(crate) async fn floor(&self, log: &LogId) -> Result<Option<Seen>> {
        if self.0.options.accept_rollback {
            return Ok(None);
        }
        let noted = match &self.0.options.witness {
            Some(witness) => witness.read(log).await?,
            None => None,
        };
        let own = self.floors().get(log).copied();
        Ok(own.into_iter().chain(noted).max_by_key(Seen::position))
    }

    pub(crate) fn has_witness(&self) -> bool {
        self.0.options.witness.is_some()
    }

    /// Notes by the witness, if there is one, how far a log was seen.
    ///
    /// A witness that cannot be written to, on a read-only disk perhaps, notices less and stops nobody: that is told
    /// to the log, once.
    pub(crate) async fn saw(&self, log: &LogId, seen: &Seen) {
        let Some(witness) = &self.0.options.witness else { return };
        if let Err(error) = witness.advance(log, seen).await
            && !self.0.witness_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("an older copy of the vault may go unnoticed: {error}");
        }
    }

    /// Notes for as long as this vault is open how far a log was seen. Tells whether that is further than before.
    pub(crate) fn raise_floor(&self, log: &LogId, seen: &Seen) -> bool {
        let mut floors = self.floors();
        let further = floors.get(log).is_none_or(|floor| floor.position() < seen.position());
        if further {
            floors.insert(*log, *seen);
        }
        further
    }

    /// The logs of which something was seen, by this process as long as this vault is open, or by the witness.
    pub(crate) async fn seen_logs(&self) -> Result<BTreeSet<LogId>> {
        let mut logs: BTreeSet<_> = self.floors().keys().copied().collect();
        if let Some(witness) = &self.0.options.witness {
            logs.extend(witness.logs(&self.id()).await?);
        }
        Ok(logs)
    }

    /// Takes what was found for what is right, where the options say so.
    pub(crate) async fn rebase(&self, log: &LogId, seen: Option<&Seen>) -> Result<()> {
        if !self.0.options.accept_rollback {
            return Ok(());
        }
        let noted = match seen {
            Some(seen) => self.floors().insert(*log, *seen),
            None => self.floors().remove(log),
        };
        tracing::debug!(?noted, "the floor of a log was set anew");
        match &self.0.options.witness {
            Some(witness) => witness.rebase(log, seen).await,
            None => Ok(()),
        }
    }

    fn floors(&self) -> MutexGuard<'_, HashMap<LogId, Seen>> {
        self.0.floors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes what is confirmed now. To be called after the log was followed or written to.
pub(super) fn note(replica: &Arc<Replica>) {
    let vault = replica.user.vault();
    let Some(seen) = replica.seen() else { return };
    if !vault.raise_floor(&replica.id, &seen) || !vault.has_witness() {
        return;
    }
    if replica.witnessing.swap(true, Ordering::AcqRel) {
        return;
    }
    let noting = Arc::clone(replica);
    replica.in_background(async move {
        let mut told = None;
        // What comes while the witness is told is told next, all of it at once.
        while let Some(seen) = noting.seen().filter(|seen| Some(seen.position()) > told) {
            told = Some(seen.position());
            noting.user.vault().saw(&noting.id, &seen).await;
        }
        noting.witnessing.store(false, Ordering::Release);
    });
}
