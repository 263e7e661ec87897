//! From a URL to a backend: which crate serves which scheme.

use memoseal_core::{Backend, Error, Result};
use memoseal_doctor::Provider;
use url::Url;

/// Reads the URL of a vault. A plain path means `file://`.
///
/// # Errors
/// [`Error::Invalid`] if it is neither.
pub fn parse_url(text: &str) -> Result<Url> {
    match Url::parse(text) {
        Ok(url) => Ok(url),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            let path = std::path::absolute(text).map_err(|error| {
                Error::Invalid(format!("`{text}` is not a folder's path: {error}: give another, or a URL"))
            })?;
            Url::from_directory_path(&path)
                .map_err(|()| Error::Invalid(format!("`{text}` is not a folder's path: give a URL or a path")))
        }
        // Not the text itself: what does not parse may hold a password anywhere.
        Err(error) => Err(Error::Invalid(format!(
            "what was given is not a vault URL: {error}: give one such as file:///srv/memory or s3://bucket/prefix, or a path"
        ))),
    }
}

/// What is to be done at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Create,
    Open,
}

/// The schemes that this build serves, as errors write them.
const SERVED: &[&str] = &[
    #[cfg(feature = "local")]
    "`file:`",
    #[cfg(feature = "s3")]
    "`s3:`",
    #[cfg(feature = "gcs")]
    "`gs:`",
    #[cfg(feature = "azure")]
    "`az:`",
];

pub(crate) fn backend(url: &Url, purpose: Purpose) -> Result<Backend> {
    match url.scheme() {
        #[cfg(feature = "local")]
        "file" => local(url, purpose),
        #[cfg(feature = "s3")]
        "s3" => memoseal_s3::open(url, variable).map_err(invalid),
        #[cfg(feature = "gcs")]
        "gs" => memoseal_gcs::open(url, variable).map_err(invalid),
        #[cfg(feature = "azure")]
        "az" => memoseal_azure::open(url, variable).map_err(invalid),
        other => Err(Error::Invalid(format!(
            "cannot {} the vault: no backend serves `{other}:` URLs, this build has {}: {}",
            match purpose {
                Purpose::Create => "make",
                Purpose::Open => "open",
            },
            match SERVED {
                [] => "none".to_owned(),
                some => some.join(", "),
            },
            match other {
                "file" => "build memoseal with the feature `local`",
                "s3" => "build memoseal with the feature `s3`",
                "gs" => "build memoseal with the feature `gcs`",
                "az" => "build memoseal with the feature `azure`",
                _ => "URLs begin with file:, s3:, gs: or az:, and each has its feature",
            }
        ))),
    }
}

/// A place to look at and not to write to: an empty one in memory, where a folder does not exist.
pub(crate) fn or_nothing(url: &Url) -> Result<Backend> {
    match backend(url, Purpose::Open) {
        Err(Error::NotFound { .. }) => Ok(Backend::in_memory()),
        opened => opened,
    }
}

/// The backend at a place, and what its provider knows of it.
pub(crate) fn inspect(url: &Url) -> Result<(Backend, Box<dyn Provider>)> {
    match url.scheme() {
        #[cfg(feature = "local")]
        "file" => memoseal_local::inspect(url).map(boxed).map_err(from_local),
        #[cfg(feature = "s3")]
        "s3" => memoseal_s3::inspect(url, variable).map(boxed).map_err(invalid),
        #[cfg(feature = "gcs")]
        "gs" => memoseal_gcs::inspect(url, variable).map(boxed).map_err(invalid),
        #[cfg(feature = "azure")]
        "az" => memoseal_azure::inspect(url, variable).map(boxed).map_err(invalid),
        // The refusal that opening gives.
        _ => Err(match backend(url, Purpose::Open) {
            Err(error) => error,
            Ok(_) => Error::Invalid("cannot look at the place: this build does not know it: give another URL".into()),
        }),
    }
}

#[cfg(any(feature = "local", feature = "s3", feature = "gcs", feature = "azure"))]
fn boxed((backend, provider): (Backend, impl Provider + 'static)) -> (Backend, Box<dyn Provider>) {
    (backend, Box::new(provider))
}

#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A URL or a setting that leads to no bucket; its text has all three parts, and no secret.
#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
fn invalid(error: impl std::fmt::Display) -> Error {
    Error::Invalid(error.to_string())
}

/// Removes what processes that were killed left half-written at a place, where such things are left; gives how many.
pub(crate) fn remove_leftovers(url: &Url) -> Result<u64> {
    match url.scheme() {
        #[cfg(feature = "local")]
        "file" => memoseal_local::remove_leftovers(url).map_err(from_local),
        // An object in a bucket is there whole or not at all.
        _ => Ok(0),
    }
}

#[cfg(feature = "local")]
fn local(url: &Url, purpose: Purpose) -> Result<Backend> {
    let backend = match purpose {
        Purpose::Create => memoseal_local::create(url),
        Purpose::Open => memoseal_local::open(url),
    };
    backend.map_err(from_local)
}

#[cfg(feature = "local")]
fn from_local(error: memoseal_local::Error) -> Error {
    use memoseal_local::Error as Local;

    match error {
        Local::Missing { path, .. } => Error::NotFound {
            what: format!("the folder {}", path.display()),
            hint: "check the URL, or make a vault with `memoseal init`".into(),
        },
        Local::Io { action, .. } => Error::backend(format!("cannot {action}"), error.into()),
        other => Error::Invalid(format!(
            "{other}: give a URL such as file:///srv/memory, or the path of a folder of its own"
        )),
    }
}
