//! Put-if-absent, decided: the one way in which anything new gets into the bucket.
//!
//! A create that failed may have landed. So whatever is not a definite success is followed by a look at the key:
//! our own bytes there mean that it landed, other bytes that somebody else was first, and nothing there that the very
//! same bytes may be sent again, never sealed anew. That goes on for a while; then the outcome is called unknown.

use std::time::Duration;

use bytes::Bytes;
use object_store::{PutMode, PutOptions, path::Path};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    answer::{is_full, is_refusal},
    read::{Found, NO_ANSWER, get, too_large},
};
use crate::{Backend, Error, Result, env::Env};

/// How long the engine goes on before it gives up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patience {
    /// How long a create is tried, and looked for, before its outcome is called unknown; default 30 s. A body gets as
    /// much again for each whole 8 MiB.
    pub create: Duration,
    /// How long one read or listing may take before it counts as failed; default 30 s.
    pub read: Duration,
    /// The first pause between two attempts; it doubles each time, up to 64 times as long, with jitter. Default 50 ms.
    pub pause: Duration,
    /// The most names that one listing may have before it is taken for one that never ends; default 100 million.
    pub names: u64,
}

impl Default for Patience {
    fn default() -> Self {
        let (create, read) = (Duration::from_secs(30), Duration::from_secs(30));
        Self { create, read, pause: Duration::from_millis(50), names: 100_000_000 }
    }
}

impl Patience {
    /// When a create of so many bytes is given up.
    pub(crate) fn deadline(&self, len: usize) -> Instant {
        let more = u32::try_from(len / (8 * 1024 * 1024)).unwrap_or(u32::MAX);
        let patience = self.create.saturating_mul(more.saturating_add(1)).min(ENDLESS);
        Instant::now() + patience
    }
}

/// Longer than any process waits, and short enough to be added to any time.
const ENDLESS: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Pauses that grow, with jitter, so that two losers do not meet again.
pub(crate) struct Backoff<'a> {
    env: &'a Env,
    next: Duration,
    longest: Duration,
}

impl<'a> Backoff<'a> {
    pub(crate) fn new(env: &'a Env, patience: &Patience) -> Self {
        Self { env, next: patience.pause, longest: patience.pause.saturating_mul(64).min(ENDLESS) }
    }

    /// Waits between half and all of the next pause.
    pub(crate) async fn pause(&mut self) -> Result<()> {
        sleep(self.next / 2 + jitter(self.env, self.next / 2)?).await;
        self.next = self.next.saturating_mul(2).min(self.longest);
        Ok(())
    }
}

/// A random part of `longest`.
pub(crate) fn jitter(env: &Env, longest: Duration) -> Result<Duration> {
    Ok(longest.mul_f64(f64::from(u32::from_be_bytes(env.random()?)) / f64::from(u32::MAX)))
}

/// How a create ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Created {
    /// Our bytes are there.
    Ours,
    /// Somebody else's bytes are there.
    Theirs(Bytes),
}

/// Something to be created.
#[derive(Debug)]
pub(crate) struct New<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bytes: &'a Bytes,
    /// The most bytes that an object of its kind has.
    pub(crate) max: u64,
    /// What it is, for people.
    pub(crate) what: &'a str,
}

/// Creates an object and finds out what became of it. `is_ours` tells our object from another.
///
/// # Errors
/// [`Error::Backend`] if every attempt was refused before anything could be written, so that nothing has changed;
/// [`Error::OutcomeUnknown`] if patience ran out while it was open whether an attempt landed; [`Error::Damaged`] if
/// what is there is no object of this kind.
pub(crate) async fn create(
    backend: &Backend,
    env: &Env,
    patience: &Patience,
    new: New<'_>,
    is_ours: impl Fn(&Bytes) -> bool,
) -> Result<Created> {
    let deadline = patience.deadline(new.bytes.len());
    let begun_ms = env.clock.now_ms();
    let mut backoff = Backoff::new(env, patience);
    // The last answer that left it open whether something landed.
    let mut doubt = None;
    loop {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let put = backend.creates().put_opts(new.path, new.bytes.clone().into(), options);
        let mut refusal = None;
        match timeout_at(deadline, put).await {
            Ok(Ok(_)) => return Ok(Created::Ours),
            Ok(Err(error)) if is_refusal(&error) => refusal = Some(error),
            Ok(Err(error)) => doubt = Some(error.to_string()),
            Err(_) => doubt = Some(NO_ANSWER.to_owned()),
        }
        #[cfg(feature = "simulation")]
        if let Some(problem) = doubt.clone().filter(|_| refusal.is_none()) {
            use crate::simulation::Planted;
            if env.has(Planted::FailedMeansLanded) {
                return Ok(Created::Ours);
            }
            if env.has(Planted::FailedMeansLost) {
                let source = object_store::Error::Generic { store: "memoseal", source: problem.into() };
                return Err(Error::backend(format!("cannot write {}", new.what), source));
            }
        }
        let seen = look(backend, &new, deadline, &mut backoff).await?;
        match (seen, &doubt, refusal) {
            (Look::Found(there), ..) if is_ours(&there) => return Ok(Created::Ours),
            (Look::Found(there), ..) => return Ok(Created::Theirs(there)),
            // A disk may be full after the object was linked, when its folder is synced. If nobody can look, nobody
            // knows.
            (Look::Blind(problem), None, Some(error)) if is_full(&error) => {
                return Err(Error::OutcomeUnknown { problem });
            }
            (_, None, Some(error)) => return Err(Error::backend(format!("cannot write {}", new.what), error)),
            (Look::Blind(problem), ..) => return Err(Error::OutcomeUnknown { problem }),
            // Nothing is there, whatever the answer was, "exists already" included: the same bytes again, in time.
            (Look::Nothing, doubt, _) => {
                backoff.pause().await?;
                // A machine may have slept, and its clock with it; by now the name may have been used and freed.
                if Instant::now() >= deadline || env.since_ms(begun_ms) >= A_DAY {
                    return Err(Error::OutcomeUnknown { problem: doubt.clone().unwrap_or_default() });
                }
            }
        }
    }
}

/// Nothing is sent again after a day, see `freshness`.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

enum Look {
    Found(Bytes),
    Nothing,
    /// No look gave an answer until patience ran out.
    Blind(String),
}

/// Looks at what should be new, and keeps looking until the store answers or the deadline passes; at least once.
async fn look(backend: &Backend, new: &New<'_>, deadline: Instant, backoff: &mut Backoff<'_>) -> Result<Look> {
    loop {
        // A last look is worth its time even when an attempt has used up all of it.
        let limit = deadline.max(Instant::now() + LAST_LOOK);
        let problem = match timeout_at(limit, get(backend, new.path, new.max)).await {
            Ok(Ok(Found::Bytes(bytes))) => return Ok(Look::Found(bytes)),
            Ok(Ok(Found::Nothing)) => return Ok(Look::Nothing),
            Ok(Ok(Found::TooLarge)) => return Err(too_large(new.what)),
            Ok(Err(error)) if is_refusal(&error) => return Ok(Look::Blind(error.to_string())),
            Ok(Err(error)) => error.to_string(),
            Err(_) => NO_ANSWER.to_owned(),
        };
        backoff.pause().await?;
        if Instant::now() >= deadline {
            return Ok(Look::Blind(problem));
        }
    }
}

const LAST_LOOK: Duration = Duration::from_secs(5);
