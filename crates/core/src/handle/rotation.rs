//! A new vault key.

use memoseal_crypto::{self as crypto, OpenVault, Random};

use super::{
    Key, Resealed, Slot, Vault,
    header::{Change, Header},
    key::Ready,
    slots::{change_error, opened_by, slots},
    vault::blocking,
};
use crate::{Error, Result};

/// What a rotation has done.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rotation {
    /// The epoch of the new vault key.
    pub epoch: u32,
    /// The slots that there are now.
    pub slots: Vec<Slot>,
    /// What became of the keyrings. An error leaves those that were not reached as they were, under an earlier vault
    /// key, which the header keeps; [`Vault::reseal_keyrings`] goes on with them.
    pub keyrings: Result<Resealed>,
}

impl Vault {
    /// Gives the vault a new key, and seals the keyring of every user anew under it. `keys` are the keys and passphrases
    /// of the slots that stay, this process's own among them; each keeps its slot. Other slots are refused, or
    /// dropped if `drop_others`. `progress` is told after each user how many of how many are done.
    ///
    /// Whoever had the old vault key keeps what they could read. Users keep their keys: a copy of an old keyring goes on
    /// opening what its user writes. Users made from now on are out of reach.
    ///
    /// A key in a key service needs not open its slot for this: it wraps a fresh secret, and the one before opens nothing
    /// that comes after.
    ///
    /// It costs what [`Vault::add_slot`] costs, with a call of a key service for each of its keys, and then what [`Vault::reseal_keyrings`] costs.
    ///
    /// # Errors
    /// Before the vault has its new key: [`Error::Invalid`] if other slots remain; [`Error::WrongKey`] if one of the keys
    /// opens no slot; [`Error::Backend`]; [`Error::OutcomeUnknown`]; those of [`Vault::refresh`]. What fails after that
    /// stands in [`Rotation::keyrings`].
    pub async fn rotate(
        &self,
        keys: Vec<Key>,
        drop_others: bool,
        progress: impl FnMut(u64, u64) + Send,
    ) -> Result<Rotation> {
        let keys = self.all_ready(keys).await?;
        let written = self.write_header(Rotate { keys, drop_others }).await?;
        let keyrings = self.reseal_keyrings(progress).await;
        Ok(Rotation { epoch: written.epoch(), slots: slots(&written), keyrings })
    }

    /// The slots that `keys` open: those that [`Vault::rotate`] would keep. Costs what [`Vault::slots`] costs; key services
    /// are asked to wrap what nothing comes of, so that it is known whether they would.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if one of the keys opens no slot; those of [`Vault::refresh`].
    pub async fn slots_of(&self, keys: Vec<Key>) -> Result<Vec<Slot>> {
        self.refresh().await?;
        let keys = self.all_ready(keys).await?;
        let (now, random) = (self.header(), std::sync::Arc::clone(&self.env().random));
        let (_, next) =
            blocking(self.env(), move || Rotate { keys, drop_others: true }.apply(&now, random.as_ref())).await?;
        Ok(slots(&next))
    }

    async fn all_ready(&self, keys: Vec<Key>) -> Result<Vec<Ready>> {
        let mut ready = Vec::with_capacity(keys.len());
        for key in keys {
            ready.push(self.ready_to_make(key).await?);
        }
        Ok(ready)
    }
}

struct Rotate {
    keys: Vec<Ready>,
    drop_others: bool,
}

impl Change for Rotate {
    fn apply(&self, now: &Header, random: &dyn Random) -> Result<(Vec<u8>, OpenVault)> {
        // A mistyped passphrase must not drop the slot that it was meant to keep.
        for key in &self.keys {
            if opened_by(now, key)?.is_none() {
                return Err(Error::WrongKey);
            }
        }
        let secrets: Vec<_> = self.keys.iter().map(Ready::as_unlock).collect();
        now.open.rotate(&secrets, self.drop_others, random).map_err(|error| match error {
            crypto::Error::SlotsRemain { remaining } => Error::Invalid(format!(
                "{remaining} more slot(s) cannot be carried over without their key or passphrase: give it, or let them be \
                 dropped"
            )),
            other => change_error(other),
        })
    }

    fn is_in(&self, now: &OpenVault, sent: &OpenVault) -> bool {
        now.key_of_epoch(sent.epoch()).is_some_and(|key| key.ct_eq(sent.vault_key()))
    }
}
