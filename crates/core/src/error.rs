//! What can go wrong, as far as a caller would act differently.

use std::{error::Error as StdError, fmt, sync::Arc};

/// The result of an operation of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed: what was tried and what to do next stand in the text, secrets never do.
///
/// One failure may answer many commands of a group, so errors can be cloned.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was asked for does not exist: a vault at this place, or a memory at this path.
    #[error("{what} does not exist: {hint}")]
    NotFound {
        /// What was looked for.
        what: String,
        /// What to do next.
        hint: String,
    },

    /// What should be made anew exists already.
    #[error("{what} exists already: {hint}")]
    AlreadyExists {
        /// What exists.
        what: String,
        /// What to do next.
        hint: String,
    },

    /// The key or passphrase does not open this vault.
    #[error(
        "the key does not open this vault: give the key or passphrase of one of its slots; if that is what was given, the header was \
             changed: put it back from a copy"
    )]
    WrongKey,

    /// No key was given, or one that cannot be used.
    #[error("{0}")]
    Key(String),

    /// An argument that can never work.
    #[error("{0}")]
    Invalid(String),

    /// Written by a newer memoseal.
    #[error("{what} was written in a newer format than this program reads: update memoseal")]
    NewerFormat {
        /// Which object.
        what: String,
    },

    /// The bucket holds something that nobody with the key wrote there, or lacks something that was written.
    #[error("damaged: {what}: {problem}")]
    Damaged {
        /// Which object, in words that name no key of the bucket.
        what: String,
        /// What is wrong with it.
        problem: String,
    },

    /// The bucket holds an older state than this machine has seen, or another one in its place.
    #[error(
        "{what} was rolled back: {problem}: restore what is missing, or, if you have put a backup in place yourself, \
             accept it (`memoseal verify --accept-rollback`, `VaultOptions::accept_rollback`)"
    )]
    RolledBack {
        /// Which log.
        what: String,
        /// What was seen before, and what is there now.
        problem: String,
    },

    /// The place to copy to holds what this vault never had: it is no older copy of it.
    #[error(
        "the target is no older copy of this vault: {object}: {problem}: choose an empty place, or copy the other way \
             round if the target is the newer one"
    )]
    Diverged {
        /// Which object of the target.
        object: String,
        /// What is wrong with it.
        problem: String,
    },

    /// What this machine has seen cannot be read or noted.
    #[error("cannot use the witness {file}: {problem}: make it readable and writable, or remove it to begin anew")]
    Witness {
        /// The file.
        file: String,
        /// What the system said.
        problem: String,
    },

    /// The store cannot keep the promises that the engine needs.
    #[error("this object store cannot hold a vault: {0}")]
    Unsuitable(String),

    /// The backend did not do what was asked; nothing was changed.
    #[error("{doing}: {}{}", Cause(.cause), Hint(.hint))]
    Backend {
        /// What was tried.
        doing: String,
        /// What the backend said.
        cause: Arc<object_store::Error>,
        /// What to do next; may be empty.
        hint: &'static str,
    },

    /// A write was sent and no answer says whether it landed. The next operation finds out.
    #[error("it is not known whether the change was saved ({problem}): look at the store before you try again")]
    OutcomeUnknown {
        /// What the last attempt ran into.
        problem: String,
    },

    /// The system has no randomness to give.
    #[error("the operating system gave no random bytes")]
    NoRandomness,
}

/// What the backend said; where it says no more than that there is no bucket, in words and not as pages of XML.
struct Cause<'a>(&'a object_store::Error);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if has_no_bucket(self.0) { f.write_str("there is no such bucket") } else { self.0.fmt(f) }
    }
}

struct Hint<'a>(&'a str);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

impl Error {
    /// Whether the backend did not accept the credentials.
    pub fn is_unauthenticated(&self) -> bool {
        matches!(self, Self::Backend { cause, .. } if is_unauthenticated(cause))
    }

    /// Whether the bucket holds something else than was written, as far as can be told: what is being destroyed at the
    /// same moment looks the same.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::RolledBack { .. })
    }

    pub(crate) fn damaged(what: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self::Damaged { what: what.to_string(), problem: problem.to_string() }
    }

    /// A failure of a backend, with a hint where its kind gives one.
    pub fn backend(doing: impl Into<String>, source: object_store::Error) -> Self {
        let hint = match io_kind(&source) {
            _ if has_no_bucket(&source) => "create it, or check its name (and account) in the URL",
            Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) => "free some space",
            Some(std::io::ErrorKind::ReadOnlyFilesystem) => "make the disk writable",
            Some(std::io::ErrorKind::PermissionDenied) => "give this user access to the folder",
            Some(std::io::ErrorKind::NotFound) => "put the folder back, or mount it again",
            _ if is_unauthenticated(&source) => "renew or check the credentials",
            _ if source.to_string().contains("RequestTimeTooSkewed") => "set the clock of this machine",
            _ if is_denied(&source) => {
                "check what these credentials may do (a store that may not be listed answers 403 for a missing key)"
            }
            _ => "",
        };
        Self::Backend { doing: doing.into(), cause: Arc::new(source), hint }
    }
}

/// Whether there is no bucket to ask for anything, as S3 and GCS say it in XML, GCS in JSON, and Azure.
fn has_no_bucket(error: &object_store::Error) -> bool {
    let text = error.to_string();
    ["<Code>NoSuchBucket</Code>", "<Code>ContainerNotFound</Code>", "The specified bucket does not exist"]
        .iter()
        .any(|said| text.contains(said))
}

/// Whether the credentials were not accepted: wrong, or too old. S3 answers 400 or 403 to those that have expired.
fn is_unauthenticated(error: &object_store::Error) -> bool {
    let text = || error.to_string();
    matches!(error, object_store::Error::Unauthenticated { .. })
        || http_status(error) == Some(401)
        || ["<Code>ExpiredToken</Code>", "<Code>InvalidToken</Code>"].iter().any(|code| text().contains(code))
}

/// Whether the credentials may not do it. A listing that is refused has no kind of its own.
fn is_denied(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::PermissionDenied { .. }) || http_status(error) == Some(403)
}

/// The status of an answer that the client library has no kind for. It keeps the type to itself, so its text is read.
pub(crate) fn http_status(error: &object_store::Error) -> Option<u16> {
    let text = error.to_string();
    let (_, status) = text.split_once("non-2xx status code: ")?;
    status.get(..3)?.parse().ok()
}

/// The kind of the operating system's error that lies under an error of a store, if one does.
pub(crate) fn io_kind(error: &(dyn StdError + 'static)) -> Option<std::io::ErrorKind> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_that_is_not_there_is_said_in_words() {
        let xml = |code: &str| {
            format!(
                "Server returned non-2xx status code: 404 Not Found: <?xml version=\"1.0\"?>\n<Error><Code>{code}</Code>\
                 <BucketName>memory</BucketName></Error>"
            )
        };
        let generic = |text: String| object_store::Error::Generic { store: "S3", source: text.into() };
        let missing = |text: String| object_store::Error::NotFound { path: "vault/1".into(), source: text.into() };
        for source in [
            generic(xml("NoSuchBucket")),
            missing(xml("NoSuchBucket")),
            generic(xml("ContainerNotFound")),
            generic("{\"error\":{\"code\":404,\"message\":\"The specified bucket does not exist.\"}}".into()),
        ] {
            let said = Error::backend("cannot list", source).to_string();
            let expected =
                "cannot list: there is no such bucket: create it, or check its name (and account) in the URL";
            assert_eq!(said, expected);
        }
        for other in [xml("NoSuchKey"), xml("NoSuchBucketPolicy")] {
            let said = Error::backend("cannot list", generic(other.clone())).to_string();
            assert!(said.contains(&other), "{said}");
        }
    }
}
