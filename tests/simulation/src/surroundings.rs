//! The time, the randomness and the memory of a simulated machine.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use memoseal_core::{
    Result, VaultOptions,
    env::{Clock, Env, Random, RandomError},
    simulation::{Planted, Simulation},
    witness::{HeadWitness, LogId, Seen},
};
use memoseal_testkit::sim::{Bucket, Rng};

struct SimClock {
    bucket: Bucket,
    ahead_ms: i64,
}

impl Clock for SimClock {
    fn now_ms(&self) -> i64 {
        self.bucket.now_ms().saturating_add(self.ahead_ms)
    }
}

struct SimRandom(Mutex<Rng>);

impl Random for SimRandom {
    fn fill(&self, dest: &mut [u8]) -> Result<(), RandomError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill(dest);
        Ok(())
    }
}

/// What a process finds around itself. `ahead_ms`: how far its clock is ahead of the true time.
pub fn options(bucket: &Bucket, rng: Rng, ahead_ms: i64, planted: Option<Planted>) -> VaultOptions {
    let mut options = VaultOptions::default();
    options.env = Env {
        clock: Arc::new(SimClock { bucket: bucket.clone(), ahead_ms }),
        random: Arc::new(SimRandom(Mutex::new(rng))),
        simulation: Simulation { in_place: true, planted },
    };
    options
}

/// What a machine remembers when its processes are gone.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<HashMap<LogId, Seen>>>);

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

#[async_trait]
impl HeadWitness for Memory {
    async fn read(&self, log: &LogId) -> Result<Option<Seen>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(log).copied())
    }

    async fn advance(&self, log: &LogId, seen: &Seen) -> Result<()> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = noted.entry(*log).or_insert(*seen);
        if (noted.user_life, noted.store_life, noted.seq) < (seen.user_life, seen.store_life, seen.seq) {
            *noted = *seen;
        }
        Ok(())
    }

    async fn rebase(&self, log: &LogId, seen: Option<&Seen>) -> Result<()> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen {
            Some(seen) => noted.insert(*log, *seen),
            None => noted.remove(log),
        };
        Ok(())
    }

    async fn logs(&self, vault: &[u8; 16]) -> Result<Vec<LogId>> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(noted.keys().filter(|log| log.vault() == *vault).copied().collect())
    }
}
