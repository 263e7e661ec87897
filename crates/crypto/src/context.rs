//! What a sealed thing is and where it belongs. Sealing binds it, so that nothing opens in another's place.

use crate::FORMAT;
use crate::encode::Fields;

/// The kinds of sealed things. The code of a kind is one byte, stable for good, and stands in the clear in the
/// object's [prelude](crate::Prelude).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A commit of a store's log. Code 1.
    Commit,
    /// A snapshot of a store's state. Code 2.
    Checkpoint,
    /// A bundle of sealed commit headers. Code 3.
    History,
    /// A user's keyring. Code 4.
    Keyring,
    /// The sealed part of a vault header. Code 5; it has no prelude.
    VaultSecrets,
}

impl Kind {
    /// The stable one-byte code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Commit => 1,
            Self::Checkpoint => 2,
            Self::History => 3,
            Self::Keyring => 4,
            Self::VaultSecrets => 5,
        }
    }

    /// The kind with this code, `None` if format 1 has none.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Commit),
            2 => Some(Self::Checkpoint),
            3 => Some(Self::History),
            4 => Some(Self::Keyring),
            5 => Some(Self::VaultSecrets),
            _ => None,
        }
    }
}

/// Where a sealed thing belongs. What a kind has no use for is zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// What it is.
    pub kind: Kind,
    /// The vault's random id.
    pub vault: [u8; 16],
    /// The user's random id; for a keyring, the keyed hash of the user's name.
    pub user: [u8; 16],
    /// The keyed hash that names the store in the bucket.
    pub store: [u8; 16],
    /// Which life of the user, from 1.
    pub user_life: u64,
    /// Which life of the store, from 1.
    pub store_life: u64,
    /// The position in the log; for a keyring or a header, its generation.
    pub seq: u64,
    /// The section within the object; 0 is the header.
    pub section: u32,
}

impl Context {
    /// The encoding, both HKDF `info` and associated data: a label and then every field, [`FORMAT`] first, each after
    /// its length as u32 big-endian; integers are big-endian. Injective: two contexts that differ encode differently.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        Fields::new("memoseal/v1 object")
            .put(&FORMAT.to_be_bytes())
            .put(&self.vault)
            .put(&self.user)
            .put(&self.store)
            .put(&self.user_life.to_be_bytes())
            .put(&self.store_life.to_be_bytes())
            .put(&[self.kind.code()])
            .put(&self.seq.to_be_bytes())
            .put(&self.section.to_be_bytes())
            .finish()
    }

    /// The same place, another section.
    #[must_use]
    pub fn with_section(&self, section: u32) -> Self {
        Self { section, ..self.clone() }
    }
}
