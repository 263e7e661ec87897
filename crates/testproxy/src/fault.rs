//! What can go wrong on the way, and how often.

use std::time::Duration;

use memoseal_testkit::sim::Rng;

use crate::Request;

/// What goes wrong with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The connection is reset, and the request never reaches the server.
    Reset,
    /// The request reaches the server, and the connection is closed instead of an answer.
    LoseAnswer,
    /// The connection is closed at once, and the request reaches the server so much later.
    Late(Duration),
    /// This status with this body of XML, by the proxy: the request never reaches the server.
    Status(u16, &'static str),
    /// 200 with a page of HTML, by the proxy, as of a network that wants a password first.
    Html,
    /// The answer's body comes in 16 pieces with this pause before each.
    Slow(Duration),
    /// The connection is closed in the middle of the answer's body.
    Truncate,
}

/// The body of a 503 as S3 sends it.
const SLOW_DOWN: &str = "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";

/// How many requests in a thousand meet which fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weather {
    /// [`Fault::Reset`].
    pub resets: u64,
    /// [`Fault::LoseAnswer`].
    pub lost: u64,
    /// [`Fault::Late`], by 1 to 100 ms.
    pub late: u64,
    /// A storm begins: this request and the next 1 to 4 are answered with 503.
    pub storms: u64,
    /// [`Fault::Slow`], by 1 to 5 ms a piece.
    pub slow: u64,
    /// [`Fault::Truncate`].
    pub truncated: u64,
    /// [`Fault::Html`], with the status 502.
    pub html: u64,
}

impl Weather {
    /// A rule for [`Proxy::set_rule`](crate::Proxy::set_rule), the same for the same seed and order of requests.
    pub fn seeded(self, seed: u64) -> impl FnMut(&Request) -> Option<Fault> + Send + 'static {
        let mut rng = Rng::new(seed);
        let mut storm = 0;
        move |_| {
            if storm > 0 {
                storm -= 1;
                return Some(Fault::Status(503, SLOW_DOWN));
            }
            let mut roll = rng.below(1_000);
            let mut is = |chance: u64| {
                let hit = roll < chance;
                roll = if hit { u64::MAX } else { roll - chance };
                hit
            };
            if is(self.resets) {
                Some(Fault::Reset)
            } else if is(self.lost) {
                Some(Fault::LoseAnswer)
            } else if is(self.late) {
                Some(Fault::Late(Duration::from_millis(rng.between(1, 100))))
            } else if is(self.storms) {
                storm = rng.between(1, 4);
                Some(Fault::Status(503, SLOW_DOWN))
            } else if is(self.slow) {
                Some(Fault::Slow(Duration::from_millis(rng.between(1, 5))))
            } else if is(self.truncated) {
                Some(Fault::Truncate)
            } else if is(self.html) {
                Some(Fault::Status(502, "<html><body><h1>502 Bad Gateway</h1></body></html>"))
            } else {
                None
            }
        }
    }
}
