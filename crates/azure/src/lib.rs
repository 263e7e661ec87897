//! Azure Blob Storage for memoseal.
//!
//! [`open`] turns `az://container/prefix` into the [`Backend`] that the engine works on. The container has to exist.
//!
//! ```
//! // The variables come from the caller; a program passes `|name| std::env::var(name).ok()`.
//! let variable = |name: &str| (name == "AZURE_STORAGE_ACCOUNT_KEY").then(|| "c2VjcmV0".to_owned());
//! let backend = memoseal_azure::open(&"az://memory/team?account=example".parse()?, variable)?;
//! assert_eq!(backend.prefix().as_ref(), "team");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Options, as `?name=value&…`:
//!
//! | option | meaning | otherwise |
//! |---|---|---|
//! | `account` | the storage account | `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT` |
//! | `endpoint` | the server, if it is not `https://ACCOUNT.blob.core.windows.net` | `AZURE_STORAGE_ENDPOINT` |
//! | `emulator` | `true`: Azurite, at `AZURITE_BLOB_STORAGE_URL` of the process or `http://127.0.0.1:10000`, with its well-known account | false |
//!
//! and those of [`Settings`]: `timeout`, `connect_timeout`, `idle_timeout`, `retries`, `retry_timeout`, `allow_http`.
//!
//! Credentials are the first of: `AZURE_STORAGE_TOKEN`; `AZURE_STORAGE_ACCOUNT_KEY` or `AZURE_STORAGE_KEY`; a workload
//! identity (`AZURE_FEDERATED_TOKEN_FILE`, `AZURE_CLIENT_ID`, `AZURE_TENANT_ID`); a client's secret (`AZURE_CLIENT_SECRET`,
//! the same two); `AZURE_STORAGE_SAS_TOKEN`; the `az` program if `AZURE_USE_AZURE_CLI` is `true`; the managed identity
//! of the machine.
//!
//! Proven: the whole shared suite on Azurite 3.35.0, with its account's key. Not on Azure itself yet. There the client sorts out listings from an offset by itself; the
//! request that it sends to Azure for these has not been seen at work.
//!
//! [`Backend`]: memoseal_core::Backend
//! [`Settings`]: memoseal_bucket::Settings
//!
//! | module | what it holds |
//! |---|---|
//! | `place` | from a URL to two clients |
//! | `container` | what is set for a container, for who looks whether it can hold a vault |

#![forbid(unsafe_code)]

mod container;
mod place;

pub use memoseal_bucket::Error;
use memoseal_core::Backend;
use url::Url;

pub use self::container::Container;
use self::place::Place;

/// The place that `url` names, with what `variable` knows of the environment. Sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options or the variables cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    Place::read(url, variable)?.backend()
}

/// The place that `url` names as [`open`] gives it, and its container, for who looks whether it can hold a vault. Sends
/// nothing.
///
/// # Errors
///
/// As [`open`].
pub fn inspect(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<(Backend, Container), Error> {
    let place = Place::read(url, variable)?;
    Ok((place.backend()?, Container::new(place)?))
}
