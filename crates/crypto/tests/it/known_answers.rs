//! Frozen bytes: whoever changes one of these changes the format.
//!
//! The values for names, contexts and sealing were checked with an independent implementation.

use memoseal_crypto::{NameKey, NewSlot, Unlock, UserKey, create, keyed_name, seal, seal_section, to_hex, unlock};

use crate::support::{Predictable, cheap, place, raw};

#[test]
fn a_context() {
    assert_eq!(
        to_hex(&place().encode()),
        "000000126d656d6f7365616c2f7631206f626a65637400000002000100000010010101010101010101010101010101010000001002020202020202020202020202020202000000100303030303030303030303030303030300000008000000000000000400000008000000000000000500000001010000000800000000000000060000000400000000"
    );
}

#[test]
fn a_sealed_thing() {
    let key = UserKey::from_bytes(std::array::from_fn(|at| at as u8));
    let salt = std::array::from_fn(|at| 0x80 + at as u8);
    let info = place().encode();
    assert_eq!(
        to_hex(&seal(&key, salt, &info, b"likes tea")),
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa6e9c1e9c44cb223b0474f2aba35d8c3e6e081dd7fde05e477a07e58b2352e96594a219f1462f9a3dbf84c09d497520e567742b0f895430a38"
    );
    let info = place().with_section(1).encode();
    assert_eq!(
        to_hex(&seal_section(&key, &salt, &info, b"likes tea")),
        "c16917851fb123ac2392fe3bee38ea47246d43555074786198"
    );
}

#[test]
fn a_keyed_name() {
    let key = NameKey::from_bytes(std::array::from_fn(|at| at as u8));
    assert_eq!(to_hex(&keyed_name(&key, "user", &[b"ada", b""])), "93bc824c085871b2e6a625d73b0dbc9d");
}

#[test]
fn a_header() {
    let slots = [NewSlot::Passphrase { passphrase: b"correct horse", params: cheap() }, NewSlot::Raw(&raw(7))];
    let (header, made) = create(&slots, &Predictable::new(1)).unwrap();
    let frozen = include_bytes!("header.v1");
    assert_eq!(std::str::from_utf8(&header).unwrap(), std::str::from_utf8(frozen).unwrap());
    for with in [Unlock::Passphrase(b"correct horse"), Unlock::Raw(&raw(7))] {
        let opened = unlock(frozen, 1, &with).unwrap();
        assert!(opened.name_key().ct_eq(made.name_key()));
    }
}
