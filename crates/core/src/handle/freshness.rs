//! How old what a handle knows is.
//!
//! The names of a log that was destroyed are deleted seven days later. A handle that still took such a name for the next
//! one of its log could write there. So a handle that has had no definite answer for a day opens anew, keyring
//! included, before it answers or writes.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{opening, replica::Replica};
use crate::{Result, env::Env};

/// How long what a handle knows counts.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// When the bucket was asked, by both clocks: one of them stands still while a machine sleeps, the other may be set back.
/// Taken before the request is sent: its answer may wait on a machine that sleeps, and says nothing about that time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    wall_ms: i64,
    monotonic: Instant,
}

impl Asked {
    pub(super) fn now(env: &Env) -> Self {
        Self { wall_ms: env.clock.now_ms(), monotonic: Instant::now() }
    }
}

/// When the bucket was asked what it last gave a definite answer to.
#[derive(Debug)]
pub(super) struct Freshness(Mutex<Asked>);

impl Freshness {
    pub(super) fn since(asked: Asked) -> Self {
        Self(Mutex::new(asked))
    }

    /// Notes a definite answer.
    pub(super) fn renew(&self, asked: Asked) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.monotonic >= last.monotonic {
            *last = asked;
        }
    }

    pub(super) fn last(&self) -> Asked {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the last definite answer is more than a day old.
    pub(super) fn is_stale(&self, env: &Env) -> bool {
        let Asked { wall_ms, monotonic } = self.last();
        env.since_ms(wall_ms) >= STALE || monotonic.elapsed() >= STALE
    }
}

impl Replica {
    /// Opens anew if what is known here is more than a day old. No request where it is not.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] if the store or its user was destroyed meanwhile; those of opening.
    pub(super) async fn freshen(&self) -> Result<()> {
        if !self.is_stale() {
            return Ok(());
        }
        let fresh = Box::pin(opening::open(self.user.clone(), self.store.clone(), self.options.clone())).await?;
        self.replace_by(fresh)
    }
}
