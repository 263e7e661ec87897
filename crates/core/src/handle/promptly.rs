//! A store that keeps nothing of what was replaced: its handles start the maintenance themselves, soon after a change.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{sync::mpsc::WeakSender, time::timeout};

use super::{
    MaintainOptions, Store,
    replica::Replica,
    writer::{Job, Writer},
};
use crate::state::Retention;

/// How long after the first change that replaced something: what comes until then is done in one go.
const SOON: Duration = Duration::from_secs(30);

/// Starts the maintenance soon, if there is something to remove at once and it is not on its way.
pub(super) fn after_changes(replica: &Arc<Replica>, jobs: &WeakSender<Job>) {
    if !replica.replaced.swap(false, Ordering::AcqRel) {
        return;
    }
    let keeps_nothing = replica.confirmed().state.retention() == Retention::Days(0);
    if !keeps_nothing || replica.maintaining.swap(true, Ordering::AcqRel) {
        return;
    }
    // Without a handle there is nobody whose maintenance it would be.
    let Some(jobs) = jobs.upgrade() else { return };
    let store = Store { replica: Arc::clone(replica), writer: Writer::of(jobs) };
    // A program that settled before this change, when nothing waited, is not about to end now.
    let _ = replica.settling.notified().now_or_never();
    replica.in_background(async move {
        // A program that is about to end does not wait.
        let _ = timeout(SOON, store.replica.settling.notified()).await;
        store.replica.maintaining.store(false, Ordering::Release);
        // As a task of its own, this one waits for what maintenance leaves in the background.
        if let Err(error) = store.maintain_quietly(&MaintainOptions::default()).await {
            tracing::warn!("what was replaced is still there, until the next maintenance: {error}");
        }
    });
}
