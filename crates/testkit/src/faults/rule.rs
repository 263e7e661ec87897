//! How a fault is scripted: which requests, and what happens to them.

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use object_store::path::Path;

use super::{
    FaultStore, Gate, Late,
    listing::Falsify,
    plan::{Action, Outcome},
};
use crate::{Fault, Op};

type Predicate = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// A rule in the making: which requests it is for. Made by [`FaultStore::on`]; the methods that say what happens
/// add it to the store.
///
/// A rule is for the first request that matches, unless [`nth`](Self::nth), [`times`](Self::times) or
/// [`always`](Self::always) say otherwise. Each rule counts for itself. If several are for the same request, the
/// earliest error wins, and everything else happens together: waiting first.
#[must_use = "a rule does nothing until it says what happens"]
pub struct On<'a> {
    store: &'a FaultStore,
    op: Option<Op>,
    predicates: Vec<Predicate>,
    first: u64,
    last: u64,
}

impl<'a> On<'a> {
    pub(super) fn new(store: &'a FaultStore, op: Option<Op>) -> Self {
        Self { store, op, predicates: Vec::new(), first: 1, last: 1 }
    }

    /// Only paths (of a listing: prefixes) that `predicate` holds for. Several of these must all hold.
    pub fn path(mut self, predicate: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        self.predicates.push(Arc::new(predicate));
        self
    }

    /// Only this path.
    pub fn path_is(self, path: impl Into<Path>) -> Self {
        let path = path.into();
        self.path(move |found| *found == path)
    }

    /// Only paths with `part` somewhere in them.
    pub fn path_contains(self, part: impl Into<String>) -> Self {
        let part = part.into();
        self.path(move |found| found.as_ref().contains(&part))
    }

    /// Only the `n`-th request that matches, counted from 1 and from now on; with [`times`](Self::times) after it,
    /// from the `n`-th on.
    pub fn nth(mut self, n: u64) -> Self {
        (self.first, self.last) = (n, n);
        self
    }

    /// This many requests that match, from the first (or the [`nth`](Self::nth)) on.
    pub fn times(mut self, times: u64) -> Self {
        self.last = self.first.saturating_add(times.saturating_sub(1));
        self
    }

    /// Every request that matches, from the first (or the [`nth`](Self::nth)) on.
    pub fn always(mut self) -> Self {
        self.last = u64::MAX;
        self
    }

    /// It fails and has no effect.
    pub fn fail_before(self, fault: Fault) {
        self.add(Action::Outcome(Outcome::FailBefore(fault)));
    }

    /// It takes effect (as far as the store lets it), and then fails all the same.
    pub fn land_then_fail(self, fault: Fault) {
        self.add(Action::Outcome(Outcome::LandThenFail(fault)));
    }

    /// It fails at once, and takes effect when the test calls [`Late::release`]. Reads just fail.
    pub fn land_late(self, fault: Fault) -> Late {
        let late = Late::default();
        self.add(Action::Outcome(Outcome::LandLate(late.clone(), fault)));
        late
    }

    /// It reaches the store after `delay`, by tokio's clock: no time at all where that is paused.
    pub fn delay(self, delay: Duration) {
        self.add(Action::Delay(delay));
    }

    /// It reaches the store only when the test calls [`Gate::release`].
    pub fn hold(self) -> Gate {
        let gate = Gate::new();
        self.add(Action::Hold(gate.clone()));
        gate
    }

    /// It takes effect at once, but its answer is held until the test calls [`Gate::release`].
    pub fn hold_answer(self) -> Gate {
        let gate = Gate::new();
        self.add(Action::HoldAnswer(gate.clone()));
        gate
    }

    /// A put replaces what is there whatever its mode, as by a store that ignores put-if-absent.
    pub fn ignore_mode(self) {
        self.add(Action::IgnoreMode);
    }

    /// A GET or HEAD of a missing object is answered with 403, as by S3 without permission to list.
    pub fn not_found_as_403(self) {
        self.add(Action::NotFoundAs403);
    }

    /// The bytes of a GET are changed by `change`. If it was for the whole object, the size that goes with them is
    /// that of the changed bytes, as if the object itself had been changed.
    pub fn corrupt(self, change: impl Fn(Bytes) -> Bytes + Send + Sync + 'static) {
        self.add(Action::Corrupt(Arc::new(change)));
    }

    /// A listing comes in another order, the same one for the same `seed`.
    pub fn unordered(self, seed: u64) {
        self.add(Action::Falsify(Falsify::Shuffle(seed)));
    }

    /// A listing tells every entry twice.
    pub fn doubled(self) {
        self.add(Action::Falsify(Falsify::Double));
    }

    /// A listing leaves `path` out.
    pub fn missing(self, path: impl Into<Path>) {
        self.add(Action::Falsify(Falsify::Remove(path.into())));
    }

    /// A listing has an empty object at `path`, in its place, whether it is asked for or not.
    pub fn extra(self, path: impl Into<Path>) {
        self.add(Action::Falsify(Falsify::Insert(path.into())));
    }

    /// A listing ends after this many entries as if there were no more.
    pub fn cut_after(self, entries: usize) {
        self.add(Action::Falsify(Falsify::Truncate(entries)));
    }

    fn add(self, action: Action) {
        let Self { store, op, predicates, first, last } = self;
        store.add(Rule { op, predicates, first, last, seen: 0, action });
    }
}

impl fmt::Debug for On<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("On").field("op", &self.op).field("first", &self.first).field("last", &self.last).finish()
    }
}

/// A rule: which requests, and what happens to them.
pub(super) struct Rule {
    op: Option<Op>,
    predicates: Vec<Predicate>,
    first: u64,
    last: u64,
    /// How many requests have matched.
    seen: u64,
    action: Action,
}

impl Rule {
    /// What is to happen to this request, if anything; counts it.
    pub(super) fn apply(&mut self, op: Op, path: &Path) -> Option<Action> {
        let matches = self.op.is_none_or(|wanted| wanted == op) && self.predicates.iter().all(|holds| holds(path));
        if !matches {
            return None;
        }
        self.seen += 1;
        (self.first..=self.last).contains(&self.seen).then(|| self.action.clone())
    }

    pub(super) fn has_fired(&self) -> bool {
        self.seen >= self.first
    }
}
