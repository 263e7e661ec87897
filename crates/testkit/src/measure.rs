//! Rounds in which competitors take turns, what their times amount to, and how a page shows it.

use std::{fmt, fs, io, path::Path, time::Duration};

/// One competitor's way through an operation: does it once, for this round, and tells how long that took.
pub type Shot<'a, E> = Box<dyn FnMut(usize) -> Result<Duration, E> + 'a>;

/// The first rounds of everything, which are not counted.
pub const WARM_UP: usize = 2;

/// Times each competitor once a round, in another order each time: whoever comes after a write may pay for the file
/// system's journal. Gives the seconds of each, by rounds.
///
/// # Errors
///
/// The first of a competitor's, which ends the rounds.
pub fn rounds<E>(rounds: usize, mut shots: Vec<Shot<'_, E>>) -> Result<Vec<Vec<f64>>, E> {
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
pub struct Spread {
    /// A quarter is not above it.
    pub low: f64,
    /// Half is not above it.
    pub median: f64,
    /// A quarter is not below it.
    pub high: f64,
}

impl Spread {
    /// Of at least one number.
    pub fn of(numbers: &[f64]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }

    /// How many times as long `one` took as `other`, round by round.
    pub fn of_ratios(one: &[f64], other: &[f64]) -> Self {
        Self::of(&one.iter().zip(other).map(|(one, other)| one / other).collect::<Vec<_>>())
    }

    /// Of seconds: the median with the quartiles, in microseconds.
    pub fn micros(self) -> String {
        let [low, median, high] = [self.low, self.median, self.high].map(|seconds| (seconds * 1e6).round() as usize);
        format!("{} ({}–{})", thousands(median), thousands(low), thousands(high))
    }

    /// What it says about a bound on the median.
    pub fn verdict(self, bound: Bound) -> &'static str {
        let (is_reached, is_sure) = match bound {
            Bound::AtLeast(least) => (self.median >= least, self.low >= least),
            Bound::AtMost(most) => (self.median <= most, self.high <= most),
        };
        match (is_reached, is_sure) {
            (true, true) => "reached",
            (true, false) => "by the median only, not by three rounds of four",
            (false, _) => "**not reached**",
        }
    }
}

/// Of ratios: the median with the quartiles.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |number: f64| if number < 9.95 { format!("{number:.2}") } else { format!("{number:.0}") };
        write!(f, "{} ({}–{})", shown(self.median), shown(self.low), shown(self.high))
    }
}

/// What a ratio was to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "at least {least}"),
            Self::AtMost(most) => write!(f, "at most {most}"),
        }
    }
}

/// A number with its thousands apart.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The load averages, where the system tells them.
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<_> = text.split(' ').take(3).collect();
    if averages.len() == 3 { averages.join(", ") } else { "not known".to_owned() }
}

/// Puts `table` between the lines `begin` and `end` of a page.
///
/// # Errors
///
/// The page cannot be read or written, or has no such lines.
pub fn write(page: &Path, [begin, end]: [&str; 2], table: &str) -> io::Result<()> {
    let about = |what: &str, error: io::Error| {
        io::Error::new(error.kind(), format!("cannot {what} {}: {error}", page.display()))
    };
    let text = fs::read_to_string(page).map_err(|error| about("read", error))?;
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.ok_or_else(|| {
        io::Error::other(format!("{} has no place for the table: put back the lines {begin} and {end}", page.display()))
    })?;
    fs::write(page, format!("{before}{begin}\n{table}{end}{after}")).map_err(|error| about("write", error))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_turn_in_each_round_and_not_always_first() {
        let turns = std::cell::RefCell::new(Vec::new());
        let shot = |who: usize| -> Shot<'_, io::Error> {
            let turns = &turns;
            Box::new(move |round| {
                turns.borrow_mut().push((round, who));
                Ok(Duration::from_secs(who as u64 + 1))
            })
        };
        let times = rounds(20, vec![shot(0), shot(1)]).unwrap();
        assert_eq!(times, [vec![1.0; 20], vec![2.0; 20]]);
        let turns = turns.borrow();
        assert!(turns.chunks(2).enumerate().all(|(n, turn)| turn.iter().all(|(round, _)| *round == n)));
        let first = turns.chunks(2).filter(|turn| turn[0].1 == 0).count();
        assert!((5..=17).contains(&first), "{first} of 22");
    }

    #[test]
    fn ratios_are_of_one_round() {
        let spread = Spread::of_ratios(&[2.0, 40.0, 9.0], &[1.0, 20.0, 3.0]);
        assert_eq!((spread.low, spread.median, spread.high), (2.0, 2.0, 3.0));
        assert_eq!(spread.to_string(), "2.00 (2.00–3.00)");
        assert_eq!(spread.verdict(Bound::AtMost(2.5)), "by the median only, not by three rounds of four");
        assert_eq!(spread.verdict(Bound::AtLeast(2.0)), "reached");
        assert_eq!(spread.verdict(Bound::AtMost(1.1)), "**not reached**");
        assert_eq!(Spread::of(&[0.0012345]).micros(), "1,235 (1,235–1,235)");
    }
}
