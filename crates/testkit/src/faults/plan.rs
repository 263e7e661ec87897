//! What the rules make of one request.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::FutureExt as _;
use object_store::{Result, path::Path};

use super::{Gate, Late, listing::Falsify};
use crate::Fault;

/// A change to the bytes of a GET.
pub(super) type Change = Arc<dyn Fn(Bytes) -> Bytes + Send + Sync>;

/// One thing that can happen to a request.
#[derive(Clone)]
pub(super) enum Action {
    Outcome(Outcome),
    Delay(Duration),
    Hold(Gate),
    HoldAnswer(Gate),
    IgnoreMode,
    NotFoundAs403,
    Corrupt(Change),
    Falsify(Falsify),
}

/// How a request ends.
#[derive(Clone)]
pub(super) enum Outcome {
    FailBefore(Fault),
    LandThenFail(Fault),
    LandLate(Late, Fault),
}

/// All that happens to one request.
#[derive(Default)]
pub(super) struct Plan {
    delay: Duration,
    before: Vec<Gate>,
    after: Vec<Gate>,
    outcome: Option<Outcome>,
    pub(super) ignore_mode: bool,
    pub(super) not_found_as_403: bool,
    pub(super) corrupt: Vec<Change>,
    pub(super) falsify: Vec<Falsify>,
}

impl Plan {
    pub(super) fn add(&mut self, action: Action) {
        match action {
            Action::Outcome(outcome) => {
                self.outcome.get_or_insert(outcome);
            }
            Action::Delay(delay) => self.delay += delay,
            Action::Hold(gate) => self.before.push(gate),
            Action::HoldAnswer(gate) => self.after.push(gate),
            Action::IgnoreMode => self.ignore_mode = true,
            Action::NotFoundAs403 => self.not_found_as_403 = true,
            Action::Corrupt(change) => self.corrupt.push(change),
            Action::Falsify(change) => self.falsify.push(change),
        }
    }

    /// Carries the request for `path` out: `effect` is what it does to the store.
    pub(super) async fn carry_out<T: Send + 'static>(
        &self,
        path: &Path,
        effect: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        for gate in &self.before {
            gate.pass().await;
        }
        let answer = match &self.outcome {
            None => effect.await,
            Some(Outcome::FailBefore(fault)) => Err(fault.error(path)),
            Some(Outcome::LandThenFail(fault)) => {
                // What the store says is what gets lost.
                let _ = effect.await;
                Err(fault.error(path))
            }
            Some(Outcome::LandLate(late, fault)) => {
                late.push(effect.map(|answer| answer.map(|_| ())).boxed());
                Err(fault.error(path))
            }
        };
        for gate in &self.after {
            gate.pass().await;
        }
        answer
    }
}
