//! What went through the proxy.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::{Fault, Kind, Op, Request};

/// A request, from when it was there whole until its answer was.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Span {
    /// What was asked.
    pub request: Request,
    /// When the request was there.
    pub start: Instant,
    /// When its answer was ready to be sent; nothing while it is not.
    pub end: Option<Instant>,
    /// The status of the answer, if one was sent.
    pub status: Option<u16>,
    /// What went wrong with it.
    pub fault: Option<Fault>,
}

/// Every request since the start or the last [`clear`](Self::clear). Clones are the same book.
#[derive(Clone, Debug, Default)]
pub struct Book(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    /// How many spans were cleared away: a request that ends later finds its own by its number less this.
    gone: usize,
    spans: Vec<Span>,
}

impl Book {
    /// Every request in the order in which they came.
    pub fn trace(&self) -> Vec<Span> {
        self.pages().spans.clone()
    }

    /// How many requests of each kind.
    pub fn counts(&self) -> BTreeMap<(Op, Kind), u64> {
        let mut counts = BTreeMap::new();
        for span in &self.pages().spans {
            *counts.entry((span.request.op, span.request.kind)).or_default() += 1;
        }
        counts
    }

    /// Starts from nothing.
    pub fn clear(&self) {
        let mut pages = self.pages();
        pages.gone += pages.spans.len();
        pages.spans.clear();
    }

    pub(crate) fn begin(&self, request: Request, fault: Option<Fault>) -> usize {
        let mut pages = self.pages();
        pages.spans.push(Span { request, start: Instant::now(), end: None, status: None, fault });
        pages.gone + pages.spans.len() - 1
    }

    pub(crate) fn end(&self, number: usize, status: Option<u16>) {
        let mut pages = self.pages();
        let place = number.checked_sub(pages.gone);
        if let Some(span) = place.and_then(|place| pages.spans.get_mut(place)) {
            span.end = Some(Instant::now());
            span.status = status;
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most requests of which each began after the one before it had ended: how many round trips somebody waited for.
pub fn levels(trace: &[Span]) -> usize {
    let mut order: Vec<_> = trace.iter().collect();
    order.sort_by_key(|span| span.start);
    let mut levels: Vec<usize> = Vec::new();
    for (n, span) in order.iter().enumerate() {
        let before = order.iter().zip(&levels).take(n);
        let waited_for = before.filter(|(other, _)| other.end.is_some_and(|end| end <= span.start));
        levels.push(1 + waited_for.map(|(_, level)| *level).max().unwrap_or(0));
    }
    levels.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn levels_are_the_longest_chain() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let span = |start, end| Span {
            request: Request { op: Op::Get, kind: Kind::Commit, name: String::new(), number: 0 },
            start: at(start),
            end: Some(at(end)),
            status: Some(200),
            fault: None,
        };
        assert_eq!(levels(&[]), 0);
        assert_eq!(levels(&[span(0, 10), span(1, 11), span(2, 12)]), 1, "side by side");
        assert_eq!(levels(&[span(0, 10), span(5, 25), span(10, 20), span(22, 30), span(26, 31)]), 3);
    }
}
