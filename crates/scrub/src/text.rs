//! Bytes of a text: lines, words, and how random they look.

use std::ops::Range;

use memchr::{memchr, memrchr};

/// The most bytes of a line that are looked at to either side of a keyword.
pub(crate) const REACH: usize = 4096;

/// Shannon entropy in bits a byte.
pub(crate) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let len = bytes.len() as f64;
    let of = |&count: &u32| {
        let p = f64::from(count) / len;
        -p * p.log2()
    };
    counts.iter().filter(|&&count| count > 0).map(of).sum()
}

/// The lines that a range touches, without the last line end.
pub(crate) fn line_around(text: &[u8], range: &Range<usize>) -> Range<usize> {
    let start = memrchr(b'\n', &text[..range.start]).map_or(0, |at| at + 1);
    let end = memchr(b'\n', &text[range.end..]).map_or(text.len(), |at| range.end + at);
    start..end
}

/// The line around a place, cut to [`REACH`] on either side.
pub(crate) fn window(text: &[u8], at: Range<usize>) -> Range<usize> {
    let low = at.start.saturating_sub(REACH);
    let high = (at.end + REACH).min(text.len());
    let start = memrchr(b'\n', &text[low..at.start]).map_or(low, |found| low + found + 1);
    let end = memchr(b'\n', &text[at.end..high]).map_or(high, |found| at.end + found);
    start..end
}

/// Whether a byte may stand inside a word.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The span, made longer until no word is cut.
pub(crate) fn whole_word(text: &[u8], span: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = span;
    if span.is_empty() {
        return span;
    }
    while start > 0 && is_word(text[start]) && is_word(text[start - 1]) {
        start -= 1;
    }
    while end < text.len() && is_word(text[end - 1]) && is_word(text[end]) {
        end += 1;
    }
    start..end
}

/// A set of bytes, for a search that asks of every byte of a text whether it is one of them.
pub(crate) struct Bytes([bool; 256]);

impl Bytes {
    /// The bytes that are listed, and those in the ranges, ends included.
    pub(crate) const fn new(listed: &[u8], ranges: &[(u8, u8)]) -> Self {
        let mut set = [false; 256];
        let mut i = 0;
        while i < listed.len() {
            set[listed[i] as usize] = true;
            i += 1;
        }
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                set[byte] = true;
                byte += 1;
            }
            i += 1;
        }
        Self(set)
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// The first byte of the set from a place on.
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        text[from..].iter().position(|&byte| self.has(byte)).map(|at| from + at)
    }

    /// The end of the run of such bytes that starts here.
    pub(crate) fn run(&self, text: &[u8], from: usize) -> usize {
        text[from..].iter().position(|&byte| !self.has(byte)).map_or(text.len(), |at| from + at)
    }
}
