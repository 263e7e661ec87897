//! What may happen to a request, and how often.

use std::time::Duration;

use super::Rng;
use crate::{Fault, errors};

/// How often requests fail and how; chances are in a thousand. The default is calm weather.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Weather {
    /// The longest that a request, or its answer, is usually on its way, in milliseconds. 0: none takes any time.
    pub latency_ms: u64,
    /// A request fails and has no effect.
    pub lost: u64,
    /// A write takes effect, and its answer is lost.
    pub answer_lost: u64,
    /// A write takes effect at once or in some seconds, and its answer is lost after up to 40 s.
    pub stalled: u64,
    /// A write fails within seconds and takes effect seconds or minutes later.
    pub late: u64,
    /// The same, hours later.
    pub very_late: u64,
    /// A put-if-absent is told that something exists already, and has no effect: 409 of S3.
    pub conflict: u64,
    /// A request is refused: 403, without effect.
    pub refused: u64,
    /// A read gets no answer at all.
    pub silent: u64,
    /// Now and then nearly every request fails for up to a minute: how often a request begins such a time.
    pub storm: u64,
}

/// What becomes of one request.
#[derive(Clone, Debug)]
pub(super) struct Fate {
    /// Until it arrives.
    pub(super) to: Duration,
    /// From there until its answer arrives.
    pub(super) back: Duration,
    pub(super) outcome: Outcome,
    /// Whether it arrives if its process dies before.
    pub(super) survives: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Answered,
    /// It never arrives.
    Lost(Fault),
    /// It arrives, and the answer is lost.
    AnswerLost(Fault),
    /// It is answered after `back`, and arrives after `to`.
    Late(Fault),
    Silent,
}

impl Weather {
    /// Weather that is as bad as this seed makes it.
    pub fn of(rng: &mut Rng) -> Self {
        let mut some = |most: u64| if rng.permille(400) { 0 } else { rng.below(most + 1) };
        Self {
            latency_ms: 1 + some(60),
            lost: some(80),
            answer_lost: some(120),
            stalled: some(60),
            late: some(60),
            very_late: some(40),
            conflict: some(40),
            refused: some(15),
            silent: some(10),
            storm: some(6),
        }
    }

    pub(super) fn fate(&self, rng: &mut Rng, kind: Kind, in_storm: bool) -> Fate {
        let ms = Duration::from_millis;
        let hop = |rng: &mut Rng| if self.latency_ms == 0 { Duration::ZERO } else { ms(rng.below(self.latency_ms)) };
        let (mut to, mut back) = (hop(rng), hop(rng));
        let survives = rng.permille(500);
        let roll = rng.below(1_000);
        let mut upto = 0;
        let mut chance = |of: u64| {
            upto += of;
            roll < upto
        };
        let is_write = kind != Kind::Read;
        let outcome = if in_storm && rng.permille(900) {
            Outcome::Lost(errors::unavailable())
        } else if chance(self.lost) {
            Outcome::Lost(if rng.permille(500) { errors::connection_reset() } else { errors::timeout() })
        } else if chance(self.refused) {
            Outcome::Lost(errors::permission_denied())
        } else if chance(self.silent) && !is_write {
            Outcome::Silent
        } else if is_write && chance(self.answer_lost) {
            Outcome::AnswerLost(errors::connection_reset())
        } else if is_write && chance(self.stalled) {
            if rng.permille(300) {
                to = ms(rng.between(100, 20_000));
            }
            back = ms(rng.between(1_000, 40_000));
            Outcome::AnswerLost(errors::timeout())
        } else if is_write && chance(self.late) {
            to = ms(if rng.permille(500) { rng.between(1_000, 30_000) } else { rng.between(30_000, 600_000) });
            back = ms(rng.between(1, 5_000));
            Outcome::Late(errors::timeout())
        } else if is_write && chance(self.very_late) {
            to = ms(rng.between(600_000, 12 * 3_600_000));
            back = ms(rng.between(1, 20_000));
            Outcome::Late(errors::timeout())
        } else if kind == Kind::Create && chance(self.conflict) {
            Outcome::Lost(errors::already_exists())
        } else {
            Outcome::Answered
        };
        Fate { to, back, outcome, survives }
    }

    pub(super) fn storm_for(&self, rng: &mut Rng) -> Option<Duration> {
        rng.permille(self.storm).then(|| Duration::from_millis(rng.between(100, 60_000)))
    }
}

/// What a request is, as far as its fate depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Create,
    Write,
}
