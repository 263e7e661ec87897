//! Time limits, connections and retries, as a URL sets them.

use std::time::Duration;

use object_store::{ClientOptions, RetryConfig};

use crate::{Error, Location};

/// The options that every backend for buckets knows.
pub(crate) const OPTIONS: [&str; 6] =
    ["allow_http", "timeout", "connect_timeout", "idle_timeout", "retries", "retry_timeout"];

/// How the HTTP client connects, how long it waits, and what it tries again. [`Settings::read`] takes it from a URL;
/// what is not given there is as in [`Settings::default`].
///
/// | option | meaning | otherwise |
/// |---|---|---|
/// | `timeout` | how long a server may be silent before the request counts as failed | 10s |
/// | `connect_timeout` | how long a connection may take to come about, TLS included | 5s |
/// | `idle_timeout` | how long a connection is kept without use | 90s |
/// | `retries` | how often a request that is no create is sent again | 10 |
/// | `retry_timeout` | how long after the first attempt another may begin | 30s |
/// | `allow_http` | `true`: the endpoint may begin with `http:` | false |
///
/// Times are written as `500ms`, `10s` or `2min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// How long a server may be silent: between the end of the request and the answer, and between two pieces of it. A
    /// request with a body has a second more for each 64 KiB, so that a checkpoint goes through a slow line.
    ///
    /// 10 s: far above what a provider takes for a single object, and a third of what the engine is patient with
    /// ([`Patience`](memoseal_core::Patience)), so that a connection which hangs is given up and two more are tried.
    pub timeout: Duration,
    /// A connection that is not there after 5 s will not come: another attempt reaches another address. The provider's
    /// addresses are taken in a random order for that.
    pub connect_timeout: Duration,
    /// 90 s, so that the commands of an agent, which thinks for some seconds between them, do not pay for a TLS
    /// handshake each. Firewalls and load balancers of the providers forget connections after 240 s and more, and a
    /// request into a forgotten one would hang.
    pub idle_timeout: Duration,
    /// An answer of 5xx or 429, or none, is tried again with growing pauses.
    pub retries: usize,
    /// 30 s, which is as long as the engine is patient with a read. More helps only who makes the engine more patient.
    pub retry_timeout: Duration,
    /// Whether requests may go unencrypted, to a server of one's own. Certificates are always checked.
    pub allow_http: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(90),
            retries: 10,
            retry_timeout: Duration::from_secs(30),
            allow_http: false,
        }
    }
}

impl Settings {
    /// What the options of a URL say, and the defaults for the rest.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a time, a number or a flag that is none.
    pub fn read(location: &Location) -> Result<Self, Error> {
        let default = Self::default();
        Ok(Self {
            timeout: location.time("timeout")?.unwrap_or(default.timeout),
            connect_timeout: location.time("connect_timeout")?.unwrap_or(default.connect_timeout),
            idle_timeout: location.time("idle_timeout")?.unwrap_or(default.idle_timeout),
            retries: location.count("retries")?.unwrap_or(default.retries),
            retry_timeout: location.time("retry_timeout")?.unwrap_or(default.retry_timeout),
            allow_http: location.flag("allow_http")?,
        })
    }

    /// For the builder of a client, beside [`connector`](Self::connector), which has the limit on silence: the HTTP
    /// library's own limits count the sending of a body as silence, or cut off long answers.
    ///
    /// HTTP/1.1 only: a connection a request is faster than many in one for objects of some KiB
    /// (<https://github.com/apache/arrow-rs/issues/5194>).
    pub fn client_options(&self) -> ClientOptions {
        ClientOptions::new()
            .with_allow_http(self.allow_http)
            .with_connect_timeout(self.connect_timeout)
            .with_timeout_disabled()
            .with_pool_idle_timeout(self.idle_timeout)
    }

    /// For creates: the engine has to know the answer of each attempt, so the client makes one.
    ///
    /// Below it, the HTTP library sends a request again only if not a byte of it was sent (a connection from the pool
    /// that turns out to be closed).
    pub fn no_retries(&self) -> RetryConfig {
        RetryConfig { max_retries: 0, ..self.retry() }
    }

    /// For everything else.
    pub fn retry(&self) -> RetryConfig {
        RetryConfig { max_retries: self.retries, retry_timeout: self.retry_timeout, ..RetryConfig::default() }
    }
}
