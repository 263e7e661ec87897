//! Google Cloud Storage for memoseal.
//!
//! [`open`] turns `gs://bucket/prefix` into the [`Backend`] that the engine works on. The bucket has to exist.
//!
//! ```
//! // The variables come from the caller; a program passes `|name| std::env::var(name).ok()`.
//! let backend = memoseal_gcs::open(&"gs://memory/team?anonymous=true".parse()?, |_| None)?;
//! assert_eq!(backend.prefix().as_ref(), "team");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Options, as `?name=value&…`:
//!
//! | option | meaning | otherwise |
//! |---|---|---|
//! | `endpoint` | the server, if it is not Google's | Google's |
//! | `anonymous` | `true`: no credentials are looked for, for a server of one's own that wants none | false |
//!
//! and those of [`Settings`]: `timeout`, `connect_timeout`, `idle_timeout`, `retries`, `retry_timeout`, `allow_http`.
//!
//! Credentials are the first of: `GOOGLE_SERVICE_ACCOUNT` (a file) or `GOOGLE_SERVICE_ACCOUNT_KEY` (its JSON);
//! `GOOGLE_APPLICATION_CREDENTIALS` (a file of a service account or a user); what `gcloud auth application-default login`
//! left in the home folder, which is looked up in the process's own `HOME`; those of the machine on Google Cloud. Not
//! known: workload identity federation (`external_account` files).
//!
//! Proven: the whole shared suite on fake-gcs-server 1.54.0, without credentials, behind a proxy that translates what that
//! server lacks (the XML API's PUT, listings from an offset). Not on Google itself yet.
//!
//! [`Backend`]: memoseal_core::Backend
//! [`Settings`]: memoseal_bucket::Settings
//!
//! | module | what it holds |
//! |---|---|
//! | `place` | from a URL to two clients |
//! | `bucket` | what is set for a bucket, for who looks whether it can hold a vault |

#![forbid(unsafe_code)]

mod bucket;
mod place;

pub use memoseal_bucket::Error;
use memoseal_core::Backend;
use url::Url;

pub use self::bucket::Bucket;
use self::place::Place;

/// The place that `url` names, with what `variable` knows of the environment. Reads files of credentials, sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options, the variables or the files that they name cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    Place::read(url, variable)?.backend()
}

/// The place that `url` names as [`open`] gives it, and its bucket, for who looks whether it can hold a vault. Sends
/// nothing.
///
/// # Errors
///
/// As [`open`].
pub fn inspect(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<(Backend, Bucket), Error> {
    let place = Place::read(url, variable)?;
    Ok((place.backend()?, Bucket::new(place)?))
}
