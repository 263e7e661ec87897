//! Addresses of Bitcoin, by their checksum.

use sha2::{Digest, Sha256};

/// Whether a word is an address: Base58Check (version, 20 bytes, 4 bytes of a double SHA-256), or Bech32 (BIP 173, 350).
pub(super) fn is_address(word: &[u8]) -> bool {
    match word.first() {
        Some(b'1' | b'3') if (26..=35).contains(&word.len()) => is_base58(word),
        Some(b'b' | b'B') if (42..=62).contains(&word.len()) => is_bech32(word),
        _ => false,
    }
}

fn is_base58(word: &[u8]) -> bool {
    const SIGNS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0_u8; 25];
    for sign in word {
        let Some(digit) = SIGNS.iter().position(|known| known == sign) else { return false };
        let mut carry = digit as u32;
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return false;
        }
    }
    let hash = Sha256::digest(Sha256::digest(&bytes[..21]));
    hash[..4] == bytes[21..]
}

fn is_bech32(word: &[u8]) -> bool {
    const SIGNS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let lower = word.to_ascii_lowercase();
    let Some(data) = lower.strip_prefix(b"bc1") else { return false };
    let step = |sum: u32, value: u32| {
        const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
        let top = sum >> 25;
        let sum = (sum & 0x01ff_ffff) << 5 ^ value;
        GENERATOR.iter().enumerate().fold(sum, |sum, (i, part)| if top >> i & 1 == 1 { sum ^ part } else { sum })
    };
    // The human-readable part, `bc`, expanded.
    let mut sum = [3, 3, 0, 2, 3].into_iter().fold(1, step);
    for sign in data {
        let Some(value) = SIGNS.iter().position(|known| known == sign) else { return false };
        sum = step(sum, value as u32);
    }
    sum == 1 || sum == 0x2bc8_30a3
}
