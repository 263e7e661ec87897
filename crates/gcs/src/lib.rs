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

#![forbid(unsafe_code)]

use std::sync::Arc;

pub use memoseal_bucket::Error;
use memoseal_bucket::{Location, Scheme, Settings, two_clients};
use memoseal_core::Backend;
use object_store::{
    StaticCredentialProvider,
    gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder, GoogleConfigKey},
};
use url::Url;

const SCHEME: Scheme = Scheme { name: "gs", example: "gs://bucket/prefix", options: &["endpoint", "anonymous"] };

/// The variables that are handed on as they are.
const VARIABLES: [&str; 3] = ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];

/// The place that `url` names, with what `variable` knows of the environment. Reads files of credentials, sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options, the variables or the files that they name cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    let location = Location::parse(url, &SCHEME)?;
    let bucket = location.bucket();

    let settings = Settings::read(&location)?;
    // Over the builder's own options, which allow http.
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_client_options(settings.client_options())
        .with_http_connector(settings.connector());
    for name in VARIABLES {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
        let key: GoogleConfigKey = name.to_ascii_lowercase().parse().map_err(refused(bucket))?;
        builder = builder.with_config(key, value);
    }
    if let Some(endpoint) = location.endpoint(&[], &variable)? {
        builder = builder.with_base_url(&endpoint);
    }
    builder = builder.with_bucket_name(bucket);
    if location.flag("anonymous")? {
        // The client asks for a token before a PUT even so, and would look for one on the network.
        let nobody = GcpCredential { bearer: "anonymous".to_owned() };
        builder = builder.with_skip_signature(true).with_credentials(Arc::new(StaticCredentialProvider::new(nobody)));
    }

    two_clients(&location, &settings, refused(bucket), |retry, first: Option<&GoogleCloudStorage>| {
        let builder = builder.clone().with_retry(retry);
        match first {
            Some(first) => builder.with_credentials(Arc::clone(first.credentials())).build(),
            None => builder.build(),
        }
    })
}

fn refused(bucket: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the bucket `{bucket}`"),
        source,
        todo: "check the GOOGLE_… variables and the files that they name",
    }
}
