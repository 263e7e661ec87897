//! What can go wrong, as far as a caller would act differently.

use crate::random::RandomError;

/// The error of every fallible function of this crate.
///
/// It is coarse on purpose: a variant exists only where a user would do something else about it. No variant carries
/// key material, a passphrase, plaintext or a user's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No slot of the vault opens with the key or passphrase given, or the slot that a process used is gone.
    #[error("the key or passphrase does not open this vault")]
    WrongKey,

    /// The vault has no slot of the kind that the caller's secret needs, or none with the id asked for.
    #[error("the vault has no such key slot: {wanted}")]
    NoSlot {
        /// The slot type (`passphrase`, `raw`, that of a key service) or the words `with that id`.
        wanted: &'static str,
    },

    /// A rotation would leave slots behind whose secrets were not given, and was not told to drop them.
    #[error("{remaining} key slot(s) cannot be carried over without their secret; give it, or drop those slots")]
    SlotsRemain {
        /// How many slots, of any type.
        remaining: usize,
    },

    /// The object is not a vault header at all: wrong place, or foreign data.
    #[error("this is not a memoseal vault header")]
    NotAVault,

    /// A newer version of memoseal wrote the object; nothing is wrong with it.
    #[error("written in format {found}, newer than this program reads ({supported}); update memoseal")]
    NewerFormat {
        /// The format number that stands in the object.
        found: u64,
        /// The newest format that this crate reads, [`crate::FORMAT`].
        supported: u16,
    },

    /// The object is ours and is not what was written: damaged, tampered with, or put in another's place.
    #[error("damaged or tampered with: {what}")]
    Damaged {
        /// Which check failed, in words.
        what: &'static str,
    },

    /// A size, a count or a key derivation cost lies outside what this crate accepts, or the machine lacks the memory.
    #[error("outside the accepted limits: {what}")]
    LimitsExceeded {
        /// Which limit, in words.
        what: &'static str,
    },

    /// The key or passphrase handed in cannot be used (wrong length, empty).
    #[error("unusable key material: {what}")]
    BadKeyMaterial {
        /// What is wrong with it, in words.
        what: &'static str,
    },

    /// The object is sealed under a vault key of an epoch that the vault at hand does not hold.
    ///
    /// Not yet damage: the header may have been rotated since it was read. Read header and object again first.
    #[error("sealed under vault key epoch {epoch}, which the header at hand does not hold")]
    UnknownEpoch {
        /// The epoch that stands in the object's prelude.
        epoch: u32,
    },

    /// The object is a tombstone: the user was destroyed, and the key with it.
    #[error("life {life} of this user was destroyed")]
    Destroyed {
        /// The life, and with it all before it.
        life: u64,
    },

    /// The source of randomness failed; nothing was sealed.
    #[error(transparent)]
    Randomness(#[from] RandomError),
}

impl Error {
    pub(crate) const fn damaged(what: &'static str) -> Self {
        Self::Damaged { what }
    }

    pub(crate) const fn limits(what: &'static str) -> Self {
        Self::LimitsExceeded { what }
    }

    pub(crate) const fn newer(found: u64) -> Self {
        Self::NewerFormat { found, supported: crate::FORMAT }
    }
}
