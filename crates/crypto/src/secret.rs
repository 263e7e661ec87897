//! Key types: one for each use, so that they cannot be mixed up.
//!
//! All are 32 bytes, are overwritten when dropped, cannot be cloned or displayed, and show nothing of themselves in
//! `Debug`. Overwriting is best effort: a move of a value may leave a copy on the stack that nothing can reach.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::{Error, Random};

/// Length of every key, in bytes.
pub const KEY_LEN: usize = 32;

mod private {
    pub trait Sealed {}
    impl Sealed for [u8; 32] {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

/// What [`crate::seal()`] and its relatives accept as a key: a [`VaultKey`], a [`UserKey`], or 32 plain bytes.
///
/// A [`NameKey`] is not among them: it only ever names things. The trait is sealed.
pub trait AsKey: private::Sealed {
    /// The 32 bytes of the key.
    fn as_key(&self) -> &[u8; KEY_LEN];
}

impl AsKey for [u8; KEY_LEN] {
    fn as_key(&self) -> &[u8; KEY_LEN] {
        self
    }
}

impl<T: AsKey + ?Sized> AsKey for &T {
    fn as_key(&self) -> &[u8; KEY_LEN] {
        (*self).as_key()
    }
}

macro_rules! key_type {
    ($(#[$doc:meta])* $vis:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Zeroize, ZeroizeOnDrop)]
        $vis struct $name([u8; KEY_LEN]);

        #[allow(dead_code, reason = "not every key type needs every method inside the crate")]
        impl $name {
            /// Takes over 32 bytes as a key. The caller overwrites its own copy.
            #[must_use]
            $vis const fn from_bytes(bytes: [u8; KEY_LEN]) -> Self {
                Self(bytes)
            }

            /// Copies a key from a slice, such as the contents of a key file.
            ///
            /// # Errors
            ///
            /// [`Error::BadKeyMaterial`] unless the slice is exactly 32 bytes long.
            $vis fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
                let mut key = Self([0; KEY_LEN]);
                if bytes.len() != KEY_LEN {
                    return Err(Error::BadKeyMaterial { what: "a key is exactly 32 bytes long" });
                }
                key.0.copy_from_slice(bytes);
                Ok(key)
            }

            /// A fresh random key.
            ///
            /// # Errors
            ///
            /// [`Error::Randomness`] if the source fails.
            $vis fn generate(random: &dyn Random) -> Result<Self, Error> {
                let mut key = Self([0; KEY_LEN]);
                random.fill(&mut key.0)?;
                Ok(key)
            }

            /// The bytes of the key. Only to wrap it or to hand it to a primitive: never to print, log or store it.
            #[must_use]
            $vis const fn expose(&self) -> &[u8; KEY_LEN] {
                &self.0
            }

            /// Whether two keys are the same, in time that does not depend on where they differ.
            #[must_use]
            $vis fn ct_eq(&self, other: &Self) -> bool {
                self.0.ct_eq(&other.0).into()
            }

            /// A second copy, for the one place that needs it: the next generation of a header. Not `Clone`, so that
            /// no derive or generic code copies a key unseen.
            pub(crate) const fn duplicate(&self) -> Self {
                Self(self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}

key_type! {
    /// A vault's key, of one epoch. It seals keyrings and the secrets in the vault header; slots wrap it.
    pub VaultKey
}
key_type! {
    /// The key under which users, stores and paths are named in the bucket. It never changes in a vault's life.
    pub NameKey
}
key_type! {
    /// A user's key. It seals everything in that user's stores and stands in the user's keyring only.
    pub UserKey
}
key_type! {
    /// A key that opens a vault directly, from a file or a secret manager: the secret of a `raw` slot.
    pub RawKey
}
key_type! {
    /// What a slot wraps the vault key with: a raw key, or what Argon2id made of a passphrase.
    pub(crate) SlotKey
}

macro_rules! sealing_key {
    ($($name:ident),*) => {$(
        impl private::Sealed for $name {}
        impl AsKey for $name {
            fn as_key(&self) -> &[u8; KEY_LEN] {
                &self.0
            }
        }
    )*};
}
sealing_key!(VaultKey, UserKey, SlotKey);
