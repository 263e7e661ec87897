//! A user's keyring: the user's key and id, sealed under the vault key.
//!
//! The object is a [prelude](crate::Prelude) of kind [`Kind::Keyring`] and what [`crate::seal()`] makes of the padded
//! JSON `{"user":…,"id":…,"life":…,"epoch":…,"key":…}`. Its context has the keyed hash of the user's name as user and the
//! generation as `seq`.
//!
//! When a user is destroyed, a [tombstone](seal_tombstone) takes the place of the keyring: an object of the same kind and
//! context that holds no key, but `{"life":…,"destroyed":true}`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::encode::{Unknown, from_hex, key_from_base64, key_to_base64, secret_json, to_hex};
use crate::random::random_array;
use crate::seal::{open, seal};
use crate::{
    CONTENT_FLOOR, Context, Error, Kind, META_FLOOR, OVERHEAD, OpenVault, PRELUDE_LEN, Prelude, Random, UserKey, pad,
    unpad,
};

/// The largest keyring object, in bytes.
pub const MAX_KEYRING_LEN: usize = 64 << 10;

/// The length of every tombstone, in bytes. Each keyring is longer, so that a listing tells them apart.
pub const TOMBSTONE_LEN: usize = PRELUDE_LEN + OVERHEAD + META_FLOOR;

/// A user's keyring, open.
pub struct Keyring {
    user: String,
    id: [u8; 16],
    life: u64,
    epoch: u32,
    key: UserKey,
    other: Unknown,
}

/// The JSON text; the key is borrowed, so that reading and writing make no copy that stays behind.
#[derive(Serialize, Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    user: Cow<'a, str>,
    id: String,
    life: u64,
    epoch: u32,
    key: &'a str,
    #[serde(flatten)]
    other: Unknown,
}

/// What is left of a user that was destroyed.
#[derive(Serialize, Deserialize)]
struct Tombstone {
    life: u64,
    destroyed: bool,
}

/// The bytes that say that this life of a user, and all before it, was destroyed; sealed under the vault's present key
/// for the place of generation `generation` of the keyring of `user_hash`. They are [`TOMBSTONE_LEN`] long, and
/// [`Keyring::open`] answers them with [`Error::Destroyed`].
///
/// # Errors
///
/// [`Error::LimitsExceeded`] if `life` is 0; [`Error::Randomness`].
pub fn seal_tombstone(
    life: u64,
    vault: &OpenVault,
    user_hash: [u8; 16],
    generation: u64,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    if life == 0 {
        return Err(Error::limits("lives count from 1"));
    }
    let json = secret_json(&Tombstone { life, destroyed: true })?;
    seal_object(&pad(&json, META_FLOOR), vault, user_hash, generation, random)
}

fn seal_object(
    padded: &[u8],
    vault: &OpenVault,
    user_hash: [u8; 16],
    generation: u64,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let info = context(vault, user_hash, generation).encode();
    let mut object = Vec::new();
    Prelude { kind: Kind::Keyring, epoch: vault.epoch() }.write(&mut object);
    object.extend_from_slice(&seal(vault.vault_key(), random_array(random)?, &info, padded));
    Ok(object)
}

impl Keyring {
    /// A keyring for a new life of a user: random id, random key of epoch 1.
    ///
    /// `life` counts from 1. The user's name may be any text that keeps the object within [`MAX_KEYRING_LEN`].
    ///
    /// # Errors
    ///
    /// [`Error::Randomness`] if the source fails, [`Error::LimitsExceeded`] if `life` is 0.
    pub fn generate(user: &str, life: u64, random: &dyn Random) -> Result<Self, Error> {
        if life == 0 {
            return Err(Error::limits("lives count from 1"));
        }
        let id = random_array(random)?;
        Ok(Self {
            user: user.to_owned(),
            id,
            life,
            epoch: 1,
            key: UserKey::generate(random)?,
            other: Unknown::default(),
        })
    }

    /// The user's name.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The user's random id, new with each life.
    #[must_use]
    pub const fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Which life of the user, from 1.
    #[must_use]
    pub const fn life(&self) -> u64 {
        self.life
    }

    /// The epoch of the user key; 1 in this format.
    #[must_use]
    pub const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The user's key.
    #[must_use]
    pub const fn key(&self) -> &UserKey {
        &self.key
    }

    /// The keyring object's bytes, sealed under the vault's present key. `user_hash` is the keyed hash of the user's
    /// name, `generation` the number in the object's name.
    ///
    /// # Errors
    ///
    /// [`Error::LimitsExceeded`] if the object would be larger than [`MAX_KEYRING_LEN`]; [`Error::Randomness`].
    pub fn seal(
        &self,
        vault: &OpenVault,
        user_hash: [u8; 16],
        generation: u64,
        random: &dyn Random,
    ) -> Result<Vec<u8>, Error> {
        let key = key_to_base64(self.key.expose());
        let json = secret_json(&Text {
            user: Cow::Borrowed(&self.user),
            id: to_hex(&self.id),
            life: self.life,
            epoch: self.epoch,
            key: &key,
            other: self.other.clone(),
        })?;
        // The floor is that of content, so that short names all look alike.
        let padded = Zeroizing::new(pad(&json, CONTENT_FLOOR));
        let object = seal_object(&padded, vault, user_hash, generation, random)?;
        if object.len() > MAX_KEYRING_LEN {
            return Err(Error::limits("a keyring has at most 64 KiB"));
        }
        Ok(object)
    }

    /// Opens a keyring object that was read under the name of this user and generation.
    ///
    /// # Errors
    ///
    /// - [`Error::NewerFormat`]: a newer version wrote it.
    /// - [`Error::UnknownEpoch`]: the vault at hand lacks the key; read header and keyring again first.
    /// - [`Error::Destroyed`]: this is a tombstone.
    /// - [`Error::LimitsExceeded`]: larger than [`MAX_KEYRING_LEN`].
    /// - [`Error::Damaged`]: anything else, a keyring of another vault, user or generation included.
    pub fn open(bytes: &[u8], vault: &OpenVault, user_hash: [u8; 16], generation: u64) -> Result<Self, Error> {
        if bytes.len() > MAX_KEYRING_LEN {
            return Err(Error::limits("a keyring has at most 64 KiB"));
        }
        let (prelude, sealed) = Prelude::parse_kind(bytes, Kind::Keyring)?;
        let key = vault.key_of_epoch(prelude.epoch).ok_or(Error::UnknownEpoch { epoch: prelude.epoch })?;
        let padded = open(key, &context(vault, user_hash, generation).encode(), sealed)?;
        Self::from_json(unpad(&padded)?)
    }

    fn from_json(json: &[u8]) -> Result<Self, Error> {
        let shape = || Error::damaged("a keyring's text");
        if let Ok(Tombstone { life, destroyed: true }) = serde_json::from_slice(json) {
            return Err(if life == 0 { shape() } else { Error::Destroyed { life } });
        }
        let text: Text<'_> = serde_json::from_slice(json).map_err(|_| shape())?;
        if text.life == 0 || text.epoch == 0 {
            return Err(shape());
        }
        Ok(Self {
            user: text.user.into_owned(),
            id: from_hex(text.id.as_bytes()).ok_or_else(shape)?,
            life: text.life,
            epoch: text.epoch,
            key: UserKey::from_bytes(*key_from_base64(text.key).ok_or_else(shape)?),
            other: text.other,
        })
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(..)")
    }
}

/// A keyring's context. It is sealed before the user's id is known, so the keyed hash stands in for it; lives are not
/// known from outside either, and the generation, which never repeats, sets them apart.
const fn context(vault: &OpenVault, user_hash: [u8; 16], generation: u64) -> Context {
    Context {
        kind: Kind::Keyring,
        vault: vault.id(),
        user: user_hash,
        store: [0; 16],
        user_life: 0,
        store_life: 0,
        seq: generation,
        section: 0,
    }
}
