//! Amazon's own configuration: profiles, and credentials from wherever its tools find them.

use std::{fmt, path::Path, sync::Arc};

use async_trait::async_trait;
use aws_config::{
    BehaviorVersion, Region, SdkConfig,
    ecs::EcsCredentialsProvider,
    imds::credentials::ImdsCredentialsProvider,
    meta::credentials::CredentialsProviderChain,
    meta::region::ProvideRegion,
    profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider},
    provider_config::ProviderConfig,
    web_identity_token::WebIdentityTokenCredentialsProvider,
};
use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, SharedCredentialsProvider, error::CredentialsError},
};
use aws_runtime::env_config::file::{EnvConfigFileKind, EnvConfigFiles};
use futures_util::FutureExt;
use memoseal_bucket::chain;
use object_store::aws::AwsCredential;
use tokio::sync::OnceCell;

use crate::{
    Error,
    credentials::{Fetched, Source},
};

/// Where credentials, and the settings of clients other than that of S3, come from. Nothing is read or sent until it is
/// asked, but for the region of a profile.
#[derive(Clone)]
pub(crate) struct Amazon {
    first: First,
    profile: String,
    files: EnvConfigFiles,
    region: String,
    loaded: Arc<OnceCell<SdkConfig>>,
}

/// No keys, and not what Amazon's own configuration shows of itself, which is pages.
impl fmt::Debug for Amazon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Amazon").field("profile", &self.profile).field("region", &self.region).finish_non_exhaustive()
    }
}

/// Where credentials are looked for first.
#[derive(Clone)]
enum First {
    /// These are they.
    Keys(Credentials),
    /// In the profile, and nowhere else.
    Profile,
    /// In the profile, and then wherever Amazon's own tools do.
    Anywhere,
}

impl Amazon {
    /// From what the URL says and `variable` knows.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if of the two variables for keys one alone is set.
    pub(crate) fn new(
        profile: Option<&str>,
        region: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let alone = |name: &str| Error::Setting {
            name: name.to_owned(),
            expected: "of use alone",
            todo: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither",
        };
        let first = match (profile, set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY")) {
            // A profile that the URL names is meant, whatever the environment holds.
            (Some(_), ..) => First::Profile,
            (None, Some(id), Some(secret)) => {
                First::Keys(Credentials::new(id, secret, set("AWS_SESSION_TOKEN"), None, "the environment"))
            }
            (None, Some(_), None) => return Err(alone("AWS_ACCESS_KEY_ID")),
            (None, None, Some(_)) => return Err(alone("AWS_SECRET_ACCESS_KEY")),
            (None, None, None) => First::Anywhere,
        };
        let profile = profile.map(str::to_owned).or_else(|| set("AWS_PROFILE"));
        let profile = profile.unwrap_or_else(|| "default".to_owned());
        let files = files(set("AWS_CONFIG_FILE"), set("AWS_SHARED_CREDENTIALS_FILE"));
        let region = region.map(str::to_owned).or_else(|| set("AWS_REGION")).or_else(|| set("AWS_DEFAULT_REGION"));
        let region = region.or_else(|| region_of_profile(&profile, &files));
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        Ok(Self { first, profile, files, region, loaded: Arc::default() })
    }

    /// The region: the URL's, the environment's, the profile's, us-east-1.
    pub(crate) fn region(&self) -> &str {
        &self.region
    }

    /// Where credentials come from, in words; of no secret.
    pub(crate) fn who(&self) -> String {
        match &self.first {
            First::Keys(keys) => format!("the key {} of the environment", keys.access_key_id()),
            First::Profile => format!("the profile {}", self.profile),
            First::Anywhere => format!("the profile {}, or this machine", self.profile),
        }
    }

    /// The configuration of Amazon's own clients. Reads files the first time, and sends nothing.
    pub(crate) async fn config(&self) -> &SdkConfig {
        self.loaded.get_or_init(|| self.load()).await
    }

    async fn load(&self) -> SdkConfig {
        let loader = aws_config::defaults(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .profile_files(self.files.clone())
            .profile_name(&self.profile);
        let loader = match &self.first {
            First::Keys(keys) => loader.credentials_provider(keys.clone()),
            First::Profile => loader.credentials_provider(self.of_profile()),
            First::Anywhere => loader.credentials_provider(self.anywhere()),
        };
        loader.load().await
    }

    fn provider_config(&self) -> ProviderConfig {
        ProviderConfig::without_region().with_region(Some(Region::new(self.region.clone())))
    }

    fn of_profile(&self) -> ProfileFileCredentialsProvider {
        let provider = ProfileFileCredentialsProvider::builder().configure(&self.provider_config());
        provider.profile_files(self.files.clone()).profile_name(&self.profile).build()
    }

    /// The default chain of Amazon's own tools, but for the keys in the environment, which were looked up before.
    fn anywhere(&self) -> CredentialsProviderChain {
        let config = self.provider_config();
        let web_identity = WebIdentityTokenCredentialsProvider::builder().configure(&config).build();
        let container = EcsCredentialsProvider::builder().configure(&config).build();
        let machine = ImdsCredentialsProvider::builder().configure(&config).build();
        CredentialsProviderChain::first_try("Profile", self.of_profile())
            .or_else("WebIdentityToken", web_identity)
            .or_else("EcsContainer", container)
            .or_else("Ec2InstanceMetadata", machine)
    }
}

#[async_trait]
impl Source for Amazon {
    async fn fetch(&self) -> object_store::Result<Fetched> {
        let none = || refused(CredentialsError::not_loaded("no provider of credentials"));
        let provider: SharedCredentialsProvider = self.config().await.credentials_provider().ok_or_else(none)?;
        let credentials = provider.provide_credentials().await.map_err(refused)?;
        let expires_ms = credentials.expiry().map(|at| {
            let since = at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        });
        let credential = AwsCredential {
            key_id: credentials.access_key_id().to_owned(),
            secret_key: credentials.secret_access_key().to_owned(),
            token: credentials.session_token().map(str::to_owned),
        };
        Ok(Fetched { credential: Arc::new(credential), expires_ms })
    }
}

/// A file that is named and not there counts as empty, as Amazon's own tools have it.
fn files(config: Option<String>, credentials: Option<String>) -> EnvConfigFiles {
    let mut files = EnvConfigFiles::builder()
        .include_default_config_file(config.is_none())
        .include_default_credentials_file(credentials.is_none());
    for (kind, path) in [(EnvConfigFileKind::Config, config), (EnvConfigFileKind::Credentials, credentials)] {
        files = match path {
            Some(path) if Path::new(&path).exists() => files.with_file(kind, path),
            Some(_) => files.with_contents(kind, ""),
            None => files,
        };
    }
    files.build()
}

fn region_of_profile(profile: &str, files: &EnvConfigFiles) -> Option<String> {
    let provider = ProfileFileRegionProvider::builder().profile_files(files.clone()).profile_name(profile);
    // Files are read at once, without a runtime, so that there is nothing to wait for.
    let region = provider.build().region().now_or_never();
    region.flatten().map(|region| region.as_ref().to_owned())
}

/// Why there are no credentials: what was tried, what went wrong, what to do.
fn refused(error: CredentialsError) -> object_store::Error {
    let (problem, todo) = problem_of(&error);
    let text = format!("cannot get AWS credentials: {problem} ({}): {todo}", chain(&error));
    object_store::Error::Unauthenticated { path: "credentials".to_owned(), source: text.into() }
}

/// What went wrong with credentials, and what to do.
pub(crate) const fn problem_of(error: &CredentialsError) -> (&'static str, &'static str) {
    match error {
        CredentialsError::CredentialsNotLoaded(_) => (
            "there are none",
            "name a profile of ~/.aws/config that gives some (AWS_PROFILE, or profile= in the URL), or set \
             AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in if it is SSO (`aws sso login`), or run where a role \
             gives them",
        ),
        CredentialsError::ProviderTimedOut(_) => (
            "who gives them did not answer in time",
            "check that this machine reaches the STS, SSO or metadata service",
        ),
        CredentialsError::InvalidConfiguration(_) => {
            ("the configuration cannot be used", "check AWS_PROFILE and the profile in ~/.aws/config")
        }
        _ => (
            "who gives them refused or failed",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws/config (AWS_PROFILE, or profile= \
             in the URL); if it is one already, sign in again where it is SSO (`aws sso login`), or check its role and its \
             program",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What shows something in its `Debug` form that nobody should read.
    #[derive(Debug)]
    struct Inner {
        _pages: &'static str,
    }

    impl fmt::Display for Inner {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("no answer")
        }
    }

    impl std::error::Error for Inner {}

    #[test]
    fn credentials_that_are_missing_are_told_in_one_plain_line_with_what_to_do() {
        let inner = || Inner { _pages: "swordfish" };
        for error in [CredentialsError::not_loaded(inner()), CredentialsError::provider_error(inner())] {
            let said = refused(error).to_string();
            for part in ["cannot get AWS credentials: ", "no answer", "AWS_ACCESS_KEY_ID", "profile", "aws sso login"] {
                assert!(said.contains(part), "{part:?} is not in {said:?}");
            }
            assert!(!said.contains("swordfish") && !said.contains('\n') && !said.contains("Inner"), "{said}");
        }
    }
}
