//! What can go wrong with a folder.

use std::{io, path::PathBuf};

/// Why a folder cannot be used as a vault's place.
///
/// Errors of a store that is already open reach the caller as `object_store::Error::Generic` with one of these as
/// its source, and the `io::Error` behind it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL is not a `file:` URL. Only its scheme is kept, since the rest may hold a password.
    #[error("a folder is named by a URL like file:///srv/memory, not by one that begins with {scheme}:")]
    WrongScheme {
        /// The scheme that was found.
        scheme: String,
    },

    /// The URL has a part that a folder has no use for.
    #[error("a folder is named by a URL like file:///srv/memory, without {what}")]
    BadUrl {
        /// The part that is too much: "a host", "a query", "a fragment", or "a path that this system cannot have".
        what: &'static str,
    },

    /// Nothing is there.
    #[error("the folder {} does not exist", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// Something is there, but not a folder.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What is not a folder.
        path: PathBuf,
    },

    /// The vault's folder was there when it was opened, and is not any more: deleted, renamed or unmounted.
    #[error("the vault's folder {} has gone away since it was opened (deleted, renamed or unmounted?)", path.display())]
    Gone {
        /// The folder.
        path: PathBuf,
        /// What the system said; its kind is `NotFound` also when another folder stands there now.
        source: io::Error,
    },

    /// A symbolic link below the vault's folder leads back to a folder that it lies in.
    #[error("the symbolic link {} leads back to a folder that it lies in", path.display())]
    Loop {
        /// The link.
        path: PathBuf,
    },

    /// The name ends in `#` and digits, as the names of half-written files do.
    #[error("names that end in # and digits are kept for files being written: {name}")]
    Reserved {
        /// The name.
        name: String,
    },

    /// The system refused something else.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was attempted, to be read before the path: "create the folder", "sync the folder", ….
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err`: `action` on `path` failed.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

impl From<Error> for object_store::Error {
    fn from(error: Error) -> Self {
        Self::Generic { store: "memoseal-local", source: Box::new(error) }
    }
}
