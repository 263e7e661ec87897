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
//!
//! | module | what it holds |
//! |---|---|
//! | `place` | from a URL to two clients |
//! | `amazon` | profiles and credentials, by `aws-config` |
//! | `credentials` | credentials kept, and renewed ahead of their end |
//! | `kms` | a key in AWS KMS that opens a vault |
//! | `bucket` | what is set for a bucket, for who looks whether it can hold a vault |

#![forbid(unsafe_code)]

mod amazon;
mod bucket;
mod credentials;
mod kms;
mod place;

pub use self::{bucket::Bucket, kms::Kms};
pub use memoseal_bucket::Error;
use memoseal_core::Backend;
use url::Url;

use self::place::Place;

/// The place that `url` names, with what `variable` knows of the environment. Reads the files of profiles, sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options or the variables cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    Place::read(url, &variable)?.backend()
}

/// The place that `url` names as [`open`] gives it, and its bucket, for who looks whether it can hold a vault. Sends
/// nothing.
///
/// # Errors
///
/// As [`open`].
pub fn inspect(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<(Backend, Bucket), Error> {
    let place = Place::read(url, &variable)?;
    let backend = place.backend()?;
    Ok((backend, Bucket::new(place, variable)?))
}
