//! Padding, so that a ciphertext's length says little about the plaintext's.
//!
//! Padmé, from "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (Nikitin et al., 2019, §4):
//! a length may use only as many of its leading bits as its exponent needs to be written, which leaks O(log log n) bits
//! for at most 12 % more bytes.

use crate::Error;

/// The smallest padded length of a memory's content, in bytes.
pub const CONTENT_FLOOR: usize = 256;
/// The smallest padded length of a change's metadata, in bytes.
pub const META_FLOOR: usize = 64;

const MARK: u8 = 0x80;

/// The smallest length allowed by Padmé that is at least `len`.
#[must_use]
pub const fn padme(len: usize) -> usize {
    if len < 2 {
        return len;
    }
    let exponent = len.ilog2();
    let kept = exponent.ilog2() + 1;
    let mask = (1_usize << (exponent - kept)) - 1;
    // A slice is at most isize::MAX long, so the sum of any slice's length and the mask fits.
    len.saturating_add(mask) & !mask
}

/// Appends a 0x80 byte and then zeros, up to the larger of `floor` and [`padme`] of the length with the mark.
///
/// The result is an exact allocation. Wrap it in `Zeroizing` if the plaintext holds keys.
#[must_use]
pub fn pad(plaintext: &[u8], floor: usize) -> Vec<u8> {
    let target = padme(plaintext.len().saturating_add(1)).max(floor);
    let mut padded = Vec::with_capacity(target);
    padded.extend_from_slice(plaintext);
    padded.push(MARK);
    padded.resize(target, 0);
    padded
}

/// The plaintext in what [`pad`] made, whatever the floor was.
///
/// # Errors
///
/// [`Error::Damaged`] if there is no mark before the trailing zeros: this is not padded data.
pub fn unpad(padded: &[u8]) -> Result<&[u8], Error> {
    let marked = padded.iter().rposition(|byte| *byte != 0).and_then(|end| padded.get(..=end));
    match marked.and_then(<[u8]>::split_last) {
        Some((&MARK, plaintext)) => Ok(plaintext),
        _ => Err(Error::damaged("padding")),
    }
}
