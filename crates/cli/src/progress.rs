//! How far a long work has come, on stderr if that is a terminal.

use std::io::{IsTerminal, Write};

use crate::interrupt::Counter;

/// Tells so many of how many `things` are done, and notes it for who asks.
pub(crate) struct Progress {
    doing: &'static str,
    things: &'static str,
    /// How often a line is written.
    step: u64,
    is_terminal: bool,
    counter: Counter,
    /// Whether a line stands on the terminal that has not ended.
    is_open: bool,
}

/// How often a line is written where things are many: not for each.
const STEP: u64 = 64;

impl Progress {
    pub(crate) fn new(doing: &'static str, things: &'static str) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { doing, things, step: STEP, is_terminal, counter: Counter::default(), is_open: false }
    }

    /// The same for things that take long: a line for each.
    #[cfg(feature = "conformance")]
    pub(crate) fn each(doing: &'static str, things: &'static str) -> Self {
        let mut progress = Self::new(doing, things);
        progress.step = 1;
        progress
    }

    /// Where it can be read how far the work has come.
    pub(crate) fn counter(&self) -> Counter {
        self.counter.clone()
    }

    pub(crate) fn set(&mut self, done: u64, total: u64) {
        self.counter.set(done, total);
        if self.is_terminal && (done.is_multiple_of(self.step) || done == total) {
            let (doing, things) = (self.doing, self.things);
            self.is_open = done != total;
            let end = if self.is_open { "" } else { "\n" };
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(std::io::stderr(), "\r{doing}: {done} of {total} {things}{end}");
        }
    }

    /// As a function, for who does the work.
    pub(crate) fn into_fn(mut self) -> impl FnMut(u64, u64) + Send {
        move |done, total| self.set(done, total)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_open {
            let _ = writeln!(std::io::stderr());
        }
    }
}
