//! The slots of a vault: which keys and passphrases open it.

use memoseal_crypto::{self as crypto, OpenVault, Random};

use super::{
    Key, Vault,
    header::{Change, Header},
    key::Ready,
    vault::header_error,
};
use crate::{Error, Result};

/// A slot: one key or passphrase that opens the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Slot {
    /// The slot's id, random.
    pub id: String,
    /// `raw`, `passphrase`, that of a key service (`aws-kms`), or a type that a newer memoseal knows.
    pub kind: String,
    /// The name of the key, if it is one in a key service.
    pub key: Option<String>,
    /// Whether this process opened the vault with it.
    pub is_own: bool,
}

impl Vault {
    /// The slots, in the order in which they were made. One request, two if they have changed since the last look.
    ///
    /// # Errors
    /// Those of [`Vault::refresh`].
    pub async fn slots(&self) -> Result<Vec<Slot>> {
        self.refresh().await?;
        Ok(slots(&self.open_vault()))
    }

    /// Adds a slot, so that `key` opens the vault too. Gives the new slot.
    ///
    /// One listing, one create and one put over the header before; in a process that has changed nothing yet, the
    /// probe comes first. A key service is asked once.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if the key opens the vault already; [`Error::Invalid`] if there are 16 slots;
    /// [`Error::Key`] for an empty passphrase; [`Error::Backend`]; [`Error::OutcomeUnknown`]; those of
    /// [`Vault::refresh`].
    pub async fn add_slot(&self, key: Key) -> Result<Slot> {
        let key = self.ready_to_make(key).await?;
        let written = self.write_header(Add { key }).await?;
        let missing = || Error::damaged("the vault's header", "it was written without a slot");
        slots(&written).pop().ok_or_else(missing)
    }

    /// The key, ready to make a slot of this vault or to renew one.
    pub(super) async fn ready_to_make(&self, key: Key) -> Result<Ready> {
        Ready::to_make(key, &self.id(), self.env().random.as_ref(), self.patience().read).await
    }

    /// Removes a slot; its key no longer opens the vault. It does not undo what the key's owner could read until then,
    /// nor reach copies of older headers: only [`Vault::rotate`] gives the vault a new key.
    ///
    /// It costs what [`Vault::add_slot`] costs.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such slot; [`Error::Invalid`] if it is the last; [`Error::Backend`];
    /// [`Error::OutcomeUnknown`]; those of [`Vault::refresh`].
    pub async fn remove_slot(&self, id: &str) -> Result<()> {
        self.write_header(Remove { id: id.to_owned() }).await.map(drop)
    }
}

pub(super) fn slots(open: &OpenVault) -> Vec<Slot> {
    let is_own = |id: &str| id == open.own_slot();
    let slot = |slot: crypto::SlotInfo<'_>| Slot {
        id: slot.id.into(),
        kind: slot.kind.into(),
        key: slot.key.map(str::to_owned),
        is_own: is_own(slot.id),
    };
    open.slots().map(slot).collect()
}

struct Add {
    key: Ready,
}

impl Change for Add {
    fn apply(&self, now: &Header, random: &dyn Random) -> Result<(Vec<u8>, OpenVault)> {
        // A second slot for one key would keep that key in when the first is removed.
        if let Some(slot) = opened_by(now, &self.key)? {
            let hint = "nothing has to be added".into();
            return Err(Error::AlreadyExists { what: format!("a slot for this key ({slot})"), hint });
        }
        now.open.add_slot(&self.key.as_slot(), random).map_err(change_error)
    }

    fn is_in(&self, now: &OpenVault, sent: &OpenVault) -> bool {
        sent.slots().last().is_some_and(|new| now.slots().any(|slot| slot == new))
    }
}

struct Remove {
    id: String,
}

impl Change for Remove {
    fn apply(&self, now: &Header, random: &dyn Random) -> Result<(Vec<u8>, OpenVault)> {
        let missing = || Error::NotFound {
            what: format!("slot {}", self.id),
            hint: "`memoseal slot list` shows those that there are".into(),
        };
        if !now.open.slots().any(|slot| slot.id == self.id) {
            return Err(missing());
        }
        if now.open.slots().count() == 1 {
            return Err(Error::Invalid(format!(
                "slot {} is the last: without it nobody could open the vault; add another first",
                self.id
            )));
        }
        now.open.remove_slot(&self.id, random).map_err(change_error)
    }

    fn is_in(&self, now: &OpenVault, _: &OpenVault) -> bool {
        now.slots().all(|slot| slot.id != self.id)
    }
}

/// The id of the slot that a key opens, or nothing if it opens none. May take long.
pub(super) fn opened_by(now: &Header, key: &Ready) -> Result<Option<String>> {
    if let Ready::Wrapped(fresh) = key {
        // What it has wrapped afresh opens nothing yet: the slot is told by its key.
        let (kind, key) = (fresh.wrapped.service().as_str(), fresh.wrapped.key());
        let slot = now.open.slots().find(|slot| slot.kind == kind && slot.key == Some(key));
        return Ok(slot.map(|slot| slot.id.to_owned()));
    }
    match crypto::unlock(&now.bytes, now.open.generation(), &key.as_unlock()) {
        Ok(opened) => Ok(Some(opened.own_slot().to_owned())),
        Err(crypto::Error::WrongKey | crypto::Error::NoSlot { .. }) => Ok(None),
        Err(error) => Err(header_error(error)),
    }
}

/// What keeps a header from being changed, where the header itself is as it should be.
pub(super) fn change_error(error: crypto::Error) -> Error {
    match error {
        crypto::Error::LimitsExceeded { what } => {
            Error::Invalid(format!("the vault's header has no room: {what}: remove a slot first"))
        }
        other => header_error(other),
    }
}
