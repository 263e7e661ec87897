//! What a failed request tells about what happened, and what it does not. Pure.

use std::io::ErrorKind;

use object_store::Error;

use crate::error::{http_status, io_kind};

/// Whether the store turned a request away before it could do anything. Trying the same again cannot help.
///
/// Every other error of a create leaves it open whether the object landed, "exists already" included: an earlier
/// attempt of our own may be what exists.
pub(crate) fn is_refusal(error: &Error) -> bool {
    match error {
        // A put finds nothing to put into: no bucket, no folder.
        Error::NotFound { .. }
        | Error::PermissionDenied { .. }
        | Error::Unauthenticated { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::InvalidPath { .. }
        | Error::UnknownConfigurationKey { .. } => true,
        _ if is_refusing_status(error) => true,
        _ => matches!(
            io_kind(error),
            Some(
                ErrorKind::NotFound
                    | ErrorKind::NotADirectory
                    | ErrorKind::StorageFull
                    | ErrorKind::QuotaExceeded
                    | ErrorKind::FileTooLarge
                    | ErrorKind::PermissionDenied
                    | ErrorKind::ReadOnlyFilesystem
            )
        ),
    }
}

/// Whether the answer's status says that the request was wrong: what is no conflict, and no plea to try again later.
fn is_refusing_status(error: &Error) -> bool {
    match http_status(error) {
        // To a request that came too slowly S3 answers 400 and not 408.
        Some(400) => !error.to_string().contains("<Code>RequestTimeout</Code>"),
        Some(408 | 409 | 412 | 425 | 429) | None => false,
        Some(status) => (400..500).contains(&status),
    }
}

/// Whether the disk was full. Unlike the other refusals this can be the answer to what has landed: the folder of a new
/// file is synced last.
pub(super) fn is_full(error: &Error) -> bool {
    matches!(io_kind(error), Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(kind: ErrorKind) -> Error {
        Error::Generic { store: "test", source: Box::new(std::io::Error::from(kind)) }
    }

    fn answered(text: &str) -> Error {
        let source = format!("Error performing PUT: Server returned non-2xx status code: {text}").into();
        Error::Generic { store: "S3", source }
    }

    fn source() -> Box<dyn std::error::Error + Send + Sync> {
        "test".into()
    }

    #[test]
    fn only_what_cannot_have_landed_is_a_refusal() {
        let path = String::new;
        let refusals = [
            Error::NotFound { path: path(), source: source() },
            io(ErrorKind::NotFound),
            Error::PermissionDenied { path: path(), source: source() },
            Error::Unauthenticated { path: path(), source: source() },
            answered("400 Bad Request: <Error><Code>ExpiredToken</Code></Error>"),
            answered("405 Method Not Allowed: "),
            io(ErrorKind::StorageFull),
            io(ErrorKind::ReadOnlyFilesystem),
            io(ErrorKind::PermissionDenied),
        ];
        let doubts = [
            Error::AlreadyExists { path: path(), source: source() },
            Error::Precondition { path: path(), source: source() },
            Error::Generic { store: "test", source: source() },
            answered("400 Bad Request: <Error><Code>RequestTimeout</Code></Error>"),
            answered("408 Request Timeout: "),
            answered("429 Too Many Requests: "),
            answered("500 Internal Server Error: status code: 400"),
            answered("503 Service Unavailable: "),
            io(ErrorKind::TimedOut),
            io(ErrorKind::ConnectionReset),
        ];
        assert!(refusals.iter().all(is_refusal));
        assert!(!doubts.iter().any(is_refusal));
    }
}
