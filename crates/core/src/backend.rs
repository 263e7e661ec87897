//! Where the bytes lie: two object stores over one place.

use std::sync::Arc;

use object_store::{ObjectStore, memory::InMemory, path::Path};

/// A place in an object store, as a backend crate hands it to the engine.
///
/// Two clients lead to the same place. `creates` is used for every put-if-absent and must not retry by itself:
/// the engine has to know the answer of each attempt, because a create that failed may have landed. `rest` is used
/// for everything else and may retry as it likes. On local disk both are the same store.
#[derive(Clone, Debug)]
pub struct Backend {
    creates: Arc<dyn ObjectStore>,
    rest: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl Backend {
    /// A backend whose creates go through `creates` and everything else through `rest`, at the root of both.
    pub fn new(creates: Arc<dyn ObjectStore>, rest: Arc<dyn ObjectStore>) -> Self {
        Self { creates, rest, prefix: Path::default() }
    }

    /// A backend over one store that does not retry by itself, such as local disk or memory.
    pub fn single(store: Arc<dyn ObjectStore>) -> Self {
        Self::new(Arc::clone(&store), store)
    }

    /// An empty place in this process's memory, for tests and trials. It goes with the last clone.
    pub fn in_memory() -> Self {
        Self::single(Arc::new(InMemory::new()))
    }

    /// The same stores, with the vault below `prefix`.
    #[must_use]
    pub fn with_prefix(self, prefix: Path) -> Self {
        Self { prefix, ..self }
    }

    /// The client for put-if-absent; it must not retry by itself.
    pub fn creates(&self) -> &Arc<dyn ObjectStore> {
        &self.creates
    }

    /// The client for everything but put-if-absent.
    pub fn rest(&self) -> &Arc<dyn ObjectStore> {
        &self.rest
    }

    /// The path in the stores below which the vault lies.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }
}
