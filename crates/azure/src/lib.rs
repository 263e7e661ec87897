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

#![forbid(unsafe_code)]

use std::sync::Arc;

pub use memoseal_bucket::Error;
use memoseal_bucket::{Location, Scheme, Settings, two_clients};
use memoseal_core::Backend;
use object_store::azure::{AzureConfigKey, MicrosoftAzure, MicrosoftAzureBuilder};
use url::Url;

const SCHEME: Scheme =
    Scheme { name: "az", example: "az://container/prefix", options: &["account", "endpoint", "emulator"] };

/// The variables that are handed on, and as what. Where two mean the same, the later one wins.
const VARIABLES: [(&str, AzureConfigKey); 15] = [
    ("AZURE_STORAGE_ACCOUNT", AzureConfigKey::AccountName),
    ("AZURE_STORAGE_ACCOUNT_NAME", AzureConfigKey::AccountName),
    ("AZURE_STORAGE_KEY", AzureConfigKey::AccessKey),
    ("AZURE_STORAGE_ACCOUNT_KEY", AzureConfigKey::AccessKey),
    ("AZURE_STORAGE_SAS_TOKEN", AzureConfigKey::SasKey),
    ("AZURE_STORAGE_TOKEN", AzureConfigKey::Token),
    ("AZURE_CLIENT_ID", AzureConfigKey::ClientId),
    ("AZURE_CLIENT_SECRET", AzureConfigKey::ClientSecret),
    ("AZURE_TENANT_ID", AzureConfigKey::AuthorityId),
    ("AZURE_AUTHORITY_HOST", AzureConfigKey::AuthorityHost),
    ("AZURE_FEDERATED_TOKEN_FILE", AzureConfigKey::FederatedTokenFile),
    ("AZURE_MSI_ENDPOINT", AzureConfigKey::MsiEndpoint),
    ("AZURE_OBJECT_ID", AzureConfigKey::ObjectId),
    ("AZURE_MSI_RESOURCE_ID", AzureConfigKey::MsiResourceId),
    ("AZURE_USE_AZURE_CLI", AzureConfigKey::UseAzureCli),
];

/// The place that `url` names, with what `variable` knows of the environment. Sends nothing.
///
/// # Errors
///
/// [`Error`] if the URL, its options or the variables cannot be used.
pub fn open(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Backend, Error> {
    let location = Location::parse(url, &SCHEME)?;
    let settings = Settings::read(&location)?;
    let mut builder = MicrosoftAzureBuilder::new()
        .with_client_options(settings.client_options())
        .with_http_connector(settings.connector());
    for (name, key) in VARIABLES {
        if let Some(value) = variable(name).filter(|value| !value.is_empty()) {
            builder = builder.with_config(key, value);
        }
    }
    if let Some(account) = location.option("account") {
        builder = builder.with_account(account);
    }
    if let Some(endpoint) = location.endpoint(&["AZURE_STORAGE_ENDPOINT"], &variable)? {
        builder = builder.with_endpoint(endpoint);
    }
    builder = builder.with_container_name(location.bucket()).with_use_emulator(location.flag("emulator")?);

    two_clients(&location, &settings, refused(location.bucket()), |retry, first: Option<&MicrosoftAzure>| {
        let builder = builder.clone().with_retry(retry);
        match first {
            Some(first) => builder.with_credentials(Arc::clone(first.credentials())).build(),
            None => builder.build(),
        }
    })
}

fn refused(container: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the container `{container}`"),
        source,
        todo: "check the AZURE_… variables and the options of the URL",
    }
}
