//! The next generation of a vault's header: a slot added or removed, or a new vault key.
//!
//! Each function returns the bytes of the new header object and the vault as they open it. The caller creates the object
//! under the next number with put-if-absent, and on losing that race starts again from the header that won.

use crate::header::Header;
use crate::secret::SlotKey;
use crate::slot::Slot;
use crate::vault::{OwnSlot, check_new};
use crate::{Error, NewSlot, OpenVault, Random, Unlock, VaultKey};

impl OpenVault {
    /// The next generation of the header, with one slot more. Returns the object's bytes and what they open to.
    ///
    /// # Errors
    ///
    /// As [`crate::create`].
    pub fn add_slot(&self, new: &NewSlot<'_>, random: &dyn Random) -> Result<(Vec<u8>, Self), Error> {
        check_new(&self.header.slots, std::slice::from_ref(new))?;
        let (slot, _) = Slot::create(new, &self.header.vault, &self.vault_key, random)?;
        let slots = self.header.slots.iter().cloned().chain([slot]).collect();
        self.next(slots, None)?.finish(random)
    }

    /// The next generation of the header, without the slot of this id, which may be of a type unknown here.
    ///
    /// It does not undo what the slot's owner could already read; only a rotation closes what comes after.
    ///
    /// # Errors
    ///
    /// [`Error::NoSlot`] if there is none with this id, [`Error::LimitsExceeded`] if it is the last.
    pub fn remove_slot(&self, id: &str, random: &dyn Random) -> Result<(Vec<u8>, Self), Error> {
        let slots: Vec<Slot> = self.header.slots.iter().filter(|slot| slot.id() != id).cloned().collect();
        if slots.len() == self.header.slots.len() {
            return Err(Error::NoSlot { wanted: "with that id" });
        }
        self.next(slots, None)?.finish(random)
    }

    /// The next generation of the header, with a new random vault key of the next epoch; the present one joins the
    /// earlier ones. Each slot that one of `secrets` opens keeps its id, salt and parameters. For slots of a key service
    /// `secrets` holds a fresh secret that the service has wrapped; they need not be opened, and their old secret is gone.
    ///
    /// # Errors
    ///
    /// [`Error::SlotsRemain`] if slots are left that none of `secrets` opens, unless `drop_others`;
    /// [`Error::WrongKey`] if none is opened at all; else as [`crate::create`].
    pub fn rotate(
        &self,
        secrets: &[Unlock<'_>],
        drop_others: bool,
        random: &dyn Random,
    ) -> Result<(Vec<u8>, Self), Error> {
        let vault_key = VaultKey::generate(random)?;
        let mut own = None;
        let mut kept = Vec::new();
        for slot in &self.header.slots {
            let Some((slot, key)) = self.renewed_among(slot, secrets)? else { continue };
            kept.push(slot.clone().wrap(&self.header.vault, &key, &vault_key, random)?);
            if own.is_none() || slot.id() == self.own.id {
                own = Some(OwnSlot { id: slot.id().to_owned(), key });
            }
        }
        let own = own.ok_or(Error::WrongKey)?;
        let remaining = self.header.slots.len() - kept.len();
        if remaining > 0 && !drop_others {
            return Err(Error::SlotsRemain { remaining });
        }
        self.next(kept, Some((vault_key, own)))?.finish(random)
    }

    /// A slot for a rotation and its key, if one of these secrets is for it.
    fn renewed_among(&self, slot: &Slot, secrets: &[Unlock<'_>]) -> Result<Option<(Slot, SlotKey)>, Error> {
        for with in secrets {
            let Some((renewed, key)) = slot.renewed(with)? else { continue };
            let is_fresh = matches!(with, Unlock::Service { .. });
            if is_fresh || slot.unwrap_with(&self.header.vault, &key).is_some() {
                return Ok(Some((renewed, key)));
            }
        }
        Ok(None)
    }

    /// The vault one generation on, with these slots, and with a new vault key if one is given. Not yet written.
    fn next(&self, slots: Vec<Slot>, rotated: Option<(VaultKey, OwnSlot)>) -> Result<Self, Error> {
        let mut secrets = self.secrets.duplicate();
        let mut epoch = self.header.epoch;
        let (vault_key, own) = if let Some(new) = rotated {
            secrets.earlier.push((epoch, self.vault_key.duplicate()));
            epoch = epoch.checked_add(1).ok_or(Error::limits("vault key epochs"))?;
            new
        } else {
            (self.vault_key.duplicate(), self.own.duplicate())
        };
        let header = Header {
            vault: self.header.vault,
            generation: self.header.generation.checked_add(1).ok_or(Error::limits("header generations"))?,
            epoch,
            slots,
            sealed: Vec::new(),
            other: self.header.other.clone(),
        };
        Ok(Self { header, vault_key, secrets, own })
    }
}
