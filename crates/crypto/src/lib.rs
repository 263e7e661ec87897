//! Sealing for memoseal: vault headers, key slots, per-object keys, padding and names. No I/O, no clock, and no
//! randomness of its own.
//!
//! A vault has one header object, whose slots wrap the **vault key** for each passphrase, raw key or key of a key service that may open it. The
//! vault key seals each user's keyring, which holds that user's **user key**, which seals everything the user stores.
//! The **name key** turns ids and paths into keyed hashes. Everything sealed is bound to what it is and where it
//! belongs (its [`Context`]) and commits to its key.
//!
//! # Example
//!
//! ```
//! use memoseal_crypto::{
//!     CONTENT_FLOOR, Context, Error, Keyring, Kind, NewSlot, RawKey, Random, RandomError, Unlock, create, keyed_name,
//!     open, pad, random_array, seal, unlock, unpad,
//! };
//!
//! struct Os;
//! impl Random for Os {
//!     fn fill(&self, dest: &mut [u8]) -> Result<(), RandomError> {
//!         // In a program: getrandom::fill(dest).map_err(|_| RandomError)
//! #       use std::sync::atomic::{AtomicU8, Ordering};
//! #       static NEXT: AtomicU8 = AtomicU8::new(1);
//! #       dest.iter_mut().for_each(|byte| *byte = NEXT.fetch_add(1, Ordering::Relaxed));
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! // A vault that a key file opens. The header goes into the bucket as generation 1.
//! let secret = RawKey::generate(&Os)?;
//! let (header, _) = create(&[NewSlot::Raw(&secret)], &Os)?;
//! let vault = unlock(&header, 1, &Unlock::Raw(&secret))?;
//!
//! // A user: a keyed hash as name in the bucket, and a keyring sealed under the vault key.
//! let hash = keyed_name(vault.name_key(), "user", &[b"ada"]);
//! let object = Keyring::generate("ada", 1, &Os)?.seal(&vault, hash, 1, &Os)?;
//! let keyring = Keyring::open(&object, &vault, hash, 1)?;
//!
//! // Something of that user's, sealed for one place.
//! let place = Context {
//!     kind: Kind::Commit, vault: vault.id(), user: keyring.id(), store: [0; 16],
//!     user_life: keyring.life(), store_life: 1, seq: 1, section: 0,
//! };
//! let sealed = seal(keyring.key(), random_array(&Os)?, &place.encode(), &pad(b"likes tea", CONTENT_FLOOR));
//! assert_eq!(unpad(&open(keyring.key(), &place.encode(), &sealed)?)?, b"likes tea");
//!
//! // It opens nowhere else.
//! assert!(open(keyring.key(), &Context { seq: 2, ..place }.encode(), &sealed).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | [`vault`] | [`create`], [`unlock`] and [`OpenVault`] |
//! | `generation` | the next generation of a header: slots added and removed, rotation |
//! | `secrets` | the sealed part of a header |
//! | [`header`] | the header's text, bounds and MAC |
//! | [`slot`] | the wrapped vault key, for a passphrase, a raw key or a key service |
//! | [`service`] | what a slot of a key service holds; asks none |
//! | [`kdf`] | Argon2id within bounds (RFC 9106) |
//! | [`keyring`] | [`Keyring`]: a user's key, sealed under the vault key; the tombstone in its place |
//! | [`prelude`] | the first, clear bytes of an object |
//! | [`mod@seal`] | the construction: HKDF-SHA-256, commitment, XChaCha20-Poly1305 |
//! | [`context`] | what a sealed thing is and where it belongs |
//! | [`padding`] | Padmé |
//! | [`name`] | keyed hashes as names |
//! | [`secret`] | the key types |
//! | [`random`] | [`Random`], the only source of randomness |
//! | `encode`, `mac` | length-prefixed fields, hex, base64, secret JSON; HMAC-SHA-256 |
//! | [`error`] | [`Error`] |
//!
//! # What it does not do
//!
//! It does not decide which generation is acceptable, and knows no stubs: whoever reads the bucket does.
//! Secrets are overwritten in memory that this crate allocates; copies that the compiler or the primitives leave on the
//! stack are out of its reach.

#![forbid(unsafe_code)]

pub mod context;
mod encode;
pub mod error;
mod generation;
pub mod header;
pub mod kdf;
pub mod keyring;
mod mac;
pub mod name;
pub mod padding;
pub mod prelude;
pub mod random;
pub mod seal;
pub mod secret;
mod secrets;
pub mod service;
pub mod slot;
pub mod vault;

pub use context::{Context, Kind};
pub use encode::{from_hex, to_hex};
pub use error::Error;
pub use header::{MAX_HEADER_LEN, MAX_SLOTS, vault_id};
pub use kdf::{Argon2Params, KDF_SALT_LEN, MAX_KDF_WORK};
pub use keyring::{Keyring, MAX_KEYRING_LEN, TOMBSTONE_LEN, seal_tombstone};
pub use name::{NAME_LEN, keyed_name};
pub use padding::{CONTENT_FLOOR, META_FLOOR, pad, padme, unpad};
pub use prelude::{MAGIC, PRELUDE_LEN, Prelude, PreludeError};
pub use random::{Random, RandomError, random_array};
pub use seal::{COMMITMENT_LEN, OVERHEAD, SALT_LEN, TAG_LEN, open, open_section, seal, seal_section};
pub use secret::{AsKey, KEY_LEN, NameKey, RawKey, UserKey, VaultKey};
pub use service::{ServiceKind, Wrapped, service_context, wrapped_in};
pub use slot::{NewSlot, SlotInfo, Unlock};
pub use vault::{OpenVault, create, create_as, unlock};

/// The format that this crate writes, and the newest that it reads.
pub const FORMAT: u16 = 1;
