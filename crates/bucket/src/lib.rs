//! What the backends for buckets share: their URLs, the options in them, and the settings of the HTTP client.
//!
//! `memoseal-s3`, `memoseal-gcs` and `memoseal-azure` each turn a [`Location`] into a client of `object_store`; this
//! crate knows no provider. Nothing here reads the process's environment: the caller hands over how to look a
//! variable up.
//!
//! ```
//! use memoseal_bucket::{Location, Scheme};
//!
//! const SCHEME: Scheme = Scheme { name: "s3", example: "s3://bucket/prefix", options: &["region", "allow_http"] };
//!
//! let location = Location::parse(&"s3://memory/team/a?region=eu-central-1".parse()?, &SCHEME)?;
//! assert_eq!(location.bucket(), "memory");
//! assert_eq!(location.prefix().as_ref(), "team/a");
//! assert_eq!(location.option("region"), Some("eu-central-1"));
//! assert!(!location.flag("allow_http")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `location` | from a URL to a bucket, a prefix and options |
//! | `client` | time limits, connections and retries |
//! | `error` | what can be wrong with a URL or a setting |

#![forbid(unsafe_code)]

mod client;
mod error;
mod location;

pub use client::{client_options, no_retries, retries};
pub use error::Error;
pub use location::{Location, Scheme};
