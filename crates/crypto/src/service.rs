//! Slots of a key service: a key that never leaves it wraps a secret, and the secret wraps the vault key.
//!
//! Nothing here asks a service. Whoever does takes what a slot holds ([`wrapped_in`]), has it unwrapped, and comes back with
//! the secret ([`Unlock::Service`](crate::Unlock::Service)); a new slot is made of a fresh secret that the service has
//! wrapped before.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::encode::{from_base64, to_base64};
use crate::header::Header;

/// The longest name of a service's key, in bytes.
const MAX_KEY_NAME_LEN: usize = 2048;
/// The longest wrapped secret, in bytes: what AWS KMS may answer.
const MAX_WRAPPED_LEN: usize = 6144;

/// A kind of key service, each with a slot type of its own. What a reader does not know it skips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceKind {
    /// AWS KMS.
    AwsKms,
}

impl ServiceKind {
    const ALL: [Self; 1] = [Self::AwsKms];

    /// The slot type: `aws-kms`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwsKms => "aws-kms",
        }
    }

    pub(crate) fn of(slot_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == slot_type)
    }
}

/// A slot's secret as a key service has wrapped it. It is no secret itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Wrapped {
    service: ServiceKind,
    key: String,
    bytes: Vec<u8>,
}

/// The JSON beside a slot's `sealed`.
#[derive(Serialize, Deserialize)]
struct ServiceText {
    key: String,
    wrapped: String,
}

impl Wrapped {
    /// What `service` gave for a secret under its key `key`.
    ///
    /// # Errors
    ///
    /// [`Error::LimitsExceeded`] if either is empty, or longer than a slot may hold (2,048 and 6,144 bytes).
    pub fn new(service: ServiceKind, key: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let (key, bytes) = (key.into(), bytes.into());
        let fits = |len: usize, max: usize| (1..=max).contains(&len);
        if !fits(key.len(), MAX_KEY_NAME_LEN) || !fits(bytes.len(), MAX_WRAPPED_LEN) {
            return Err(Error::limits("a key service's key has at most 2048 bytes of name, its wrapped secret 6144"));
        }
        Ok(Self { service, key, bytes })
    }

    /// Which service.
    #[must_use]
    pub const fn service(&self) -> ServiceKind {
        self.service
    }

    /// The name of its key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What the service unwraps.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether another secret is wrapped by the same key.
    pub(crate) fn is_by_key_of(&self, other: &Self) -> bool {
        self.service == other.service && self.key == other.key
    }

    pub(crate) fn parse(service: ServiceKind, text: Option<&Value>) -> Result<Self, Error> {
        let shape = Error::damaged("a slot of a key service");
        let Some(Ok(text)) = text.map(ServiceText::deserialize) else { return Err(shape) };
        Self::new(service, text.key, from_base64(&text.wrapped).ok_or(shape)?)
    }

    pub(crate) fn to_text(&self) -> Result<Value, Error> {
        serde_json::to_value(ServiceText { key: self.key.clone(), wrapped: to_base64(&self.bytes) })
            .map_err(|_| Error::damaged("fields that cannot be written as JSON"))
    }
}

impl fmt::Debug for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wrapped").field("service", &self.service).field("key", &self.key).finish_non_exhaustive()
    }
}

/// The secrets that a header holds wrapped under this key of this service, and the vault's id. Bounds are checked; nothing is
/// authentic yet, so that a service must be asked for keys that the caller has named, and for no other.
///
/// # Errors
///
/// Those of [`crate::unlock`] about size, ownership, format and shape; [`Error::NoSlot`] if there is none.
pub fn wrapped_in(bytes: &[u8], service: ServiceKind, key: &str) -> Result<([u8; 16], Vec<Wrapped>), Error> {
    let (header, _) = Header::parse(bytes)?;
    let wrapped: Vec<_> = header.slots.iter().filter_map(|slot| slot.wrapped()).cloned().collect();
    let ours: Vec<_> = wrapped.into_iter().filter(|wrapped| wrapped.service == service && wrapped.key == key).collect();
    if ours.is_empty() {
        return Err(Error::NoSlot { wanted: service.as_str() });
    }
    Ok((header.vault, ours))
}

/// What a secret is wrapped for, beside the key, as a name and a value: the service has to be given the same to unwrap it.
/// For AWS KMS this is the encryption context, which its log of calls shows and a policy can demand.
#[must_use]
pub fn service_context(vault: &[u8; 16]) -> (&'static str, String) {
    ("memoseal:vault", crate::to_hex(vault))
}
