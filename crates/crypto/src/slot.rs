//! Key slots: the vault key, wrapped once for each passphrase or key that may open the vault.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::encode::{Fields, from_base64, to_base64, to_hex};
use crate::kdf::{KDF_SALT_LEN, stretch};
use crate::random::random_array;
use crate::seal::{OVERHEAD, open, seal};
use crate::secret::SlotKey;
use crate::service::{ServiceKind, Wrapped};
use crate::{Argon2Params, Error, FORMAT, Random, RawKey, VaultKey};

const PASSPHRASE: &str = "passphrase";
const RAW: &str = "raw";
const ARGON2ID: &str = "argon2id";
const WRAPPED_LEN: usize = OVERHEAD + 32;
const MAX_ID_LEN: usize = 64;

/// What opens a vault.
#[non_exhaustive]
pub enum Unlock<'a> {
    /// The bytes of a passphrase, taken as they are: no Unicode normalisation, no trimming of a line end.
    Passphrase(&'a [u8]),
    /// A raw key.
    Raw(&'a RawKey),
    /// What a key service has unwrapped.
    Service {
        /// As the slot holds it.
        wrapped: &'a Wrapped,
        /// What came of it.
        secret: &'a RawKey,
    },
}

/// A slot to make.
#[non_exhaustive]
pub enum NewSlot<'a> {
    /// A slot that a passphrase opens.
    Passphrase {
        /// The bytes of the passphrase, taken as they are; not empty.
        passphrase: &'a [u8],
        /// What deriving its key shall cost.
        params: Argon2Params,
    },
    /// A slot that a raw key opens.
    Raw(&'a RawKey),
    /// A slot that a key service opens.
    Service {
        /// A fresh random secret, as the service has wrapped it.
        wrapped: &'a Wrapped,
        /// The secret itself; for this slot alone.
        secret: &'a RawKey,
    },
}

impl fmt::Debug for Unlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passphrase(_) => "Passphrase(..)",
            Self::Raw(_) => "Raw(..)",
            Self::Service { .. } => "Service { .. }",
        })
    }
}

impl fmt::Debug for NewSlot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passphrase { .. } => "Passphrase { .. }",
            Self::Raw(_) => "Raw(..)",
            Self::Service { .. } => "Service { .. }",
        })
    }
}

impl NewSlot<'_> {
    /// What deriving the slot's key costs, in KiB times passes.
    pub(crate) const fn work(&self) -> u64 {
        match self {
            Self::Passphrase { params, .. } => params.work(),
            Self::Raw(_) | Self::Service { .. } => 0,
        }
    }
}

/// A slot as it stands in the header, for listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotInfo<'a> {
    /// The slot's id: lowercase hex, random, unique in its header.
    pub id: &'a str,
    /// The slot's type: `passphrase`, `raw`, that of a [`ServiceKind`], or one that this version does not know.
    pub kind: &'a str,
    /// The name of the key, if the slot is of a key service.
    pub key: Option<&'a str>,
}

/// The JSON of a slot. `kdf`, `service` and `sealed` are typed only once the slot's type is known to be ours.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SlotText {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kdf: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<Value>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The JSON of the parameters; costs are read wide, so that a huge one is out of bounds and not misshapen.
#[derive(Serialize, Deserialize)]
struct KdfText {
    m_kib: u64,
    name: String,
    p: u64,
    salt: String,
    t: u64,
}

#[derive(Clone)]
enum Lock {
    Passphrase {
        params: Argon2Params,
        salt: [u8; KDF_SALT_LEN],
        wrapped: [u8; WRAPPED_LEN],
    },
    Raw {
        wrapped: [u8; WRAPPED_LEN],
    },
    Service {
        secret: Wrapped,
        wrapped: [u8; WRAPPED_LEN],
    },
    /// A type or a KDF of a later version: kept as it is, and skipped.
    Unknown,
}

/// A slot whose shape and bounds have been checked.
#[derive(Clone)]
pub(crate) struct Slot {
    text: SlotText,
    lock: Lock,
}

impl Slot {
    /// Checks a slot's shape and bounds. Nothing is derived or opened.
    pub(crate) fn parse(text: SlotText) -> Result<Self, Error> {
        let digits = |id: &str| id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.id.is_empty() || text.id.len() > MAX_ID_LEN || !digits(&text.id) {
            return Err(Error::damaged("a slot's id"));
        }
        let lock = match text.kind.as_str() {
            PASSPHRASE => parse_passphrase(&text)?,
            RAW => Lock::Raw { wrapped: parse_wrapped(&text)? },
            other => match ServiceKind::of(other) {
                Some(service) => Lock::Service {
                    secret: Wrapped::parse(service, text.service.as_ref())?,
                    wrapped: parse_wrapped(&text)?,
                },
                None => Lock::Unknown,
            },
        };
        Ok(Self { text, lock })
    }

    pub(crate) fn info(&self) -> SlotInfo<'_> {
        SlotInfo { id: &self.text.id, kind: &self.text.kind, key: self.wrapped().map(Wrapped::key) }
    }

    /// The secret that this slot holds wrapped by a key service.
    pub(crate) const fn wrapped(&self) -> Option<&Wrapped> {
        match &self.lock {
            Lock::Service { secret, .. } => Some(secret),
            Lock::Passphrase { .. } | Lock::Raw { .. } | Lock::Unknown => None,
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.text.id
    }

    pub(crate) const fn text(&self) -> &SlotText {
        &self.text
    }

    /// What trying a passphrase on this slot costs, in KiB times passes.
    pub(crate) const fn work(&self) -> u64 {
        match self.lock {
            Lock::Passphrase { params, .. } => params.work(),
            Lock::Raw { .. } | Lock::Service { .. } | Lock::Unknown => 0,
        }
    }

    /// Makes a slot, and the key that it is wrapped with.
    pub(crate) fn create(
        new: &NewSlot<'_>,
        vault: &[u8; 16],
        vault_key: &VaultKey,
        random: &dyn Random,
    ) -> Result<(Self, SlotKey), Error> {
        let id = to_hex(&random_array::<8>(random)?);
        let (kind, lock, key) = match new {
            NewSlot::Passphrase { passphrase, params } => {
                let salt = random_array(random)?;
                let key = stretch(passphrase, *params, &salt)?;
                (PASSPHRASE, Lock::Passphrase { params: *params, salt, wrapped: [0; WRAPPED_LEN] }, key)
            }
            NewSlot::Raw(key) => (RAW, Lock::Raw { wrapped: [0; WRAPPED_LEN] }, SlotKey::from_bytes(*key.expose())),
            NewSlot::Service { wrapped: secret, secret: key } => {
                let lock = Lock::Service { secret: (*secret).clone(), wrapped: [0; WRAPPED_LEN] };
                (secret.service().as_str(), lock, SlotKey::from_bytes(*key.expose()))
            }
        };
        let kdf = match &lock {
            Lock::Passphrase { params, salt, .. } => Some(kdf_text(*params, salt)?),
            Lock::Raw { .. } | Lock::Service { .. } | Lock::Unknown => None,
        };
        let service = match new {
            NewSlot::Service { wrapped, .. } => Some(wrapped.to_text()?),
            NewSlot::Passphrase { .. } | NewSlot::Raw(_) => None,
        };
        let text = SlotText { id, kind: kind.to_owned(), kdf, service, sealed: None, other: Map::new() };
        let slot = Self { text, lock }.wrap(vault, &key, vault_key, random)?;
        Ok((slot, key))
    }

    /// The same slot (id, type, parameters, unknown fields) around another vault key.
    pub(crate) fn wrap(
        mut self,
        vault: &[u8; 16],
        key: &SlotKey,
        vault_key: &VaultKey,
        random: &dyn Random,
    ) -> Result<Self, Error> {
        let sealed = seal(key, random_array(random)?, &self.context(vault), vault_key.expose());
        if let Lock::Passphrase { wrapped, .. } | Lock::Raw { wrapped } | Lock::Service { wrapped, .. } = &mut self.lock
        {
            *wrapped = sealed.as_slice().try_into().map_err(|_| Error::damaged("a slot's wrapped key"))?;
        }
        self.text.sealed = Some(Value::String(to_base64(&sealed)));
        Ok(self)
    }

    /// The slot and its key for a rotation: as they are if `with` gives the key, and around another secret if a key
    /// service has wrapped one for it with this slot's key. `None` if `with` is for other slots.
    pub(crate) fn renewed(&self, with: &Unlock<'_>) -> Result<Option<(Self, SlotKey)>, Error> {
        if let (Lock::Service { secret: old, wrapped }, Unlock::Service { wrapped: new, secret }) = (&self.lock, with) {
            if !old.is_by_key_of(new) {
                return Ok(None);
            }
            let mut slot = self.clone();
            slot.lock = Lock::Service { secret: (*new).clone(), wrapped: *wrapped };
            slot.text.service = Some(new.to_text()?);
            return Ok(Some((slot, SlotKey::from_bytes(*secret.expose()))));
        }
        Ok(self.slot_key(with)?.map(|key| (self.clone(), key)))
    }

    /// Whether a secret of this kind can be tried on this slot.
    pub(crate) fn takes(&self, with: &Unlock<'_>) -> bool {
        match (&self.lock, with) {
            (Lock::Passphrase { .. }, Unlock::Passphrase(_)) | (Lock::Raw { .. }, Unlock::Raw(_)) => true,
            (Lock::Service { secret, .. }, Unlock::Service { wrapped, .. }) => secret.is_by_key_of(wrapped),
            _ => false,
        }
    }

    /// The key that this secret gives on this slot; for a passphrase, the costly step. `None` if it is not of the kind.
    pub(crate) fn slot_key(&self, with: &Unlock<'_>) -> Result<Option<SlotKey>, Error> {
        match (&self.lock, with) {
            (Lock::Passphrase { params, salt, .. }, Unlock::Passphrase(passphrase)) => {
                stretch(passphrase, *params, salt).map(Some)
            }
            (Lock::Raw { .. }, Unlock::Raw(key)) => Ok(Some(SlotKey::from_bytes(*key.expose()))),
            (Lock::Service { secret, .. }, Unlock::Service { wrapped, secret: key }) if secret == *wrapped => {
                Ok(Some(SlotKey::from_bytes(*key.expose())))
            }
            _ => Ok(None),
        }
    }

    /// The vault key, if `key` is this slot's.
    pub(crate) fn unwrap_with(&self, vault: &[u8; 16], key: &SlotKey) -> Option<VaultKey> {
        let (Lock::Passphrase { wrapped, .. } | Lock::Raw { wrapped } | Lock::Service { wrapped, .. }) = &self.lock
        else {
            return None;
        };
        let opened = open(key, &self.context(vault), wrapped).ok()?;
        VaultKey::from_slice(&opened).ok()
    }

    /// What a slot's wrapping is bound to, so that it opens in no other vault, under no other id or type, and with no
    /// other parameters.
    fn context(&self, vault: &[u8; 16]) -> Vec<u8> {
        let fields = Fields::new("memoseal/v1 slot")
            .put(&FORMAT.to_be_bytes())
            .put(vault)
            .put(self.text.id.as_bytes())
            .put(self.text.kind.as_bytes());
        match &self.lock {
            Lock::Passphrase { params, salt, .. } => fields
                .put(ARGON2ID.as_bytes())
                .put(&params.m_kib().to_be_bytes())
                .put(&params.t().to_be_bytes())
                .put(&params.p().to_be_bytes())
                .put(salt)
                .finish(),
            Lock::Service { secret, .. } => fields.put(secret.key().as_bytes()).put(secret.bytes()).finish(),
            Lock::Raw { .. } | Lock::Unknown => fields.finish(),
        }
    }
}

/// The slot type that a secret needs, as it stands in the header.
pub(crate) const fn wanted(with: &Unlock<'_>) -> &'static str {
    match with {
        Unlock::Passphrase(_) => PASSPHRASE,
        Unlock::Raw(_) => RAW,
        Unlock::Service { wrapped, .. } => wrapped.service().as_str(),
    }
}

fn parse_passphrase(text: &SlotText) -> Result<Lock, Error> {
    let shape = Error::damaged("a slot's key derivation parameters");
    let Some(kdf) = &text.kdf else { return Err(shape) };
    if kdf.get("name").and_then(Value::as_str).is_some_and(|name| name != ARGON2ID) {
        return Ok(Lock::Unknown);
    }
    let Ok(kdf) = KdfText::deserialize(kdf) else { return Err(shape) };
    // What does not fit u32 is far above every bound, and stays so.
    let narrow = |cost: u64| u32::try_from(cost).unwrap_or(u32::MAX);
    let params = Argon2Params::new(narrow(kdf.m_kib), narrow(kdf.t), narrow(kdf.p))?;
    let salt = from_base64(&kdf.salt).and_then(|salt| salt.try_into().ok()).ok_or(shape)?;
    Ok(Lock::Passphrase { params, salt, wrapped: parse_wrapped(text)? })
}

fn parse_wrapped(text: &SlotText) -> Result<[u8; WRAPPED_LEN], Error> {
    let sealed = text.sealed.as_ref().and_then(Value::as_str).and_then(from_base64);
    sealed.and_then(|bytes| bytes.try_into().ok()).ok_or(Error::damaged("a slot's wrapped key"))
}

fn kdf_text(params: Argon2Params, salt: &[u8; KDF_SALT_LEN]) -> Result<Value, Error> {
    serde_json::to_value(KdfText {
        m_kib: params.m_kib().into(),
        name: ARGON2ID.to_owned(),
        p: params.p().into(),
        salt: to_base64(salt),
        t: params.t().into(),
    })
    .map_err(|_| Error::damaged("fields that cannot be written as JSON"))
}
