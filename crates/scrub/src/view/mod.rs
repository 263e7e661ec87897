//! Other readings of a text: what is left when disguises are taken off, with the place that each byte comes from.

mod decode;
mod disguise;
mod joint;

use std::ops::Range;

pub(crate) use self::{
    decode::runs,
    disguise::undisguised,
    joint::{joined, wrapped},
};

/// A reading of a text, and where each of its bytes stands there.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) bytes: Vec<u8>,
    /// For each byte the range that it was written as.
    from: Vec<(u32, u32)>,
}

impl View {
    /// A byte that was written as `from`.
    fn push(&mut self, byte: u8, from: Range<usize>) {
        self.bytes.push(byte);
        // No text is longer than `MAX_TEXT`.
        let cut = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.from.push((cut(from.start), cut(from.end)));
    }

    /// Bytes that stand there as they are.
    fn keep(&mut self, text: &[u8], range: Range<usize>) {
        range.for_each(|at| self.push(text[at], at..at + 1));
    }

    /// Where a span of the view stands in the text.
    pub(crate) fn origin(&self, span: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.from.get(at).map(|&(start, end)| start as usize..end as usize);
        match (place(span.start), place(span.end.saturating_sub(1))) {
            (Some(first), Some(last)) if first.start <= last.end => first.start..last.end,
            _ => 0..0,
        }
    }
}
