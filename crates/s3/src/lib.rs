//! Amazon S3 for memoseal, and stores that speak its protocol.
//!
//! [`open`] turns `s3://bucket/prefix` into the [`Backend`] that the engine works on. The bucket has to exist.
//!
//! ```
//! // The variables come from the caller; a program passes `|name| std::env::var(name).ok()`.
//! let variable = |name: &str| match name {
//!     "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".to_owned()),
//!     _ => None,
//! };
//! let url = "s3://memory/team?region=eu-central-1".parse()?;
//! let backend = memoseal_s3::open(&url, variable)?;
//! assert_eq!(backend.prefix().as_ref(), "team");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Options, as `?name=value&…`:
//!
//! | option | meaning | otherwise |
//! |---|---|---|
//! | `region` | the bucket's region | `AWS_REGION`, `AWS_DEFAULT_REGION`, us-east-1 |
//! | `endpoint` | the server, if it is not Amazon's | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` |
//! | `path_style` | `false`: the bucket stands in the host's name (in `endpoint` too, if one is given) | true |
//!
//! and those of [`Settings`]: `timeout`, `connect_timeout`, `idle_timeout`, `retries`, `retry_timeout`, `allow_http`.
//!
//! Credentials are the first of: `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN`); a web
//! identity (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`); a container's (`AWS_CONTAINER_CREDENTIALS_…`); those of the
//! EC2 instance. Not read: `~/.aws`, profiles and SSO, which need `aws-config`; `aws configure export-credentials
//! --format env` turns them into variables.
//!
//! Encryption by Amazon is set by `AWS_SERVER_SIDE_ENCRYPTION` and `AWS_SSE_KMS_KEY_ID`, where a bucket's policy demands it.
//!
//! Proven: the whole shared suite on LocalStack 4.14.0, with static keys. Not on Amazon itself, MinIO or Ceph yet.
//!
//! Directory buckets (S3 Express One Zone) are refused: they do not list in order.
//!
//! [`Backend`]: memoseal_core::Backend
//! [`Settings`]: memoseal_bucket::Settings

#![forbid(unsafe_code)]

use std::sync::Arc;

pub use memoseal_bucket::Error;
use memoseal_bucket::{Location, Scheme, Settings, two_clients};
use memoseal_core::Backend;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use url::Url;

const SCHEME: Scheme =
    Scheme { name: "s3", example: "s3://bucket/prefix", options: &["region", "endpoint", "path_style"] };

/// The variables that are handed on as they are. A bucket or another behaviour of the client is not among them:
/// the one stands in the URL, the other is the engine's.
const VARIABLES: [&str; 14] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    // The second wins, if both are set.
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_ENDPOINT_URL_STS",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_SERVER_SIDE_ENCRYPTION",
    "AWS_SSE_KMS_KEY_ID",
];

/// The place that `url` names, with what `variable` knows of the environment. Sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options or the variables cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    let location = Location::parse(url, &SCHEME)?;
    let bucket = location.bucket();
    if bucket.ends_with("--x-s3") {
        return Err(Error::Url {
            problem: format!("a directory bucket, `{bucket}`, which does not list in order"),
            example: SCHEME.example,
            todo: " with a general purpose bucket",
        });
    }

    let settings = Settings::read(&location)?;
    let mut builder =
        AmazonS3Builder::new().with_client_options(settings.client_options()).with_http_connector(settings.connector());
    for name in VARIABLES {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
        let key: AmazonS3ConfigKey = name.to_ascii_lowercase().parse().map_err(refused(bucket))?;
        builder = builder.with_config(key, value);
    }
    if let Some(region) = location.option("region") {
        builder = builder.with_region(region);
    }
    if let Some(endpoint) = location.endpoint(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"], &variable)? {
        builder = builder.with_endpoint(endpoint);
    }
    let path_style = location.option("path_style").is_none() || location.flag("path_style")?;
    builder = builder.with_bucket_name(bucket).with_virtual_hosted_style_request(!path_style);

    two_clients(&location, &settings, refused(bucket), |retry, first: Option<&AmazonS3>| {
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
        todo: "check the AWS_… variables and the options of the URL",
    }
}
