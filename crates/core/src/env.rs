//! Time and randomness, as the engine takes them: through traits, so that a test can give its own.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

pub use memoseal_crypto::{Random, RandomError};

/// The time of day.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;
}

/// The clock of this machine.
#[derive(Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
        }
    }
}

/// The operating system's randomness.
#[derive(Debug)]
pub struct OsRandom;

impl Random for OsRandom {
    fn fill(&self, dest: &mut [u8]) -> Result<(), RandomError> {
        getrandom::fill(dest).map_err(|_| RandomError)
    }
}

/// What the engine takes from its surroundings besides storage.
#[derive(Clone)]
pub struct Env {
    /// The time of day, for the times of changes.
    pub clock: Arc<dyn Clock>,
    /// Salts, ids, keys and jitter.
    pub random: Arc<dyn Random>,
    /// Test only.
    #[cfg(feature = "simulation")]
    #[doc(hidden)]
    pub simulation: crate::simulation::Simulation,
}

impl Default for Env {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(OsRandom),
            #[cfg(feature = "simulation")]
            simulation: crate::simulation::Simulation::default(),
        }
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env").finish_non_exhaustive()
    }
}

impl Env {
    /// The time since `past_ms`; none if the clock was set back since.
    pub(crate) fn since_ms(&self, past_ms: i64) -> Duration {
        Duration::from_millis(u64::try_from(self.clock.now_ms().saturating_sub(past_ms)).unwrap_or(0))
    }

    /// Test only: whether this bug is planted.
    #[cfg(feature = "simulation")]
    pub(crate) fn has(&self, bug: crate::simulation::Planted) -> bool {
        self.simulation.planted == Some(bug)
    }

    /// Random bytes.
    ///
    /// # Errors
    /// [`crate::Error::NoRandomness`].
    pub(crate) fn random<const N: usize>(&self) -> crate::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes).map_err(|_| crate::Error::NoRandomness)?;
        Ok(bytes)
    }
}
