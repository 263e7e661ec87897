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
//! | `region` | the bucket's region | `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's, us-east-1 |
//! | `profile` | the profile in `~/.aws/config` and `~/.aws/credentials`, before any key in the environment | `AWS_PROFILE`, `default` |
//! | `endpoint` | the server, if it is not Amazon's | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` |
//! | `path_style` | `false`: the bucket stands in the host's name (in `endpoint` too, if one is given) | true |
//!
//! and those of [`Settings`]: `timeout`, `connect_timeout`, `idle_timeout`, `retries`, `retry_timeout`, `allow_http`.
//!
//! Credentials are found as Amazon's own tools find them, by `aws-config`: `AWS_ACCESS_KEY_ID` with
//! `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN`); a profile (keys, `role_arn`, SSO, `web_identity_token_file`,
//! `credential_process`), in the files that `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` name or in `~/.aws`; a web
//! identity (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`); a container's; those of the EC2 instance. They are
//! fetched when the first request is sent, kept, and renewed from 5 minutes before their end on.
//!
//! What is named in this text comes through `variable`, but for a web identity, a container's credentials, the home
//! folder and what else `aws-config` knows (`AWS_EC2_METADATA_DISABLED`, …): it reads the process's own environment, and has no
//! stable way to be given another.
//!
//! Encryption by Amazon is set by `AWS_SERVER_SIDE_ENCRYPTION` and `AWS_SSE_KMS_KEY_ID`, where a bucket's policy demands it.
//!
//! [`Kms`] is a key in AWS KMS that opens a vault, wherever that lies.
//!
//! Proven: the whole shared suite on LocalStack 4.14.0 and on Ceph 16.2, with static keys. Not on Amazon itself or MinIO yet.
//!
//! Directory buckets (S3 Express One Zone) are refused: they do not list in order.
//!
//! [`Backend`]: memoseal_core::Backend
//! [`Settings`]: memoseal_bucket::Settings

#![forbid(unsafe_code)]

mod amazon;
mod credentials;
mod kms;

use std::sync::Arc;

pub use self::kms::Kms;
pub use memoseal_bucket::Error;
use memoseal_bucket::{Location, Scheme, Settings, two_clients};
use memoseal_core::{Backend, env::SystemClock};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use url::Url;

use self::{amazon::Amazon, credentials::Kept};

const SCHEME: Scheme =
    Scheme { name: "s3", example: "s3://bucket/prefix", options: &["region", "profile", "endpoint", "path_style"] };

/// The variables that are handed on to the client as they are. A bucket or another behaviour of the client is not among
/// them: the one stands in the URL, the other is the engine's.
const VARIABLES: [&str; 2] = ["AWS_SERVER_SIDE_ENCRYPTION", "AWS_SSE_KMS_KEY_ID"];

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
    let amazon = Amazon::new(location.option("profile"), location.option("region"), &variable)?;
    builder = builder.with_region(amazon.region());
    if let Some(endpoint) = location.endpoint(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"], &variable)? {
        builder = builder.with_endpoint(endpoint);
    }
    let path_style = location.option("path_style").is_none() || location.flag("path_style")?;
    builder = builder.with_bucket_name(bucket).with_virtual_hosted_style_request(!path_style);

    // Of both clients, so that they are fetched once.
    let credentials = Arc::new(Kept::new(amazon, Arc::new(SystemClock)));
    let builder = builder.with_credentials(credentials);
    two_clients(&location, &settings, refused(bucket), |retry, _: Option<&AmazonS3>| {
        builder.clone().with_retry(retry).build()
    })
}

fn refused(bucket: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the bucket `{bucket}`"),
        source,
        todo: "check the AWS_… variables and the options of the URL",
    }
}
