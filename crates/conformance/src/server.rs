//! A place on a server that the environment names.

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use memoseal_core::Backend;

use crate::{Failure, Place};

/// If this variable is `1`, a server that is not named is a failure and not skipped.
const REQUIRED: &str = "MEMOSEAL_TEST_REQUIRE_SERVERS";

/// Opens a URL as the backend does.
type Open = fn(&str) -> Result<Backend, Failure>;

/// A server whose URL, with bucket and perhaps a prefix, stands in a variable of the environment.
///
/// Every place is a prefix of its own, `PREFIX/memoseal-test/TIME-PROCESS-NUMBER`. Nothing is removed: for a bucket that
/// lasts, let a lifecycle rule empty `memoseal-test/`.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    variable: &'static str,
    open: Open,
}

impl Server {
    /// The server that `variable` names, with places opened by `open`.
    pub fn new(variable: &'static str, open: Open) -> Self {
        Self { variable, open }
    }

    /// Its URL, if it is named.
    fn url(&self) -> Option<String> {
        env::var(self.variable).ok().filter(|url| !url.is_empty())
    }

    fn missing(&self) -> String {
        format!("{} names no server to test against", self.variable)
    }
}

#[async_trait]
impl Place for Server {
    async fn fresh(&self) -> Result<Backend, Failure> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);

        let url = self.url().ok_or_else(|| Failure::new(self.missing()))?;
        let (place, options) = url.split_once('?').unwrap_or((&url, ""));
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = format!("{}/memoseal-test/{now:x}-{}-{number}", place.trim_end_matches('/'), std::process::id());
        (self.open)(&format!("{place}?{options}"))
    }

    fn absent(&self) -> Result<Option<String>, Failure> {
        match self.url() {
            Some(_) => Ok(None),
            None if env::var(REQUIRED).is_ok_and(|value| value == "1") => {
                Err(Failure::new(format!("{}, and {REQUIRED} is 1", self.missing())))
            }
            None => Ok(Some(self.missing())),
        }
    }
}
