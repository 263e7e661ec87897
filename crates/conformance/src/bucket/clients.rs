//! A bucket through clients that do what they are told to.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use memoseal_core::Backend;
use memoseal_testkit::{FaultStore, errors};

use super::Bucket;

/// The two clients of a process of its own, with faults.
pub(crate) struct Clients {
    pub(crate) creates: FaultStore,
    pub(crate) rest: FaultStore,
    bucket: Bucket,
    requests: Arc<AtomicU64>,
}

/// How a process ends in the middle of a verb.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crash {
    /// The request is never sent.
    Before,
    /// The request takes effect, and its answer never comes.
    After,
}

impl Clients {
    pub(crate) fn of(bucket: &Bucket) -> Self {
        let backend = bucket.backend();
        let creates = FaultStore::new(Arc::clone(backend.creates()));
        let rest = FaultStore::new(Arc::clone(backend.rest()));
        let inner = Backend::new(Arc::new(creates.clone()), Arc::new(rest.clone()));
        let bucket = Bucket { backend: inner.with_prefix(backend.prefix().clone()) };
        Self { creates, rest, bucket, requests: Arc::default() }
    }

    /// The bucket as this process sees it.
    pub(crate) fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    /// From now on the process ends at its `n`-th request, counted over both clients: nothing that it sends after
    /// that has an effect.
    pub(crate) fn crash(&self, n: u64, how: Crash) {
        self.requests.store(0, Ordering::SeqCst);
        for store in [&self.creates, &self.rest] {
            let requests = Arc::clone(&self.requests);
            let at = store.on_any().always().path(move |_| requests.fetch_add(1, Ordering::SeqCst) + 1 == n);
            match how {
                Crash::Before => at.fail_before(errors::permission_denied()),
                Crash::After => at.land_then_fail(errors::timeout()),
            }
            let requests = Arc::clone(&self.requests);
            let after = store.on_any().always().path(move |_| requests.load(Ordering::SeqCst) > n);
            // An answer that is not tried again: nobody is there to try.
            after.fail_before(errors::permission_denied());
        }
    }

    /// How many requests were sent since the crash was planned.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// The network is well again.
    pub(crate) fn mend(&self) {
        self.creates.clear();
        self.rest.clear();
    }
}
