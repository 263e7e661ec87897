//! AWS KMS: a vault that a key opens which never leaves it.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use aws_config::timeout::TimeoutConfig;
use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_kms::{
    Client,
    config::Region,
    error::{ProvideErrorMetadata, SdkError},
    primitives::Blob,
};
use memoseal_bucket::{Error, chain};
use memoseal_core::key_service::{KeyService, RawKey, ServiceError, ServiceKind, service_context};
use tokio::sync::OnceCell;
use url::Url;

use crate::amazon::{Amazon, problem_of};

/// How long one call may take before another is tried; there are three at most.
const ATTEMPT: Duration = Duration::from_secs(10);

/// A symmetric key in AWS KMS. Nothing is sent before it is used.
///
/// Opening a vault needs `kms:Decrypt`, making a slot and rotating the vault's key `kms:Encrypt`. Each call has the
/// encryption context `memoseal:vault` = the vault's id, in lowercase hex, which a policy can demand.
pub struct Kms {
    arn: String,
    region: String,
    endpoint: Option<String>,
    amazon: Amazon,
    client: OnceCell<Client>,
}

/// Not what Amazon's own client shows of itself, which is pages.
impl fmt::Debug for Kms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kms").field("arn", &self.arn).finish_non_exhaustive()
    }
}

impl Kms {
    /// The key that `arn` names. Credentials are those of `profile`, or found as [`open`](crate::open) finds them; the
    /// region is the key's. `AWS_ENDPOINT_URL_KMS` and `AWS_ENDPOINT_URL` name another server, and no profile does: what
    /// KMS decrypts goes over an encrypted connection, or stays on this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the ARN is not that of a key, or if the endpoint is not encrypted and not on this machine.
    pub fn new(arn: &str, profile: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let region = region_of(arn)?;
        let endpoint = endpoint(&variable)?;
        let amazon = Amazon::new(profile, Some(&region), variable)?;
        Ok(Self { arn: arn.to_owned(), region, endpoint, amazon, client: OnceCell::new() })
    }

    async fn client(&self) -> &Client {
        let client = async || {
            let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).build();
            let mut config = aws_sdk_kms::config::Builder::from(self.amazon.config().await)
                .region(Region::new(self.region.clone()))
                .timeout_config(timeouts);
            // Not left to the client, which would take one from a profile that nobody has looked at.
            config.set_endpoint_url(Some(self.endpoint.clone().unwrap_or_else(|| amazons(&self.region))));
            Client::from_conf(config.build())
        };
        self.client.get_or_init(client).await
    }

    /// What became of a call, in three parts.
    fn failed<E>(&self, action: &str, error: SdkError<E>) -> ServiceError
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let tried = format!("cannot use the KMS key {}", self.arn);
        if let Some(credentials) = credentials_error(&error) {
            let (problem, todo) = problem_of(credentials);
            return ServiceError::Refused(format!(
                "{tried}: AWS credentials: {problem} ({}): {todo}",
                chain(credentials)
            ));
        }
        let Some(answer) = error.as_service_error() else {
            return ServiceError::Unreachable(format!(
                "{tried}: KMS in {} did not answer ({}): check that this machine reaches it",
                self.region,
                chain(&error)
            ));
        };
        let code = answer.code().unwrap_or("an error without a code");
        let todo = match code {
            "InvalidCiphertextException" | "IncorrectKeyException" => return ServiceError::NotWrappedHere,
            "AccessDeniedException" => {
                format!("allow kms:{action} on it, in its policy or in that of the credentials in use")
            }
            "DisabledException" => "enable it (`aws kms enable-key`), or open the vault with another slot".into(),
            "KMSInvalidStateException" => {
                "if it is to be deleted, cancel that (`aws kms cancel-key-deletion`) and enable it".into()
            }
            "NotFoundException" => format!("check account and region of its ARN; KMS in {} was asked", self.region),
            "InvalidKeyUsageException" => "it has to be a symmetric key for encryption".into(),
            "UnrecognizedClientException"
            | "InvalidClientTokenId"
            | "ExpiredTokenException"
            | "InvalidSignatureException"
            | "SignatureDoesNotMatch"
            | "MissingAuthenticationTokenException" => "check the credentials, and the clock of this machine".into(),
            "KeyUnavailableException"
            | "DependencyTimeoutException"
            | "KMSInternalException"
            | "ThrottlingException"
            | "LimitExceededException"
            | "ServiceUnavailable" => {
                return ServiceError::Unreachable(format!("{tried}: {code}: try again"));
            }
            _ => "see the documentation of KMS".into(),
        };
        let message = answer.message().unwrap_or_default().replace('\n', " ");
        ServiceError::Refused(format!("{tried}: {code} ({message}): {todo}"))
    }
}

#[async_trait]
impl KeyService for Kms {
    fn kind(&self) -> ServiceKind {
        ServiceKind::AwsKms
    }

    fn key(&self) -> &str {
        &self.arn
    }

    async fn wrap(&self, vault: &[u8; 16], secret: &RawKey) -> Result<Vec<u8>, ServiceError> {
        let (name, value) = service_context(vault);
        let call = self.client().await.encrypt().key_id(&self.arn).encryption_context(name, value);
        let answer = call.plaintext(Blob::new(secret.expose())).send().await;
        let blob = answer.map_err(|error| self.failed("Encrypt", error))?.ciphertext_blob;
        let blob = blob.ok_or_else(|| self.unexpected("an answer without what it encrypted"))?;
        Ok(blob.into_inner())
    }

    async fn unwrap(&self, vault: &[u8; 16], wrapped: &[u8]) -> Result<RawKey, ServiceError> {
        let (name, value) = service_context(vault);
        let call = self.client().await.decrypt().key_id(&self.arn).encryption_context(name, value);
        let answer = call.ciphertext_blob(Blob::new(wrapped)).send().await;
        let plain = answer.map_err(|error| self.failed("Decrypt", error))?.plaintext;
        let plain = plain.ok_or_else(|| self.unexpected("an answer without what it decrypted"))?;
        // What is no secret of ours was wrapped by somebody else.
        RawKey::from_slice(plain.as_ref()).map_err(|_| ServiceError::NotWrappedHere)
    }
}

impl Kms {
    fn unexpected(&self, what: &str) -> ServiceError {
        ServiceError::Unreachable(format!("cannot use the KMS key {}: KMS gave {what}: try again", self.arn))
    }
}

/// The region of a key's ARN: `arn:PARTITION:kms:REGION:ACCOUNT:key/ID`.
fn region_of(arn: &str) -> Result<String, Error> {
    let bad = |expected| Error::Setting {
        name: "kms".to_owned(),
        expected,
        todo: "give one like arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    };
    let parts: Vec<_> = arn.split(':').collect();
    let plain = arn.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/-_".contains(&byte));
    match parts.as_slice() {
        ["arn", partition, "kms", region, account, key] if plain && ![partition, region, account].contains(&&"") => {
            match key.split_once('/') {
                Some(("key", id)) if !id.is_empty() && !id.contains('/') => Ok((*region).to_owned()),
                Some(("alias", _)) => Err(bad("the ARN of a key but of an alias, which can be pointed at another key")),
                _ => Err(bad("the ARN of a KMS key")),
            }
        }
        _ => Err(bad("the ARN of a KMS key")),
    }
}

/// Amazon's own server of a region.
fn amazons(region: &str) -> String {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://kms.{region}.{domain}")
}

/// Another server than Amazon's. What KMS decrypts stands in its answer, so it has to be encrypted on its way.
fn endpoint(variable: impl Fn(&str) -> Option<String>) -> Result<Option<String>, Error> {
    for name in ["AWS_ENDPOINT_URL_KMS", "AWS_ENDPOINT_URL"] {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
        let bad = Error::Setting {
            name: name.to_owned(),
            expected: "the URL of a server",
            todo: "give one like https://kms.example.com",
        };
        let Ok(url) = Url::parse(&value) else { return Err(bad) };
        let is_here = match url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(name)) => name == "localhost",
            None => return Err(bad),
        };
        return match url.scheme() {
            "https" => Ok(Some(value)),
            "http" if is_here => Ok(Some(value)),
            "http" => Err(Error::Setting {
                name: name.to_owned(),
                expected: "encrypted, so that what KMS decrypts would travel in the clear",
                todo: "give an https: one, or one on this machine",
            }),
            _ => Err(bad),
        };
    }
    Ok(None)
}

/// The error of whoever gives credentials, if one lies under this.
fn credentials_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a CredentialsError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}
