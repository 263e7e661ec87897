//! Telling the witness how far a log was seen, beside the work: a witness that lags behind does no harm.

use std::sync::{Arc, atomic::Ordering};

use super::replica::Replica;

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
