//! Rounds in which competitors take turns, and what their times amount to.

use std::time::Duration;

/// One competitor's way through an operation: does it once, for this round, and tells how long that took.
pub(crate) type Shot<'a> = Box<dyn FnMut(usize) -> anyhow::Result<Duration> + 'a>;

/// The first rounds of everything, which are not counted.
pub(crate) const WARM_UP: usize = 2;

/// Times each competitor once a round, in another order each time: whoever comes after a write may pay for the file
/// system's journal. Gives the seconds of each, by rounds.
pub(crate) fn rounds(rounds: usize, mut shots: Vec<Shot<'_>>) -> anyhow::Result<Vec<Vec<f64>>> {
    let mut times = vec![Vec::with_capacity(rounds); shots.len()];
    let mut order: Vec<usize> = (0..shots.len()).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..WARM_UP + rounds {
        dice.shuffle(&mut order);
        for &turn in &order {
            let took = shots[turn](round)?;
            if round >= WARM_UP {
                times[turn].push(took.as_secs_f64());
            }
        }
    }
    Ok(times)
}

/// The same pseudo-random order in every run (xorshift64).
struct Dice(u64);

impl Dice {
    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            order.swap(last, (self.0 % (last as u64 + 1)) as usize);
        }
    }
}

/// The median and the quartiles of some numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(numbers: &[f64]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }

    /// How many times as long `one` took as `other`, round by round.
    pub(crate) fn of_ratios(one: &[f64], other: &[f64]) -> Self {
        Self::of(&one.iter().zip(other).map(|(one, other)| one / other).collect::<Vec<_>>())
    }
}
