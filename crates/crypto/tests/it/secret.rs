//! Key types show nothing, and neither do the errors.

use memoseal_crypto::{
    Error, Keyring, NameKey, NewSlot, RawKey, Unlock, UserKey, VaultKey, create, keyed_name, random_array, unlock,
};

use crate::support::{Dry, Predictable, cheap, raw, raw_vault};

#[test]
fn debug_output_holds_no_key_bytes() {
    let bytes = [0xab; 32];
    assert_eq!(format!("{:?}", VaultKey::from_bytes(bytes)), "VaultKey(..)");
    assert_eq!(format!("{:#?}", NameKey::from_bytes(bytes)), "NameKey(..)");
    assert_eq!(format!("{:?}", UserKey::from_bytes(bytes)), "UserKey(..)");
    let key = RawKey::from_bytes(bytes);
    assert_eq!(format!("{key:?}"), "RawKey(..)");
    assert_eq!(format!("{:?}", Unlock::Raw(&key)), "Raw(..)");
    assert_eq!(format!("{:?}", Unlock::Passphrase(b"hunter2")), "Passphrase(..)");
    assert_eq!(format!("{:?}", NewSlot::Raw(&key)), "Raw(..)");
    let new = NewSlot::Passphrase { passphrase: b"hunter2", params: cheap() };
    assert_eq!(format!("{new:?}"), "Passphrase { .. }");
    assert_eq!(format!("{:?}", raw_vault(1).1), "OpenVault(..)");
    let keyring = Keyring::generate("ada", 1, &Predictable::new(1)).unwrap();
    assert_eq!(format!("{keyring:?}"), "Keyring(..)");
}

#[test]
fn keys_compare_and_come_from_slices_of_the_right_length_only() {
    assert!(raw(1).ct_eq(&raw(1)));
    assert!(!raw(1).ct_eq(&raw(2)));
    assert!(RawKey::from_slice(&[1; 32]).unwrap().ct_eq(&raw(1)));
    for len in [0, 31, 33, 64] {
        assert!(matches!(RawKey::from_slice(&vec![1; len]), Err(Error::BadKeyMaterial { .. })), "{len}");
    }
}

#[test]
fn a_dry_source_of_randomness_is_an_error_everywhere() {
    let dry = |error: Error| matches!(error, Error::Randomness(_));
    assert!(dry(VaultKey::generate(&Dry).unwrap_err()));
    assert!(dry(random_array::<16>(&Dry).unwrap_err()));
    assert!(dry(create(&[NewSlot::Raw(&raw(7))], &Dry).unwrap_err()));
    assert!(dry(Keyring::generate("ada", 1, &Dry).unwrap_err()));
    let (_, vault) = raw_vault(1);
    let keyring = Keyring::generate("ada", 1, &Predictable::new(1)).unwrap();
    assert!(dry(keyring.seal(&vault, [1; 16], 1, &Dry).unwrap_err()));
    assert!(dry(vault.add_slot(&NewSlot::Raw(&raw(8)), &Dry).unwrap_err()));
    assert!(dry(vault.rotate(&[Unlock::Raw(&raw(7))], false, &Dry).unwrap_err()));
}

#[test]
fn an_empty_passphrase_is_refused() {
    let new = NewSlot::Passphrase { passphrase: b"", params: cheap() };
    assert!(matches!(create(&[new], &Predictable::new(1)), Err(Error::BadKeyMaterial { .. })));
    let new = NewSlot::Passphrase { passphrase: b"x", params: cheap() };
    let (header, _) = create(&[new], &Predictable::new(1)).unwrap();
    assert!(matches!(unlock(&header, 1, &Unlock::Passphrase(b"")), Err(Error::BadKeyMaterial { .. })));
}

#[test]
fn names_depend_on_key_label_and_where_parts_are_split() {
    let key = NameKey::from_bytes([1; 32]);
    let mut names = vec![
        keyed_name(&key, "user", &[b"ada"]),
        keyed_name(&key, "store", &[b"ada"]),
        keyed_name(&key, "user", &[b"ad", b"a"]),
        keyed_name(&key, "user", &[b"ada", b""]),
        keyed_name(&key, "user", &[]),
        keyed_name(&key, "usera", &[b"da"]),
        keyed_name(&NameKey::from_bytes([2; 32]), "user", &[b"ada"]),
    ];
    assert_eq!(names[0], keyed_name(&key, "user", &[b"ada"]));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 7);
}
