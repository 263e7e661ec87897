//! Integration tests: the suite passes on memory, and each of its cases fails on a store that is broken for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broken;
mod can_fail;
mod failure;

use std::sync::Arc;

use memoseal_conformance::{Failure, Place};
use memoseal_core::Backend;
use object_store::{memory::InMemory, path::Path};

struct Memory;

#[async_trait::async_trait]
impl Place for Memory {
    async fn fresh(&self) -> Result<Backend, Failure> {
        Ok(Backend::single(Arc::new(InMemory::new())))
    }
}

/// The same, below a prefix that others share.
struct Below;

#[async_trait::async_trait]
impl Place for Below {
    async fn fresh(&self) -> Result<Backend, Failure> {
        Ok(Memory.fresh().await?.with_prefix(Path::from("team/memory")))
    }
}

mod memory {
    use super::*;
    memoseal_conformance::suite!(Memory);
}

mod memory_below_a_prefix {
    use super::*;
    memoseal_conformance::suite!(Below);
}
