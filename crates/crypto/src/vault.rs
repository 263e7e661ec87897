//! Making a vault and opening it.

use std::fmt;

use serde_json::Map;

use crate::header::Header;
use crate::random::random_array;
use crate::secret::SlotKey;
use crate::secrets::Secrets;
use crate::slot::{Slot, wanted};
use crate::{Error, NameKey, NewSlot, Random, SlotInfo, Unlock, VaultKey};

/// An open vault: its header, verified, and the keys that the header held.
pub struct OpenVault {
    pub(crate) header: Header,
    pub(crate) vault_key: VaultKey,
    pub(crate) secrets: Secrets,
    pub(crate) own: OwnSlot,
}

/// The slot that this vault was opened with, so that the next generation opens without asking the user again.
pub(crate) struct OwnSlot {
    pub(crate) id: String,
    pub(crate) key: SlotKey,
}

impl OwnSlot {
    pub(crate) fn duplicate(&self) -> Self {
        Self { id: self.id.clone(), key: self.key.duplicate() }
    }
}

/// Makes a vault: random id, vault key and name key; generation 1, epoch 1. Returns the header object's bytes and the
/// open vault.
///
/// # Errors
///
/// [`Error::LimitsExceeded`] without a slot, with more than 16, or if their passphrases together cost more than
/// [`crate::MAX_KDF_WORK`]; [`Error::BadKeyMaterial`] for an empty passphrase; [`Error::Randomness`].
pub fn create(slots: &[NewSlot<'_>], random: &dyn Random) -> Result<(Vec<u8>, OpenVault), Error> {
    check_new(&[], slots)?;
    create_as(random_array(random)?, slots, random)
}

/// As [`create`], with an id that was drawn before: 16 fresh random bytes. A key service wraps a slot's secret for it.
///
/// # Errors
///
/// As [`create`].
pub fn create_as(vault: [u8; 16], slots: &[NewSlot<'_>], random: &dyn Random) -> Result<(Vec<u8>, OpenVault), Error> {
    check_new(&[], slots)?;
    let vault_key = VaultKey::generate(random)?;
    let secrets = Secrets::generate(random)?;
    let mut own = None;
    let mut made = Vec::with_capacity(slots.len());
    for new in slots {
        let (slot, key) = Slot::create(new, &vault, &vault_key, random)?;
        own.get_or_insert_with(|| OwnSlot { id: slot.id().to_owned(), key });
        made.push(slot);
    }
    let own = own.ok_or(Error::limits("a vault header has 1 to 16 slots"))?;
    let header = Header { vault, generation: 1, epoch: 1, slots: made, sealed: Vec::new(), other: Map::new() };
    OpenVault { header, vault_key, secrets, own }.finish(random)
}

/// Opens a vault header with a passphrase or a raw key.
///
/// `generation` is the number in the object's name; the text must hold the same.
///
/// Size, ownership, format, shape and bounds are checked first, and nothing but the bounded parameters is used before
/// the MAC: at most 16 slots are tried, for at most [`crate::MAX_KDF_WORK`] of Argon2 together.
///
/// # Errors
///
/// - [`Error::NotAVault`]: foreign data, or an empty object.
/// - [`Error::NewerFormat`]: whatever else a newer format changed.
/// - [`Error::LimitsExceeded`]: size, slots or costs out of bounds, or the memory for Argon2 is not to be had.
/// - [`Error::NoSlot`]: no slot takes this kind of secret.
/// - [`Error::WrongKey`]: none of those that do opens with it. A wrong key or passphrase never gives another error; a
///   slot that was tampered with gives this one too, since the two cannot be told apart.
/// - [`Error::Damaged`]: the shape is wrong, or a slot opened and the rest does not belong to it.
/// - [`Error::BadKeyMaterial`]: an empty passphrase.
pub fn unlock(bytes: &[u8], generation: u64, with: &Unlock<'_>) -> Result<OpenVault, Error> {
    let (header, signed) = Header::parse(bytes)?;
    if !header.slots.iter().any(|slot| slot.takes(with)) {
        return Err(Error::NoSlot { wanted: wanted(with) });
    }
    let mut found = None;
    for slot in &header.slots {
        let Some(key) = slot.slot_key(with)? else { continue };
        if let Some(vault_key) = slot.unwrap_with(&header.vault, &key) {
            found = Some((vault_key, OwnSlot { id: slot.id().to_owned(), key }));
            break;
        }
    }
    let (vault_key, own) = found.ok_or(Error::WrongKey)?;
    header.verify(&signed, &vault_key)?;
    OpenVault::finish_opening(header, generation, vault_key, own)
}

impl OpenVault {
    /// The vault's random id.
    #[must_use]
    pub const fn id(&self) -> [u8; 16] {
        self.header.vault
    }

    /// The generation of the header, from 1.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.header.generation
    }

    /// The epoch of the vault key, from 1.
    #[must_use]
    pub const fn epoch(&self) -> u32 {
        self.header.epoch
    }

    /// The vault key of the present epoch.
    #[must_use]
    pub const fn vault_key(&self) -> &VaultKey {
        &self.vault_key
    }

    /// The key for names in the bucket.
    #[must_use]
    pub const fn name_key(&self) -> &NameKey {
        &self.secrets.name_key
    }

    /// The vault key of an epoch, the present one included; `None` if the header does not hold it.
    #[must_use]
    pub fn key_of_epoch(&self, epoch: u32) -> Option<&VaultKey> {
        if epoch == self.header.epoch {
            return Some(&self.vault_key);
        }
        self.secrets.earlier.iter().find(|(of, _)| *of == epoch).map(|(_, key)| key)
    }

    /// The slots, in the order of the header, those of unknown types included.
    pub fn slots(&self) -> impl Iterator<Item = SlotInfo<'_>> {
        self.header.slots.iter().map(Slot::info)
    }

    /// The id of the slot that opened the vault; after [`create`], the first.
    #[must_use]
    pub fn own_slot(&self) -> &str {
        &self.own.id
    }

    /// Opens another generation of the same vault's header with the slot that opened this one, without Argon2.
    ///
    /// # Errors
    ///
    /// As [`unlock`]; [`Error::WrongKey`] too if the slot is gone or was made anew, and [`Error::Damaged`] if the header
    /// is another vault's. Whether an older generation is acceptable is the caller's to decide.
    pub fn reopen(&self, bytes: &[u8], generation: u64) -> Result<Self, Error> {
        self.reopen_as(bytes, generation, |_| Ok(Some(self.own.key.duplicate())))
    }

    /// As [`reopen`](Self::reopen), with the secret of the slot given anew: that of a key service's slot changes when the
    /// vault key is rotated.
    ///
    /// # Errors
    ///
    /// As [`reopen`](Self::reopen).
    pub fn reopen_with(&self, bytes: &[u8], generation: u64, with: &Unlock<'_>) -> Result<Self, Error> {
        self.reopen_as(bytes, generation, |slot| slot.slot_key(with))
    }

    fn reopen_as(
        &self,
        bytes: &[u8],
        generation: u64,
        key: impl Fn(&Slot) -> Result<Option<SlotKey>, Error>,
    ) -> Result<Self, Error> {
        let (header, signed) = Header::parse(bytes)?;
        if header.vault != self.header.vault {
            return Err(Error::damaged("another vault's header"));
        }
        let slot = header.slots.iter().find(|slot| slot.id() == self.own.id).ok_or(Error::WrongKey)?;
        let own = OwnSlot { id: self.own.id.clone(), key: key(slot)?.ok_or(Error::WrongKey)? };
        let vault_key = slot.unwrap_with(&header.vault, &own.key).ok_or(Error::WrongKey)?;
        header.verify(&signed, &vault_key)?;
        Self::finish_opening(header, generation, vault_key, own)
    }

    /// Seals the secrets and writes the header.
    pub(crate) fn finish(mut self, random: &dyn Random) -> Result<(Vec<u8>, Self), Error> {
        self.header.sealed = self.secrets.seal(&self.header, &self.vault_key, random)?;
        let bytes = self.header.write(&self.vault_key)?;
        Ok((bytes, self))
    }

    /// The last steps of opening, after the MAC.
    fn finish_opening(header: Header, generation: u64, vault_key: VaultKey, own: OwnSlot) -> Result<Self, Error> {
        let secrets = Secrets::open(&header, &vault_key)?;
        if header.generation != generation {
            return Err(Error::damaged("a header under another generation's name"));
        }
        Ok(Self { header, vault_key, secrets, own })
    }
}

impl fmt::Debug for OpenVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenVault(..)")
    }
}

/// Refuses slots that would not fit beside the present ones, before anything is drawn or derived for them.
pub(crate) fn check_new(present: &[Slot], new: &[NewSlot<'_>]) -> Result<(), Error> {
    let count = present.len().saturating_add(new.len());
    if count == 0 || count > crate::MAX_SLOTS {
        return Err(Error::limits("a vault header has 1 to 16 slots"));
    }
    let work = present.iter().map(Slot::work).chain(new.iter().map(NewSlot::work)).sum::<u64>();
    if work > crate::MAX_KDF_WORK {
        return Err(Error::limits("the passphrase slots of a vault together ask for at most 16 GiB-passes of Argon2"));
    }
    Ok(())
}
