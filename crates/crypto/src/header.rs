//! The text of a vault header: bounds, shape, and the MAC over its exact bytes. [`crate::OpenVault`] is what it opens to.
//!
//! ```text
//! {"memoseal":"vault","format":1,"vault":"…","generation":1,"epoch":1,"slots":[…],"sealed":"…"}
//! 64 lowercase hex digits: HMAC-SHA-256 over everything above, the newline included
//! ```
//!
//! A superseded header is replaced by a stub, which is not a header; whoever lists headers tells the two apart.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::encode::{Fields, from_base64, from_hex, to_base64, to_hex};
use crate::kdf::MAX_KDF_WORK;
use crate::seal::derive;
use crate::slot::{Slot, SlotText};
use crate::{Error, FORMAT, VaultKey, mac};

/// The largest vault header, in bytes.
pub const MAX_HEADER_LEN: usize = 64 << 10;
/// The most slots in a vault header.
pub const MAX_SLOTS: usize = 16;

const OURS: &str = "vault";
const MAC_DIGITS: usize = 64;

/// A header whose bounds and shape have been checked; nothing in it is authentic before [`Header::verify`].
pub(crate) struct Header {
    pub(crate) vault: [u8; 16],
    pub(crate) generation: u64,
    pub(crate) epoch: u32,
    pub(crate) slots: Vec<Slot>,
    /// The sealed secrets.
    pub(crate) sealed: Vec<u8>,
    /// Fields that this version does not know.
    pub(crate) other: Map<String, Value>,
}

/// The line below the text, still to be compared.
pub(crate) struct Signed<'a> {
    text: &'a [u8],
    mac: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct Text {
    memoseal: String,
    format: u16,
    vault: String,
    generation: u64,
    epoch: u32,
    slots: Vec<SlotText>,
    sealed: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The two fields whose meaning never changes, whatever a later format does with the rest.
#[derive(Deserialize)]
struct Probe {
    memoseal: String,
    format: Option<u64>,
}

/// The id of the vault whose header this claims to be; nothing if it is no header. Nobody vouches for it until the header
/// is opened with a key.
pub fn vault_id(header: &[u8]) -> Option<[u8; 16]> {
    Header::parse(header).ok().map(|(header, _)| header.vault)
}

impl Header {
    /// Checks size, ownership, format, shape and bounds, in this order. Derives and opens nothing.
    pub(crate) fn parse(bytes: &[u8]) -> Result<(Self, Signed<'_>), Error> {
        if bytes.len() > MAX_HEADER_LEN {
            return Err(Error::limits("a vault header has at most 64 KiB"));
        }
        probe(bytes)?;
        let signed = Signed::split(bytes).ok_or(Error::damaged("the header's last line"))?;
        let text: Text = serde_json::from_slice(signed.text).map_err(|_| Error::damaged("the header's text"))?;
        if text.slots.len() > MAX_SLOTS {
            return Err(Error::limits("a vault header has at most 16 slots"));
        }
        let header = Self {
            vault: from_hex(text.vault.as_bytes()).ok_or(Error::damaged("the header's vault id"))?,
            generation: text.generation,
            epoch: text.epoch,
            slots: text.slots.into_iter().map(Slot::parse).collect::<Result<_, _>>()?,
            sealed: from_base64(&text.sealed).ok_or(Error::damaged("the header's sealed part"))?,
            other: text.other,
        };
        header.check()?;
        Ok((header, signed))
    }

    /// What holds for a header that is read and for one that is to be written.
    fn check(&self) -> Result<(), Error> {
        if self.generation == 0 || self.epoch == 0 {
            return Err(Error::damaged("the header's generation or epoch"));
        }
        if self.slots.is_empty() || self.slots.len() > MAX_SLOTS {
            return Err(Error::limits("a vault header has 1 to 16 slots"));
        }
        let twice = |(at, slot): (usize, &Slot)| self.slots.iter().skip(at + 1).any(|other| other.id() == slot.id());
        if self.slots.iter().enumerate().any(twice) {
            return Err(Error::damaged("two slots with one id"));
        }
        if self.slots.iter().map(Slot::work).sum::<u64>() > MAX_KDF_WORK {
            return Err(Error::limits(
                "the passphrase slots of a vault together ask for at most 16 GiB-passes of Argon2",
            ));
        }
        Ok(())
    }

    /// Whether the line below the text is its MAC under this vault key.
    pub(crate) fn verify(&self, signed: &Signed<'_>, vault_key: &VaultKey) -> Result<(), Error> {
        if mac::verify(&mac_key(&self.vault, vault_key), signed.text, &signed.mac) {
            Ok(())
        } else {
            Err(Error::damaged("the header's MAC"))
        }
    }

    /// The object's bytes.
    pub(crate) fn write(&self, vault_key: &VaultKey) -> Result<Vec<u8>, Error> {
        self.check()?;
        let text = Text {
            memoseal: OURS.to_owned(),
            format: FORMAT,
            vault: to_hex(&self.vault),
            generation: self.generation,
            epoch: self.epoch,
            slots: self.slots.iter().map(|slot| slot.text().clone()).collect(),
            sealed: to_base64(&self.sealed),
            other: self.other.clone(),
        };
        let mut bytes =
            serde_json::to_vec(&text).map_err(|_| Error::damaged("fields that cannot be written as JSON"))?;
        bytes.push(b'\n');
        let mac = mac::tag(&mac_key(&self.vault, vault_key), &bytes);
        bytes.extend_from_slice(to_hex(&mac).as_bytes());
        bytes.push(b'\n');
        if bytes.len() > MAX_HEADER_LEN {
            return Err(Error::limits("a vault header has at most 64 KiB"));
        }
        Ok(bytes)
    }
}

impl<'a> Signed<'a> {
    fn split(bytes: &'a [u8]) -> Option<Self> {
        let body = bytes.strip_suffix(b"\n")?;
        let (text, mac) = body.split_at_checked(body.len().checked_sub(MAC_DIGITS)?)?;
        let mac = from_hex(mac)?;
        text.ends_with(b"\n").then_some(Self { text, mac })
    }
}

/// Whether the object is a vault header at all, and of a format that we read. Looks at two fields of the first JSON
/// value and skips the rest, whatever its shape (without recursion, so depth is no matter).
fn probe(bytes: &[u8]) -> Result<(), Error> {
    let first = serde_json::Deserializer::from_slice(bytes).into_iter::<Probe>().next();
    match first {
        Some(Ok(Probe { memoseal, .. })) if memoseal != OURS => Err(Error::NotAVault),
        Some(Ok(Probe { format: Some(format), .. })) => match format.cmp(&u64::from(FORMAT)) {
            Ordering::Greater => Err(Error::newer(format)),
            Ordering::Equal => Ok(()),
            Ordering::Less => Err(Error::damaged("the header's format number")),
        },
        Some(Ok(_)) => Err(Error::damaged("the header's format number")),
        // It starts as ours do: better called damaged than foreign, lest someone make a new vault in its place.
        _ if bytes.starts_with(br#"{"memoseal":"vault""#) => Err(Error::damaged("the header's text")),
        _ => Err(Error::NotAVault),
    }
}

/// The key of the MAC line, one for each vault and vault key.
fn mac_key(vault: &[u8; 16], vault_key: &VaultKey) -> Zeroizing<[u8; 32]> {
    let info = Fields::new("memoseal/v1 header mac").put(&FORMAT.to_be_bytes()).put(vault).finish();
    derive(vault_key.expose(), None, &info)
}
