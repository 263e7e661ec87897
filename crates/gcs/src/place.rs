//! From a URL to two clients.

use std::sync::Arc;

use memoseal_bucket::{Error, Location, Scheme, Settings, two_clients};
use memoseal_core::Backend;
use object_store::{
    StaticCredentialProvider,
    gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder, GoogleConfigKey},
};
use url::Url;

const SCHEME: Scheme = Scheme { name: "gs", example: "gs://bucket/prefix", options: &["endpoint", "anonymous"] };

/// The variables that are handed on as they are.
const VARIABLES: [&str; 3] = ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];

/// What a URL and the environment say about a bucket and the way there.
pub(crate) struct Place {
    pub(crate) location: Location,
    pub(crate) settings: Settings,
    /// The server, if it is not Google's.
    pub(crate) endpoint: Option<String>,
    pub(crate) is_anonymous: bool,
    builder: GoogleCloudStorageBuilder,
}

impl Place {
    pub(crate) fn read(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let location = Location::parse(url, &SCHEME)?;
        let settings = Settings::read(&location)?;
        // Over the builder's own options, which allow http.
        let mut builder = GoogleCloudStorageBuilder::new()
            .with_client_options(settings.client_options())
            .with_http_connector(settings.connector());
        for name in VARIABLES {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
            let key: GoogleConfigKey = name.to_ascii_lowercase().parse().map_err(refused(location.bucket()))?;
            builder = builder.with_config(key, value);
        }
        let endpoint = location.endpoint(&[], &variable)?;
        if let Some(endpoint) = &endpoint {
            builder = builder.with_base_url(endpoint);
        }
        let is_anonymous = location.flag("anonymous")?;
        builder = builder.with_bucket_name(location.bucket()).with_skip_signature(is_anonymous);
        if is_anonymous {
            // The client asks for a token before a PUT even so, and would look for one on the network.
            let nobody = GcpCredential { bearer: "anonymous".to_owned() };
            builder = builder.with_credentials(Arc::new(StaticCredentialProvider::new(nobody)));
        }
        Ok(Self { location, settings, endpoint, is_anonymous, builder })
    }

    pub(crate) fn backend(&self) -> Result<Backend, Error> {
        let refused = refused(self.location.bucket());
        two_clients(&self.location, &self.settings, refused, |retry, first: Option<&GoogleCloudStorage>| {
            let builder = self.builder.clone().with_retry(retry);
            match first {
                Some(first) => builder.with_credentials(Arc::clone(first.credentials())).build(),
                None => builder.build(),
            }
        })
    }

    /// A client, for its credentials.
    pub(crate) fn client(&self) -> Result<GoogleCloudStorage, Error> {
        self.builder.clone().with_retry(self.settings.retry()).build().map_err(refused(self.location.bucket()))
    }
}

pub(crate) fn refused(bucket: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the bucket `{bucket}`"),
        source,
        todo: "check the GOOGLE_… variables and the files that they name",
    }
}
