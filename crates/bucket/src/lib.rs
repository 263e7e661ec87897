//! What the backends for buckets share: their URLs, the options in them, and the settings of the HTTP client.
//!
//! `memoseal-s3`, `memoseal-gcs` and `memoseal-azure` each turn a [`Location`] into a client of `object_store`; this
//! crate knows no provider. Nothing here reads the process's environment: the caller hands over how to look a
//! variable up. The HTTP library does: `HTTPS_PROXY` and its relatives, in the process's own environment.
//!
//! ```
//! use memoseal_bucket::{Location, Scheme, Settings};
//!
//! const SCHEME: Scheme = Scheme { name: "s3", example: "s3://bucket/prefix", options: &["region"] };
//!
//! let location = Location::parse(&"s3://memory/team/a?region=eu-central-1&timeout=5s".parse()?, &SCHEME)?;
//! assert_eq!(location.bucket(), "memory");
//! assert_eq!(location.prefix().as_ref(), "team/a");
//! assert_eq!(location.option("region"), Some("eu-central-1"));
//! assert_eq!(Settings::read(&location)?.timeout.as_secs(), 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `location` | from a URL to a bucket, a prefix and options |
//! | `settings` | time limits, connections and retries, with the options for them |
//! | `page` | a page of HTML is no answer of a store |
//! | `silence` | the limit on how long a server may be silent |
//! | `client` | two clients over one place |
//! | `ask`, `xml` | questions to a provider's own API, and its answers |
//! | `error` | what can be wrong with a URL or a setting |

#![forbid(unsafe_code)]

mod ask;
mod client;
mod error;
mod location;
mod page;
mod settings;
mod silence;
mod xml;

pub use ask::{Answer, chain};
pub use client::two_clients;
pub use error::Error;
pub use location::{Location, Scheme};
pub use settings::Settings;
pub use xml::Element;
