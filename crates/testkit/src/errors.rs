//! Realistic errors to inject, shaped as the stores of `object_store` shape them.

use std::{fmt, io, sync::Arc};

use object_store::{Error, path::Path};

/// An error that can be made anew for each request that it is given to.
#[derive(Clone)]
pub struct Fault {
    name: &'static str,
    make: Arc<dyn Fn(&Path) -> Error + Send + Sync>,
}

impl Fault {
    /// The fault `name`, whose error for a path `make` makes.
    pub fn new(name: &'static str, make: impl Fn(&Path) -> Error + Send + Sync + 'static) -> Self {
        Self { name, make: Arc::new(make) }
    }

    /// The error that a request for `path` is answered with.
    pub fn error(&self, path: &Path) -> Error {
        (self.make)(path)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fault").field(&self.name).finish()
    }
}

/// The client gave up waiting for the answer: whether the request took effect is unknown.
pub fn timeout() -> Fault {
    generic("timeout", || "HTTP error: request timed out".into())
}

/// 503: the server is too busy. Whether the request took effect is, strictly, unknown.
pub fn unavailable() -> Fault {
    generic("unavailable", || "Server returned non-2xx status code: 503 Service Unavailable: SlowDown".into())
}

/// The connection was cut: whether the request took effect is unknown.
pub fn connection_reset() -> Fault {
    generic("connection_reset", || Box::new(io::Error::from(io::ErrorKind::ConnectionReset)))
}

/// 412, or 409 of S3: the object exists.
pub fn already_exists() -> Fault {
    Fault::new("already_exists", |path| Error::AlreadyExists { path: path.to_string(), source: "412".into() })
}

/// 412, as some stores report it.
pub fn precondition() -> Fault {
    Fault::new("precondition", |path| Error::Precondition { path: path.to_string(), source: "412".into() })
}

/// 404.
pub fn not_found() -> Fault {
    Fault::new("not_found", |path| Error::NotFound { path: path.to_string(), source: "404".into() })
}

/// 403.
pub fn permission_denied() -> Fault {
    Fault::new("permission_denied", |path| Error::PermissionDenied { path: path.to_string(), source: "403".into() })
}

/// 401.
pub fn unauthenticated() -> Fault {
    Fault::new("unauthenticated", |path| Error::Unauthenticated { path: path.to_string(), source: "401".into() })
}

/// ENOSPC.
pub fn disk_full() -> Fault {
    on_disk("disk_full", io::ErrorKind::StorageFull)
}

/// EROFS.
pub fn disk_read_only() -> Fault {
    on_disk("disk_read_only", io::ErrorKind::ReadOnlyFilesystem)
}

/// EACCES.
pub fn disk_permission_denied() -> Fault {
    on_disk("disk_permission_denied", io::ErrorKind::PermissionDenied)
}

/// A generic error with this source.
fn generic(
    name: &'static str,
    source: impl Fn() -> Box<dyn std::error::Error + Send + Sync> + Send + Sync + 'static,
) -> Fault {
    Fault::new(name, move |_| Error::Generic { store: "testkit", source: source() })
}

/// What `LocalFileSystem` makes of an `io::Error`: a generic error, whose source is an error of its own, whose source
/// is the `io::Error`.
fn on_disk(name: &'static str, kind: io::ErrorKind) -> Fault {
    Fault::new(name, move |path| {
        let source = OnDisk { path: path.clone(), source: kind.into() };
        Error::Generic { store: "LocalFileSystem", source: Box::new(source) }
    })
}

#[derive(Debug)]
struct OnDisk {
    path: Path,
    source: io::Error,
}

impl fmt::Display for OnDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unable to open file {}: {}", self.path, self.source)
    }
}

impl std::error::Error for OnDisk {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
