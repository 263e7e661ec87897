//! A verb that ends at every request in turn.

use std::{fmt::Debug, time::Duration};

use memoseal_core::{Depth, VaultOptions};

use crate::{
    Failure,
    bucket::{Bucket, Clients, Crash},
    check,
};

/// More requests than any verb here sends.
const MOST: u64 = 100;

/// The requests at which a verb ends, in turn: `n` = 1, 2, …, in both ways.
pub(super) struct Attempts {
    how: Option<Crash>,
    n: u64,
    least: u64,
    once: bool,
}

impl Attempts {
    /// Of a verb that sends so many requests at least.
    pub(super) fn of(least: u64) -> Self {
        Self { how: Some(Crash::Before), n: 1, least, once: false }
    }

    /// In one way only. What is left in the bucket by who never sends request `n` + 1 is what is left by who never hears of
    /// request `n`: where nobody looks at what the verb was told, the other way would say the same again.
    pub(super) fn in_one_way(self) -> Self {
        Self { once: true, ..self }
    }

    /// At which request the verb is to end next, and how.
    pub(super) fn next(&self) -> Option<(u64, Crash)> {
        self.how.map(|how| (self.n, how))
    }

    /// Takes what came of an attempt: whether there was such a request.
    pub(super) fn ended(&mut self, outcome: Result<bool, Failure>) -> Result<(), Failure> {
        let (n, how) = (self.n, self.how);
        if outcome.map_err(|failure| failure.about(format!("{how:?}, request {n}")))? {
            self.n += 1;
            check!(n < MOST, "a verb sends request after request");
            return Ok(());
        }
        check!(n > self.least, "a verb sent {} requests and not {}: it was not tried", n - 1, self.least);
        self.n = 1;
        self.how = match how {
            Some(Crash::Before) if !self.once => Some(Crash::After),
            _ => None,
        };
        Ok(())
    }
}

/// Whether what was planned happened: if not, the verb has to have succeeded.
pub(super) fn has_crashed<T: Debug, E: Debug>(
    clients: &Clients,
    n: u64,
    answer: &Result<T, E>,
) -> Result<bool, Failure> {
    let crashed = clients.requests() >= n;
    check!(crashed || answer.is_ok(), "nothing went wrong, and the answer is {answer:?}");
    Ok(crashed)
}

/// Options of a process that does not go on for long.
pub(super) fn hasty() -> VaultOptions {
    let mut options = VaultOptions::default();
    // Long enough for a slow store, short enough to wait for.
    options.patience.create = Duration::from_secs(3);
    options.patience.pause = Duration::from_millis(1);
    options
}

/// An inspection finds nothing.
pub(super) async fn is_clean(bucket: &Bucket) -> Result<(), Failure> {
    let inspection = bucket.open().await?.inspect(Depth::Contents, |_, _| {}).await?;
    check!(inspection.findings.is_empty(), "an inspection finds {:?}", inspection.findings);
    Ok(())
}
