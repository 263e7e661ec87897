//! A bucket through clients that do what they are told to.

use std::sync::Arc;

use memoseal_core::Backend;
use memoseal_testkit::FaultStore;

use super::Bucket;

/// The two clients of a process of its own, with faults.
pub(crate) struct Clients {
    pub(crate) creates: FaultStore,
    pub(crate) rest: FaultStore,
    bucket: Bucket,
}

impl Clients {
    pub(crate) fn of(bucket: &Bucket) -> Self {
        let backend = bucket.backend();
        let creates = FaultStore::new(Arc::clone(backend.creates()));
        let rest = FaultStore::new(Arc::clone(backend.rest()));
        let inner = Backend::new(Arc::new(creates.clone()), Arc::new(rest.clone()));
        let bucket = Bucket { backend: inner.with_prefix(backend.prefix().clone()) };
        Self { creates, rest, bucket }
    }

    /// The bucket as this process sees it.
    pub(crate) fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    /// The network is well again.
    pub(crate) fn mend(&self) {
        self.creates.clear();
        self.rest.clear();
    }
}
