//! Puts placeholders in the place of what was found, line by line.

use std::ops::Range;

use crate::{hit::Hit, placeholder::placeholder};

/// A text with placeholders, and where its pieces come from.
pub(crate) struct Redacted {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A part of the result: kept as it was, or a placeholder for a part of the text.
struct Piece {
    to: Range<usize>,
    from: Range<usize>,
    kept: bool,
}

impl Redacted {
    /// Replaces the spans of `hits`, which are in order, do not overlap and lie on character boundaries.
    pub(crate) fn new(text: &str, hits: &[Hit<'_>]) -> Self {
        let mut made = Self { text: String::with_capacity(text.len()), pieces: Vec::with_capacity(hits.len() * 2 + 1) };
        let mut done = 0;
        for hit in hits {
            made.keep(text, done..hit.span.start);
            let token = placeholder(hit.kind);
            let mut start = hit.span.start;
            // A span over k lines becomes k placeholders; the line ends between them stay, CR LF too.
            for line in text[hit.span.clone()].split_inclusive('\n') {
                let value = line.trim_end_matches(['\n', '\r']).len();
                let value = if line.ends_with('\n') { value } else { line.len() };
                made.put(&token, start..start + value);
                made.keep(text, start + value..start + line.len());
                start += line.len();
            }
            done = hit.span.end;
        }
        made.keep(text, done..text.len());
        made
    }

    fn keep(&mut self, text: &str, from: Range<usize>) {
        if !from.is_empty() {
            let start = self.text.len();
            self.text.push_str(&text[from.clone()]);
            self.pieces.push(Piece { to: start..self.text.len(), from, kept: true });
        }
    }

    fn put(&mut self, token: &str, from: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(token);
        self.pieces.push(Piece { to: start..self.text.len(), from, kept: false });
    }

    /// Where a span of the result was in the text; a placeholder that it touches comes as a whole.
    pub(crate) fn origin(&self, span: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.pieces.partition_point(|piece| piece.to.end <= at);
        let start = self.pieces.get(place(span.start)).map_or(0, |piece| {
            if piece.kept { piece.from.start + (span.start - piece.to.start) } else { piece.from.start }
        });
        let end = self.pieces.get(place(span.end.saturating_sub(1))).map_or(start, |piece| {
            if piece.kept { piece.from.start + (span.end - piece.to.start) } else { piece.from.end }
        });
        start..end.max(start)
    }
}
