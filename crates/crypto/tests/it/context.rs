//! Contexts: injective, and bound to what they seal.

use memoseal_crypto::{Context, Kind, UserKey, open, open_section, seal, seal_section};

use crate::support::place;

/// One context for each field, changed alone.
fn neighbours() -> Vec<(&'static str, Context)> {
    let here = place();
    vec![
        ("kind", Context { kind: Kind::Checkpoint, ..here.clone() }),
        ("vault", Context { vault: [9; 16], ..here.clone() }),
        ("user", Context { user: [9; 16], ..here.clone() }),
        ("store", Context { store: [9; 16], ..here.clone() }),
        ("user life", Context { user_life: 9, ..here.clone() }),
        ("store life", Context { store_life: 9, ..here.clone() }),
        ("lives swapped", Context { user_life: 5, store_life: 4, ..here.clone() }),
        ("seq", Context { seq: 9, ..here.clone() }),
        ("section", here.with_section(9)),
    ]
}

#[test]
fn a_sealed_thing_opens_in_its_own_place_only() {
    let key = UserKey::from_bytes([1; 32]);
    let info = place().encode();
    let sealed = seal(&key, [2; 32], &info, b"likes tea");
    let section = seal_section(&key, &[2; 32], &info, b"likes tea");
    assert_eq!(*open(&key, &info, &sealed).unwrap(), b"likes tea");
    assert_eq!(*open_section(&key, &[2; 32], &info, &section).unwrap(), b"likes tea");
    for (field, other) in neighbours() {
        assert!(open(&key, &other.encode(), &sealed).is_err(), "{field}");
        assert!(open_section(&key, &[2; 32], &other.encode(), &section).is_err(), "{field}");
    }
}

#[test]
fn encodings_differ_pairwise() {
    let mut all = vec![place().encode()];
    all.extend(neighbours().iter().map(|(_, context)| context.encode()));
    for kind in [Kind::History, Kind::Keyring, Kind::VaultSecrets] {
        all.push(Context { kind, ..place() }.encode());
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn kind_codes_are_stable() {
    let kinds = [Kind::Commit, Kind::Checkpoint, Kind::History, Kind::Keyring, Kind::VaultSecrets];
    assert_eq!(kinds.map(Kind::code), [1, 2, 3, 4, 5]);
    for code in 0..=u8::MAX {
        assert_eq!(Kind::from_code(code).map(Kind::code), (1..=5).contains(&code).then_some(code));
    }
}
