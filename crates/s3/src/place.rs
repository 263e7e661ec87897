//! From a URL to two clients.

use std::sync::Arc;

use memoseal_bucket::{Error, Location, Scheme, Settings, two_clients};
use memoseal_core::{Backend, env::SystemClock};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use url::Url;

use crate::{amazon::Amazon, credentials::Kept};

const SCHEME: Scheme =
    Scheme { name: "s3", example: "s3://bucket/prefix", options: &["region", "profile", "endpoint", "path_style"] };

/// The variables that are handed on to the client as they are. A bucket or another behaviour of the client is not among
/// them: the one stands in the URL, the other is the engine's.
const VARIABLES: [&str; 2] = ["AWS_SERVER_SIDE_ENCRYPTION", "AWS_SSE_KMS_KEY_ID"];

/// What a URL and the environment say about a bucket and the way there.
pub(crate) struct Place {
    pub(crate) location: Location,
    pub(crate) settings: Settings,
    pub(crate) region: String,
    /// Where credentials come from, in words.
    pub(crate) who: String,
    /// Of all clients, so that they are fetched once.
    pub(crate) credentials: Arc<Kept>,
    /// The server, if it is not Amazon's.
    pub(crate) endpoint: Option<String>,
    pub(crate) path_style: bool,
    variables: Vec<(AmazonS3ConfigKey, String)>,
}

impl Place {
    pub(crate) fn read(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
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
        let mut variables = Vec::new();
        for name in VARIABLES {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
            let key: AmazonS3ConfigKey = name.to_ascii_lowercase().parse().map_err(refused(bucket))?;
            variables.push((key, value));
        }
        let amazon = Amazon::new(location.option("profile"), location.option("region"), &variable)?;
        let endpoint = location.endpoint(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"], &variable)?;
        let path_style = location.option("path_style").is_none() || location.flag("path_style")?;
        let (region, who) = (amazon.region().to_owned(), amazon.who());
        let credentials = Arc::new(Kept::new(amazon, Arc::new(SystemClock)));
        Ok(Self { location, settings, region, who, credentials, endpoint, path_style, variables })
    }

    pub(crate) fn backend(&self) -> Result<Backend, Error> {
        let bucket = self.location.bucket();
        let credentials: Arc<Kept> = Arc::clone(&self.credentials);
        let mut builder = AmazonS3Builder::new()
            .with_client_options(self.settings.client_options())
            .with_http_connector(self.settings.connector())
            .with_region(&self.region)
            .with_bucket_name(bucket)
            .with_virtual_hosted_style_request(!self.path_style)
            .with_credentials(credentials);
        for (key, value) in &self.variables {
            builder = builder.with_config(*key, value);
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        two_clients(&self.location, &self.settings, refused(bucket), |retry, _: Option<&AmazonS3>| {
            builder.clone().with_retry(retry).build()
        })
    }

    /// The URL of the bucket itself, without a slash at its end.
    pub(crate) fn bucket_url(&self) -> String {
        let (bucket, region) = (self.location.bucket(), &self.region);
        match (&self.endpoint, self.path_style) {
            (Some(endpoint), true) => format!("{endpoint}/{bucket}"),
            (Some(endpoint), false) => endpoint.clone(),
            (None, true) => format!("https://s3.{region}.amazonaws.com/{bucket}"),
            (None, false) => format!("https://{bucket}.s3.{region}.amazonaws.com"),
        }
    }
}

pub(crate) fn refused(bucket: &str) -> impl Fn(object_store::Error) -> Error {
    move |source| Error::Client {
        what: format!("the bucket `{bucket}`"),
        source,
        todo: "check the AWS_… variables and the options of the URL",
    }
}
