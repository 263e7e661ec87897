//! The construction: what was changed does not open.

use memoseal_crypto::{
    COMMITMENT_LEN, Error, OVERHEAD, SALT_LEN, TAG_LEN, UserKey, VaultKey, open, open_section, seal, seal_section,
};

use crate::support::place;

fn key() -> UserKey {
    UserKey::from_bytes([1; 32])
}

fn what(error: &Error) -> &'static str {
    match error {
        Error::Damaged { what } => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn round_trips_at_every_small_length() {
    let info = place().encode();
    for len in 0..200 {
        let plaintext = vec![0xa5; len];
        let sealed = seal(&key(), [2; 32], &info, &plaintext);
        assert_eq!(sealed.len(), len + OVERHEAD);
        assert_eq!(*open(&key(), &info, &sealed).unwrap(), plaintext);
        let section = seal_section(&key(), &[2; 32], &info, &plaintext);
        assert_eq!(section.len(), len + TAG_LEN);
        assert_eq!(*open_section(&key(), &[2; 32], &info, &section).unwrap(), plaintext);
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let info = place().encode();
    let sealed = seal(&key(), [2; 32], &info, b"likes tea");
    let section = seal_section(&key(), &[2; 32], &info, b"likes tea");
    for bit in 0..8 {
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1 << bit;
            assert!(open(&key(), &info, &changed).is_err(), "byte {at}, bit {bit}");
        }
        for at in 0..section.len() {
            let mut changed = section.clone();
            changed[at] ^= 1 << bit;
            assert!(open_section(&key(), &[2; 32], &info, &changed).is_err(), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn every_truncation_and_any_extension_is_found() {
    let info = place().encode();
    let mut sealed = seal(&key(), [2; 32], &info, b"likes tea");
    for len in 0..sealed.len() {
        assert!(open(&key(), &info, &sealed[..len]).is_err(), "{len}");
    }
    let section = seal_section(&key(), &[2; 32], &info, b"likes tea");
    for len in 0..section.len() {
        assert!(open_section(&key(), &[2; 32], &info, &section[..len]).is_err(), "{len}");
    }
    sealed.push(0);
    assert!(open(&key(), &info, &sealed).is_err());
}

#[test]
fn a_wrong_key_does_not_open() {
    let info = place().encode();
    let sealed = seal(&key(), [2; 32], &info, b"likes tea");
    assert!(open(&VaultKey::from_bytes([9; 32]), &info, &sealed).is_err());
    let section = seal_section(&key(), &[2; 32], &info, b"likes tea");
    assert!(open_section(&UserKey::from_bytes([9; 32]), &[2; 32], &info, &section).is_err());
    assert!(open_section(&key(), &[9; 32], &info, &section).is_err());
}

#[test]
fn a_commitment_mismatch_is_caught_before_decryption() {
    let info = place().encode();
    let sealed = seal(&key(), [2; 32], &info, b"likes tea");

    // The ciphertext and its tag are good: only the commitment can refuse this.
    let mut uncommitted = sealed.clone();
    uncommitted[SALT_LEN] ^= 1;
    assert!(what(&open(&key(), &info, &uncommitted).unwrap_err()).contains("commitment"));

    // Both are bad, and there is nothing left to decrypt: still the commitment that refuses.
    let mut both = uncommitted.clone();
    both.truncate(SALT_LEN + COMMITMENT_LEN);
    assert!(what(&open(&key(), &info, &both).unwrap_err()).contains("commitment"));

    let mut forged = sealed;
    *forged.last_mut().unwrap() ^= 1;
    assert!(what(&open(&key(), &info, &forged).unwrap_err()).contains("tag"));
}

#[test]
fn salt_and_section_each_change_everything() {
    let info = place().encode();
    let one = seal(&key(), [2; 32], &info, &[0; 64]);
    let other_salt = seal(&key(), [3; 32], &info, &[0; 64]);
    assert_ne!(one[SALT_LEN..][..COMMITMENT_LEN], other_salt[SALT_LEN..][..COMMITMENT_LEN]);
    assert_ne!(one[SALT_LEN + COMMITMENT_LEN..], other_salt[SALT_LEN + COMMITMENT_LEN..]);
    let first = seal_section(&key(), &[2; 32], &place().with_section(1).encode(), &[0; 64]);
    let second = seal_section(&key(), &[2; 32], &place().with_section(2).encode(), &[0; 64]);
    assert_ne!(first, second);
}
