//! From a URL to two clients.

use std::sync::Arc;

use memoseal_bucket::{Error, Location, Scheme, Settings, two_clients};
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

/// What a URL and the environment say about a container and the way there.
pub(crate) struct Place {
    pub(crate) location: Location,
    pub(crate) settings: Settings,
    pub(crate) account: Option<String>,
    /// The server, if it is not Azure's own for the account.
    pub(crate) endpoint: Option<String>,
    builder: MicrosoftAzureBuilder,
}

impl Place {
    pub(crate) fn read(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let location = Location::parse(url, &SCHEME)?;
        let settings = Settings::read(&location)?;
        let mut builder = MicrosoftAzureBuilder::new()
            .with_client_options(settings.client_options())
            .with_http_connector(settings.connector());
        let mut account = None;
        for (name, key) in VARIABLES {
            if let Some(value) = variable(name).filter(|value| !value.is_empty()) {
                if matches!(key, AzureConfigKey::AccountName) {
                    account = Some(value.clone());
                }
                builder = builder.with_config(key, value);
            }
        }
        if let Some(given) = location.option("account") {
            builder = builder.with_account(given);
            account = Some(given.to_owned());
        }
        let endpoint = location.endpoint(&["AZURE_STORAGE_ENDPOINT"], &variable)?;
        if let Some(endpoint) = &endpoint {
            builder = builder.with_endpoint(endpoint.clone());
        }
        let is_emulator = location.flag("emulator")?;
        builder = builder.with_container_name(location.bucket()).with_use_emulator(is_emulator);
        let (account, endpoint) = match is_emulator {
            true => {
                let account = account.unwrap_or_else(|| "devstoreaccount1".to_owned());
                let server = variable("AZURITE_BLOB_STORAGE_URL").filter(|value| !value.is_empty());
                let server = server.unwrap_or_else(|| "http://127.0.0.1:10000".to_owned());
                let endpoint = format!("{}/{account}", server.trim_end_matches('/'));
                (Some(account), Some(endpoint))
            }
            false => (account, endpoint),
        };
        Ok(Self { location, settings, account, endpoint, builder })
    }

    pub(crate) fn backend(&self) -> Result<Backend, Error> {
        let refused = refused(self.location.bucket());
        two_clients(&self.location, &self.settings, refused, |retry, first: Option<&MicrosoftAzure>| {
            let builder = self.builder.clone().with_retry(retry);
            match first {
                Some(first) => builder.with_credentials(Arc::clone(first.credentials())).build(),
                None => builder.build(),
            }
        })
    }

    /// A client, for its credentials.
    pub(crate) fn client(&self) -> Result<MicrosoftAzure, Error> {
        self.builder.clone().with_retry(self.settings.retry()).build().map_err(refused(self.location.bucket()))
    }

    /// The URL of the account, without a slash at its end.
    pub(crate) fn account_url(&self) -> String {
        let account = self.account.as_deref().unwrap_or_default();
        self.endpoint.clone().unwrap_or_else(|| format!("https://{account}.blob.core.windows.net"))
    }
}

pub(crate) fn refused(container: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the container `{container}`"),
        source,
        todo: "check the AZURE_… variables and the options of the URL",
    }
}
