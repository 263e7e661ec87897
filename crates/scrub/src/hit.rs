//! What a detector reports, and how reports that overlap become one.

use std::ops::Range;

/// How sure a report is of its kind: where two overlap, the surer one names what is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Something random next to a label.
    Generic,
    /// A place where a secret stands, whatever it looks like.
    Structural,
    /// A shape that nothing else has.
    Shape,
}

/// A span of the text that holds a value of some kind.
#[derive(Clone, Debug)]
pub(crate) struct Hit<'r> {
    pub(crate) span: Range<usize>,
    pub(crate) kind: &'r str,
    pub(crate) rule: &'r str,
    pub(crate) rank: Rank,
}

/// Joins hits that overlap, and puts them in the order of the text.
pub(crate) fn merge(mut hits: Vec<Hit<'_>>) -> Vec<Hit<'_>> {
    hits.retain(|hit| !hit.span.is_empty());
    hits.sort_by(|a, b| a.span.start.cmp(&b.span.start).then(b.span.end.cmp(&a.span.end)));
    let mut merged: Vec<Hit<'_>> = Vec::with_capacity(hits.len());
    for hit in hits {
        match merged.last_mut().filter(|last| hit.span.start < last.span.end) {
            Some(last) => {
                last.span.end = last.span.end.max(hit.span.end);
                if hit.rank > last.rank {
                    (last.kind, last.rule, last.rank) = (hit.kind, hit.rule, hit.rank);
                }
            }
            None => merged.push(hit),
        }
    }
    merged
}

/// Takes the ranges in `holes`, which are in order, out of a hit.
pub(crate) fn without<'r>(hit: Hit<'r>, holes: &[Range<usize>]) -> Vec<Hit<'r>> {
    let first = holes.partition_point(|hole| hole.end <= hit.span.start);
    let mut pieces = Vec::new();
    let mut start = hit.span.start;
    for hole in holes[first..].iter().take_while(|hole| hole.start < hit.span.end) {
        if start < hole.start {
            pieces.push(Hit { span: start..hole.start, ..hit.clone() });
        }
        start = start.max(hole.end);
    }
    if start < hit.span.end {
        pieces.push(Hit { span: start..hit.span.end, ..hit });
    }
    pieces
}
