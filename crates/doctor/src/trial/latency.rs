//! Times: how long requests take, whether what was written is there at once, and what the store's clock says.

use std::time::Duration;

use bytes::Bytes;
use memoseal_core::env::{Clock, SystemClock};
use object_store::{Error, ObjectStoreExt};
use tokio::time::Instant;

use super::{Trial, failed};
use crate::Check;

pub(super) const NAME: &str = "latency";
pub(super) const AFTER: &str = "read after write";
pub(super) const CLOCK: &str = "clock skew";

/// How often a create, and a question for what is not there yet, are timed.
const SAMPLES: usize = 100;
/// A command costs one of these: above, people notice.
const SLOW: Duration = Duration::from_millis(300);
/// How far the clocks may be apart, in seconds. The times of S3 and GCS have whole seconds; from 15 minutes on S3 refuses.
const APART_S: i64 = 60;

impl Trial {
    /// What was written, overwritten and deleted has to be so at once.
    pub(super) async fn read_after_write(&self, can_delete: bool) -> Check {
        const ROUNDS: usize = 20;
        const ADVICE: &str = "keep the vault elsewhere: two writers would not see each other's commits";
        let name = self.name("after");
        for round in 0..ROUNDS {
            let bytes = Bytes::from(format!("round {round}"));
            if let Err(error) = self.put(&name, bytes.clone()).await {
                return failed(AFTER, "overwrite an object", &error);
            }
            match self.get(&name).await {
                Ok(there) if there == bytes => {}
                Ok(_) => return Check::danger(AFTER, "what was overwritten is read as it was before", ADVICE),
                Err(Error::NotFound { .. }) => {
                    return Check::danger(AFTER, "what was written is not there yet", ADVICE);
                }
                Err(error) => return failed(AFTER, "read", &error),
            }
        }
        if !can_delete {
            return Check::good(AFTER, format!("{ROUNDS} times what was written was read"));
        }
        match (self.backend.rest().delete(&name).await, self.get(&name).await) {
            (Ok(()), Err(Error::NotFound { .. })) => {
                Check::good(AFTER, format!("{ROUNDS} times what was written was read, and what was deleted was gone"))
            }
            (Ok(()), Ok(_)) => Check::danger(AFTER, "what was deleted is still there", ADVICE),
            (Err(error), _) | (_, Err(error)) => failed(AFTER, "delete and read", &error),
        }
    }

    /// The store's clock by the time that it gives an object.
    pub(super) async fn clock_skew(&self) -> Check {
        let name = self.name("clock");
        let before = SystemClock.now_ms();
        if let Err(error) = self.put(&name, Bytes::from_static(b"now")).await {
            return failed(CLOCK, "write an object", &error);
        }
        let after = SystemClock.now_ms();
        let there = match self.backend.rest().head(&name).await {
            Ok(meta) => meta.last_modified.timestamp_millis(),
            Err(error) => return failed(CLOCK, "look at an object", &error),
        };
        // Whole seconds are cut down, so that the time given may lie up to a second before.
        let skew_ms = if there > after { there - after } else { (there + 1000 - before).min(0) };
        skew(skew_ms)
    }

    pub(super) async fn latency(&self) -> Check {
        let mut creates = Vec::with_capacity(SAMPLES);
        let mut asks = Vec::with_capacity(SAMPLES);
        let bytes = Bytes::from(vec![7; 4096]);
        for sample in 0..SAMPLES {
            let name = self.name(&format!("time/{sample:03}"));
            let begun = Instant::now();
            match self.get(&name).await {
                Err(Error::NotFound { .. }) => asks.push(begun.elapsed()),
                Ok(_) => return Check::not_checked(NAME, "what was never written is there", "try again"),
                Err(error) => return failed(NAME, "read", &error),
            }
            let begun = Instant::now();
            if let Err(error) = self.create(&name, bytes.clone()).await {
                return failed(NAME, "create an object", &error);
            }
            creates.push(begun.elapsed());
        }
        let (create, ask) = (percentiles(creates), percentiles(asks));
        let text = |(half, most): (Duration, Duration)| format!("p50 {} p99 {}", ms(half), ms(most));
        let found = format!("create of 4 KiB: {}; freshness: {} ({SAMPLES} each)", text(create), text(ask));
        if create.0.max(ask.0) > SLOW {
            return Check::warning(
                NAME,
                found,
                "keep the vault in a region near this machine: a command costs one of these",
            );
        }
        Check::good(NAME, found)
    }
}

/// What clocks mean that are so far apart; above zero if the store's is ahead.
fn skew(skew_ms: i64) -> Check {
    let seconds = skew_ms / 1000;
    let way = if skew_ms > 0 { "ahead of" } else { "behind" };
    let found = match seconds {
        0 => "the store's clock and this machine's agree within a second".to_owned(),
        seconds => format!("the store's clock is {} s {way} this machine's", seconds.abs()),
    };
    if seconds.abs() >= APART_S {
        return Check::warning(
            CLOCK,
            found,
            "set this machine's clock by the network: signatures expire by it, and history shows it",
        );
    }
    Check::good(CLOCK, found)
}

/// The median, and what 99 of 100 stay under.
fn percentiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    (at(50).copied().unwrap_or_default(), at(99).copied().unwrap_or_default())
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grade;

    #[test]
    fn clocks_may_be_a_minute_apart() {
        for (ms, grade, part) in [
            (0, Grade::Good, "agree"),
            (999, Grade::Good, "agree"),
            (-59_999, Grade::Good, "59 s behind"),
            (60_000, Grade::Warning, "60 s ahead of"),
            (-900_000, Grade::Warning, "900 s behind"),
        ] {
            let check = skew(ms);
            assert_eq!(check.grade, grade, "{ms}");
            assert!(check.found.contains(part), "{}", check.found);
        }
    }

    #[test]
    fn percentiles_are_those_of_the_samples() {
        let times = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(percentiles(times), (Duration::from_millis(51), Duration::from_millis(100)));
        assert_eq!(percentiles(Vec::new()), (Duration::ZERO, Duration::ZERO));
    }
}
