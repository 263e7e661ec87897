//! The construction: one derived key, nonce and commitment for each sealed thing.
//!
//! `HKDF-SHA-256(key, salt = 32 random bytes, info)` (RFC 5869) gives key(32) ‖ nonce(24) ‖ commitment(32). The rest is
//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with `info` as associated data. The commitment makes a ciphertext
//! open under one key and one context only, which the AEAD by itself does not promise; it is compared in constant time
//! before anything is decrypted (after C2SP chunked-encryption). One suite, no negotiation.
//!
//! Key and nonce depend on nothing but key, salt and info: **a salt must be fresh for every plaintext**, except that
//! the sections of one object share its salt, since each has its own info.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{Key, Tag, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{AsKey, Error};

/// Length of the salt, in bytes.
pub const SALT_LEN: usize = 32;
/// Length of the key commitment, in bytes.
pub const COMMITMENT_LEN: usize = 32;
/// Length of the Poly1305 tag, in bytes.
pub const TAG_LEN: usize = 16;
/// What [`seal`] adds to a plaintext, in bytes: salt, commitment and tag.
pub const OVERHEAD: usize = SALT_LEN + COMMITMENT_LEN + TAG_LEN;

const MISMATCH: &str = "the key commitment does not match (another key, place or salt)";
const FORGED: &str = "the ciphertext does not match its tag";
const SHORT: &str = "sealed data is cut short";

/// Seals `plaintext` in one self-contained piece: salt ‖ commitment ‖ ciphertext ‖ tag, [`OVERHEAD`] bytes longer.
///
/// `salt` is 32 fresh random bytes, never used for another plaintext under the same key and `info`. The plaintext must
/// be shorter than 256 GiB.
#[must_use]
pub fn seal<K: AsKey + ?Sized>(key: &K, salt: [u8; SALT_LEN], info: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let derived = Derived::new(key.as_key(), &salt, info);
    let mut sealed = Vec::with_capacity(plaintext.len().saturating_add(OVERHEAD));
    sealed.extend_from_slice(&salt);
    sealed.extend_from_slice(&derived.commitment);
    derived.encrypt_onto(&mut sealed, info, plaintext);
    sealed
}

/// Opens what [`seal`] made.
///
/// # Errors
///
/// [`Error::Damaged`] if the data is cut short, the commitment does not match (wrong key, wrong `info`, changed salt or
/// commitment; nothing has been decrypted), or the ciphertext or its tag was changed. A caller that tries keys treats
/// it as "not this key".
pub fn open<K: AsKey + ?Sized>(key: &K, info: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let (salt, rest) = sealed.split_first_chunk::<SALT_LEN>().ok_or(Error::damaged(SHORT))?;
    let (commitment, ciphertext) = rest.split_first_chunk::<COMMITMENT_LEN>().ok_or(Error::damaged(SHORT))?;
    let derived = Derived::new(key.as_key(), salt, info);
    if !bool::from(derived.commitment.ct_eq(commitment)) {
        return Err(Error::damaged(MISMATCH));
    }
    derived.decrypt(info, ciphertext)
}

/// Seals one section of an object: ciphertext ‖ tag, [`TAG_LEN`] bytes longer.
///
/// `salt` is that of the object's header, and `info` is this section's own (see [`crate::Context::with_section`]). There is
/// no commitment: use it only where a sealed header, which has one, holds the hash of the bytes returned.
#[must_use]
pub fn seal_section<K: AsKey + ?Sized>(key: &K, salt: &[u8; SALT_LEN], info: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(plaintext.len().saturating_add(TAG_LEN));
    Derived::new(key.as_key(), salt, info).encrypt_onto(&mut sealed, info, plaintext);
    sealed
}

/// Opens what [`seal_section`] made. The caller has compared the hash of `bytes` with the one in the sealed header, or
/// compares that of the plaintext.
///
/// # Errors
///
/// [`Error::Damaged`] if the bytes are cut short or do not open under this key, salt and `info`.
pub fn open_section<K: AsKey + ?Sized>(
    key: &K,
    salt: &[u8; SALT_LEN],
    info: &[u8],
    bytes: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    Derived::new(key.as_key(), salt, info).decrypt(info, bytes)
}

const NONCE_LEN: usize = 24;
const DERIVED_LEN: usize = 32 + NONCE_LEN + COMMITMENT_LEN;

/// HKDF-SHA-256 into `N` bytes, `N` at most 8,160. Without a salt, RFC 5869 §2.2 takes 32 zero bytes.
pub(crate) fn derive<const N: usize>(key: &[u8; 32], salt: Option<&[u8]>, info: &[u8]) -> Zeroizing<[u8; N]> {
    const { assert!(N <= 255 * 32) };
    let mut okm = Zeroizing::new([0; N]);
    #[allow(
        clippy::expect_used,
        reason = "fails only above 255 * 32 bytes (RFC 5869 §2.3), ruled out at compile time"
    )]
    Hkdf::<Sha256>::new(salt, key).expand(info, okm.as_mut_slice()).expect("length checked at compile time");
    okm
}

struct Derived {
    key: Zeroizing<[u8; 32]>,
    nonce: [u8; NONCE_LEN],
    commitment: [u8; COMMITMENT_LEN],
}

impl Derived {
    fn new(key: &[u8; 32], salt: &[u8; SALT_LEN], info: &[u8]) -> Self {
        let okm = derive::<DERIVED_LEN>(key, Some(salt), info);
        // The lengths add up to that of the array, so none of these can panic.
        let (for_key, rest) = okm.split_at(32);
        let (for_nonce, for_commitment) = rest.split_at(NONCE_LEN);
        let mut derived = Self { key: Zeroizing::new([0; 32]), nonce: [0; NONCE_LEN], commitment: [0; COMMITMENT_LEN] };
        derived.key.copy_from_slice(for_key);
        derived.nonce.copy_from_slice(for_nonce);
        derived.commitment.copy_from_slice(for_commitment);
        derived
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(<&Key>::from(&*self.key))
    }

    fn encrypt_onto(&self, out: &mut Vec<u8>, info: &[u8], plaintext: &[u8]) {
        let start = out.len();
        out.extend_from_slice(plaintext);
        let message = out.get_mut(start..).unwrap_or_default();
        #[allow(clippy::expect_used, reason = "fails only above 256 GiB, documented as the limit of every caller")]
        let tag = self
            .cipher()
            .encrypt_inout_detached(<&XNonce>::from(&self.nonce), info, message.into())
            .expect("a plaintext below 256 GiB");
        out.extend_from_slice(&tag);
    }

    fn decrypt(&self, info: &[u8], ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let (message, tag) = ciphertext.split_last_chunk::<TAG_LEN>().ok_or(Error::damaged(SHORT))?;
        let mut plaintext = Zeroizing::new(message.to_vec());
        self.cipher()
            .decrypt_inout_detached(
                <&XNonce>::from(&self.nonce),
                info,
                plaintext.as_mut_slice().into(),
                <&Tag>::from(tag),
            )
            .map_err(|_| Error::damaged(FORGED))?;
        Ok(plaintext)
    }
}
