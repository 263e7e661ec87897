//! The kinds of requests.

use object_store::{GetOptions, PutMode};

/// What a request asks of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// A put-if-absent.
    PutCreate,
    /// A put that replaces what is there.
    PutOverwrite,
    /// A put that depends on the version that is there. memoseal never sends one.
    PutUpdate,
    /// A multipart upload. memoseal never sends one.
    Multipart,
    /// A GET, whole or ranged.
    Get,
    /// A HEAD.
    Head,
    /// A listing: each page of it when counted, the whole of it when scripted.
    List,
    /// A delete of one object.
    Delete,
    /// A server-side copy. memoseal never sends one.
    Copy,
    /// A rename. memoseal never sends one.
    Rename,
}

impl Op {
    /// The kind of a put in this mode.
    pub(crate) fn of_put(mode: &PutMode) -> Self {
        match mode {
            PutMode::Create => Self::PutCreate,
            PutMode::Overwrite => Self::PutOverwrite,
            PutMode::Update(_) => Self::PutUpdate,
        }
    }

    /// The kind of a get with these options.
    pub(crate) fn of_get(options: &GetOptions) -> Self {
        if options.head { Self::Head } else { Self::Get }
    }
}
