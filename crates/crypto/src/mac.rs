//! HMAC-SHA-256 (RFC 2104) under our 32-byte keys.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// An HMAC-SHA-256 keyed with 32 bytes. RFC 2104 pads a short key with zeros to the block of 64 bytes; done here, the
/// key's length is known to the compiler and nothing can fail.
pub(crate) fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = Zeroizing::new([0; 64]);
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::new((&*block).into())
}

/// The MAC of `message`.
pub(crate) fn tag(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    keyed(key).chain_update(message).finalize().into_bytes().into()
}

/// Whether `tag` is the MAC of `message`, compared in constant time.
pub(crate) fn verify(key: &[u8; 32], message: &[u8], tag: &[u8; 32]) -> bool {
    keyed(key).chain_update(message).verify_slice(tag).is_ok()
}
