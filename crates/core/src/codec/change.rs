//! One change, before it is sealed.

use bytes::Bytes;

use super::{Actor, Op};
use crate::{
    scrub::Findings,
    state::{Memory, MemoryId, Note, VersionId},
};

/// One change on its way into the log.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) what: What,
    pub(crate) at_ms: i64,
    pub(crate) actor: Actor,
}

/// What a change is about.
#[derive(Debug)]
pub(crate) enum What {
    Memory(MemoryChange),
    Store(Note),
}

/// A change to one memory.
#[derive(Debug)]
pub(crate) struct MemoryChange {
    pub(crate) op: Op,
    pub(crate) memory: MemoryId,
    /// The version before; none for a new memory.
    pub(crate) previous: Option<VersionId>,
    /// The memory as it stands afterwards; none when it is gone.
    pub(crate) post: Option<Memory>,
    /// The new content, where the change writes one.
    pub(crate) content: Option<Bytes>,
    /// What was taken out of it.
    pub(crate) found: Findings,
}

impl Change {
    /// The change as one to a memory.
    pub(crate) fn memory(&self) -> Option<&MemoryChange> {
        match &self.what {
            What::Memory(change) => Some(change),
            What::Store(_) => None,
        }
    }
}
