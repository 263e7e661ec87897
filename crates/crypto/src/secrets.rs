//! The sealed part of a vault header: the name key and the vault keys of earlier epochs.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::encode::{Unknown, key_from_base64, key_to_base64, secret_json};
use crate::header::Header;
use crate::random::random_array;
use crate::seal::{open, seal};
use crate::{Context, Error, Kind, NameKey, Random, VaultKey};

/// What a vault header holds sealed under the vault key.
pub(crate) struct Secrets {
    pub(crate) name_key: NameKey,
    /// Vault keys by epoch; all epochs lie below the present one and differ.
    pub(crate) earlier: Vec<(u32, VaultKey)>,
    other: Unknown,
}

/// The JSON of the sealed part. Keys are borrowed, so that reading and writing make no copy that stays behind.
#[derive(Serialize, Deserialize)]
struct SecretsText<'a> {
    name_key: &'a str,
    #[serde(borrow)]
    earlier: Vec<EarlierText<'a>>,
    #[serde(flatten)]
    other: Unknown,
}

#[derive(Serialize, Deserialize)]
struct EarlierText<'a> {
    epoch: u32,
    key: &'a str,
}

impl Secrets {
    /// Of a new vault.
    pub(crate) fn generate(random: &dyn Random) -> Result<Self, Error> {
        Ok(Self { name_key: NameKey::generate(random)?, earlier: Vec::new(), other: Unknown::default() })
    }

    /// A second copy, for the next generation of the header.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            name_key: self.name_key.duplicate(),
            earlier: self.earlier.iter().map(|(epoch, key)| (*epoch, key.duplicate())).collect(),
            other: self.other.clone(),
        }
    }

    /// Sealed for this header.
    pub(crate) fn seal(&self, header: &Header, vault_key: &VaultKey, random: &dyn Random) -> Result<Vec<u8>, Error> {
        Ok(seal(vault_key, random_array(random)?, &context(header).encode(), &self.to_json()?))
    }

    /// Opened from this header, whose MAC has been verified.
    pub(crate) fn open(header: &Header, vault_key: &VaultKey) -> Result<Self, Error> {
        let json = open(vault_key, &context(header).encode(), &header.sealed)?;
        Self::from_json(&json, header.epoch)
    }

    fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let name_key = key_to_base64(self.name_key.expose());
        let earlier: Vec<_> = self.earlier.iter().map(|(epoch, key)| (*epoch, key_to_base64(key.expose()))).collect();
        secret_json(&SecretsText {
            name_key: &name_key,
            earlier: earlier.iter().map(|(epoch, key)| EarlierText { epoch: *epoch, key }).collect(),
            other: self.other.clone(),
        })
    }

    fn from_json(json: &[u8], epoch: u32) -> Result<Self, Error> {
        let shape = || Error::damaged("the header's sealed part");
        let text: SecretsText<'_> = serde_json::from_slice(json).map_err(|_| shape())?;
        let mut earlier = Vec::with_capacity(text.earlier.len());
        for old in &text.earlier {
            let seen = earlier.iter().any(|(epoch, _)| *epoch == old.epoch);
            if seen || old.epoch == 0 || old.epoch >= epoch {
                return Err(shape());
            }
            earlier.push((old.epoch, VaultKey::from_bytes(*key_from_base64(old.key).ok_or_else(shape)?)));
        }
        let name_key = NameKey::from_bytes(*key_from_base64(text.name_key).ok_or_else(shape)?);
        Ok(Self { name_key, earlier, other: text.other })
    }
}

/// The context of the sealed part: the vault, and the generation as `seq`.
const fn context(header: &Header) -> Context {
    Context {
        kind: Kind::VaultSecrets,
        vault: header.vault,
        user: [0; 16],
        store: [0; 16],
        user_life: 0,
        store_life: 0,
        seq: header.generation,
        section: 0,
    }
}
