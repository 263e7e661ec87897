//! Injected errors look like those of real stores.

use std::{error::Error as _, io};

use memoseal_testkit::{Fault, errors};
use object_store::Error;

/// The kind of the first `io::Error` in the chain of sources.
fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    let mut at: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(source) = at {
        if let Some(io) = source.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        at = source.source();
    }
    None
}

#[test]
fn disk_errors_carry_their_kind_in_the_chain() {
    for (fault, kind) in [
        (errors::disk_full(), io::ErrorKind::StorageFull),
        (errors::disk_read_only(), io::ErrorKind::ReadOnlyFilesystem),
        (errors::disk_permission_denied(), io::ErrorKind::PermissionDenied),
        (errors::connection_reset(), io::ErrorKind::ConnectionReset),
    ] {
        let error = fault.error(&"log/1".into());
        assert!(matches!(error, Error::Generic { .. }), "{fault:?}");
        assert_eq!(io_kind(&error), Some(kind), "{fault:?}");
    }
}

#[test]
fn answers_carry_their_variant_and_path() {
    type Is = fn(&Error) -> bool;
    let table: [(Fault, Is); 7] = [
        (errors::timeout(), |e| matches!(e, Error::Generic { .. })),
        (errors::unavailable(), |e| matches!(e, Error::Generic { .. })),
        (errors::already_exists(), |e| matches!(e, Error::AlreadyExists { path, .. } if path == "log/1")),
        (errors::precondition(), |e| matches!(e, Error::Precondition { path, .. } if path == "log/1")),
        (errors::not_found(), |e| matches!(e, Error::NotFound { path, .. } if path == "log/1")),
        (errors::permission_denied(), |e| matches!(e, Error::PermissionDenied { path, .. } if path == "log/1")),
        (errors::unauthenticated(), |e| matches!(e, Error::Unauthenticated { path, .. } if path == "log/1")),
    ];
    for (fault, is) in table {
        assert!(is(&fault.error(&"log/1".into())), "{fault:?}");
        assert_eq!(io_kind(&fault.error(&"log/1".into())), None);
    }
}
