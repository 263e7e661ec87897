//! What a test holds in its hand: a gate before requests, and requests that land late.

use std::{
    fmt, mem,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::future::BoxFuture;
use object_store::Result;
use tokio::sync::{Semaphore, watch};

/// Holds requests until it is opened. From [`On::hold`](crate::On::hold) and
/// [`On::hold_answer`](crate::On::hold_answer). Clones are the same gate.
#[derive(Clone, Debug)]
#[must_use = "requests stay held until the gate is released"]
pub struct Gate {
    arrivals: Arc<Semaphore>,
    open: Arc<watch::Sender<bool>>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { arrivals: Arc::new(Semaphore::new(0)), open: Arc::new(watch::Sender::new(false)) }
    }

    /// Waits until a further request has arrived at the gate: the n-th call returns when the n-th request is there.
    pub async fn reached(&self) {
        // The semaphore is never closed.
        if let Ok(arrival) = self.arrivals.acquire().await {
            arrival.forget();
        }
    }

    /// Lets all held requests go on, and every later one pass.
    pub fn release(&self) {
        self.open.send_replace(true);
    }

    /// Arrives at the gate and waits there.
    pub(crate) async fn pass(&self) {
        self.arrivals.add_permits(1);
        // The sender lives as long as `self`.
        let _ = self.open.subscribe().wait_for(|open| *open).await;
    }
}

/// Requests that were answered with an error and are still on their way. From
/// [`On::land_late`](crate::On::land_late). Clones are the same requests.
#[derive(Clone, Default)]
#[must_use = "requests do not land until they are released"]
pub struct Late {
    pending: Arc<Mutex<Vec<BoxFuture<'static, Result<()>>>>>,
}

impl Late {
    /// How many requests are on their way.
    pub fn pending(&self) -> usize {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Lets them land, in the order in which they were sent, and tells what the store answered to each. What is sent
    /// later waits for the next call.
    pub async fn release(&self) -> Vec<Result<()>> {
        let pending = mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let mut answers = Vec::with_capacity(pending.len());
        for request in pending {
            answers.push(request.await);
        }
        answers
    }

    pub(crate) fn push(&self, request: BoxFuture<'static, Result<()>>) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    }
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").field("pending", &self.pending()).finish()
    }
}
