//! Key services: a key that opens a vault and never leaves the service that holds it.
//!
//! A slot of a key service holds a random secret, wrapped by the service's key; the secret wraps the vault key. Opening a
//! vault through it takes one call, before anything else can be read; making a slot, and rotating the vault key, one
//! call each. A running process asks again only when the vault key was rotated.
//!
//! The caller names the key. A slot names it too, but whoever can write to the bucket can put a vault of their own there,
//! under a key of their own that this machine may happen to be allowed to use; so a slot of another key is never asked for.
//!
//! There is one implementation, `memoseal-s3` with its feature `kms`, for AWS KMS. What others would take:
//!
//! * **Google Cloud KMS**: a slot type `gcp-kms` ([`ServiceKind`]), the resource name of a crypto key as its key, and
//!   `cryptoKeys.encrypt` and `.decrypt` with the context as `additionalAuthenticatedData`. The client of `object_store`
//!   asks for a token of the scope of storage; KMS needs that of `cloud-platform`.
//! * **Azure Key Vault**: a slot type `azure-kms`, the id of a key as its key, and `wrapkey` and `unwrapkey` with
//!   RSA-OAEP-256, with a token for `https://vault.azure.net`. It takes no context; the vault's id is bound to the slot's
//!   sealing all the same, so that nothing but the log of calls would lack it.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use memoseal_crypto::{self as crypto, Random, Unlock, Wrapped};
pub use memoseal_crypto::{RawKey, ServiceKind, service_context};
use tokio::time::timeout;

use crate::{Error, Result};

/// A key that opens a vault, in the service that holds it.
#[async_trait]
pub trait KeyService: fmt::Debug + Send + Sync + 'static {
    /// Which kind of service; its slots have a type of their own.
    fn kind(&self) -> ServiceKind;

    /// The key's full name, as the slots hold it. Two names never mean one key.
    fn key(&self) -> &str;

    /// Wraps a secret for this vault ([`service_context`]). At most 6,144 bytes.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn wrap(&self, vault: &[u8; 16], secret: &RawKey) -> Result<Vec<u8>, ServiceError>;

    /// Unwraps what [`wrap`](Self::wrap) gave for the same vault.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn unwrap(&self, vault: &[u8; 16], wrapped: &[u8]) -> Result<RawKey, ServiceError>;
}

/// Why a key service did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// What was to be unwrapped was not wrapped by this key for this vault.
    #[error("what the slot holds was not wrapped by this key for this vault")]
    NotWrappedHere,
    /// It refused: no access, no such key, a key that is disabled. The text says what was tried, why, and what to do.
    #[error("{0}")]
    Refused(String),
    /// It did not answer, or not now.
    #[error("{0}")]
    Unreachable(String),
}

/// What a key service has wrapped for a slot that is to be made or renewed.
pub(crate) struct Fresh {
    pub(crate) wrapped: Wrapped,
    pub(crate) secret: RawKey,
}

impl Fresh {
    /// A new secret, wrapped. One call.
    pub(crate) async fn new(
        service: &Arc<dyn KeyService>,
        vault: &[u8; 16],
        random: &dyn Random,
        limit: Duration,
    ) -> Result<Self> {
        let secret = RawKey::generate(random).map_err(|_| Error::NoRandomness)?;
        let bytes = in_time(limit, service.wrap(vault, &secret)).await.map_err(|error| failed(service, error))?;
        let wrapped = Wrapped::new(service.kind(), service.key(), bytes);
        let wrapped =
            wrapped.map_err(|error| Error::Key(format!("the key {} cannot be used: {error}", service.key())))?;
        Ok(Self { wrapped, secret })
    }
}

/// Has the secrets unwrapped that a header holds for this key, and opens it with the first that does. `open` opens the
/// header with one of them. One call for each slot of the key, of which there is one if memoseal made them.
pub(crate) async fn open_with<T>(
    service: &Arc<dyn KeyService>,
    header: &[u8],
    limit: Duration,
    open: impl Fn(&Unlock<'_>) -> Result<T, crypto::Error>,
) -> Result<T, Opening> {
    let (vault, all) = crypto::wrapped_in(header, service.kind(), service.key()).map_err(Opening::Header)?;
    let mut outcome = Opening::Header(crypto::Error::WrongKey);
    for wrapped in &all {
        let secret = match in_time(limit, service.unwrap(&vault, wrapped.bytes())).await {
            Ok(secret) => secret,
            Err(error @ ServiceError::NotWrappedHere) => {
                outcome = Opening::Service(failed(service, error));
                continue;
            }
            Err(error) => return Err(Opening::Service(failed(service, error))),
        };
        match open(&Unlock::Service { wrapped, secret: &secret }) {
            Err(crypto::Error::WrongKey) => {}
            other => return other.map_err(Opening::Header),
        }
    }
    Err(outcome)
}

/// What to say where a vault has no slot of this key.
pub(crate) fn no_slot(service: &Arc<dyn KeyService>) -> Error {
    Error::Key(format!(
        "this vault has no slot for the key {}: name the key that one was made for (`memoseal slot list` shows them), or \
         open it with another kind of key",
        service.key()
    ))
}

/// Why a header was not opened.
pub(crate) enum Opening {
    /// What the header said.
    Header(crypto::Error),
    /// What the service said, or did not say.
    Service(Error),
}

async fn in_time<T>(limit: Duration, answer: impl Future<Output = Result<T, ServiceError>>) -> Result<T, ServiceError> {
    let late = |_| ServiceError::Unreachable(format!("the key service did not answer within {limit:?}"));
    timeout(limit, answer).await.map_err(late)?
}

fn failed(service: &Arc<dyn KeyService>, error: ServiceError) -> Error {
    match error {
        ServiceError::NotWrappedHere => Error::Key(format!(
            "the key {} does not unwrap what its slot holds, which was wrapped by another key or for another vault: open the \
             vault with another slot, and make this one anew",
            service.key()
        )),
        ServiceError::Refused(text) => Error::Key(text),
        ServiceError::Unreachable(text) => Error::backend(
            format!("cannot use the key {}", service.key()),
            object_store::Error::Generic { store: "key service", source: text.into() },
        ),
    }
}
