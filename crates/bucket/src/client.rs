//! Time limits, connections and retries, the same for all providers.

use std::time::Duration;

use object_store::{ClientOptions, RetryConfig};

/// How the HTTP client connects and how long it waits.
///
/// * A connection that is not there after 5 s will not come: another attempt reaches another address. The provider's
///   addresses are taken in a random order for that.
/// * A request may take 30 s with its body. That is as long as the engine is patient with one
///   ([`Patience`](memoseal_core::Patience)); a request that lasts longer would be given up by it all the same.
/// * A connection is kept for 90 s without use, so that the commands of an agent, which thinks for some seconds between
///   them, do not pay for a TLS handshake each. Firewalls and load balancers of the providers forget connections
///   after 240 s and more, and a request into a forgotten one would hang.
/// * HTTP/1.1 only: a connection a request is faster than many in one for objects of some KiB
///   (<https://github.com/apache/arrow-rs/issues/5194>).
/// * Certificates are always checked; `allow_http` is for a server of one's own.
pub fn client_options(allow_http: bool) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(allow_http)
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(30))
        .with_pool_idle_timeout(Duration::from_secs(90))
}

/// For creates: the engine has to know the answer of each attempt, so the client makes one.
///
/// Below it, the HTTP library sends a request again only if not a byte of it was sent (a connection from the pool
/// that turns out to be closed).
pub fn no_retries() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// For everything else: an answer of 5xx or 429, or none, is tried again with growing pauses for 30 s, which is as long
/// as the engine is patient with a read.
pub fn retries() -> RetryConfig {
    RetryConfig { max_retries: 10, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() }
}
