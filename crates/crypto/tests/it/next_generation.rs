//! Slots added and removed, rotation, and what survives them.

use memoseal_crypto::{Error, NewSlot, Unlock, create, unlock};
use serde_json::json;

use crate::support::{Predictable, cheap, raw, raw_vault, sign_value, text_of};

#[test]
fn a_slot_added_opens_the_next_generation() {
    let random = Predictable::new(1);
    let (first, vault) = create(&[NewSlot::Raw(&raw(7))], &random).unwrap();
    let new = NewSlot::Passphrase { passphrase: b"added", params: cheap() };
    let (second, next) = vault.add_slot(&new, &random).unwrap();
    assert_eq!((next.generation(), next.epoch(), next.slots().count()), (2, 1, 2));
    for with in [Unlock::Raw(&raw(7)), Unlock::Passphrase(b"added")] {
        let opened = unlock(&second, 2, &with).unwrap();
        assert!(opened.vault_key().ct_eq(vault.vault_key()) && opened.name_key().ct_eq(vault.name_key()));
    }
    assert_eq!(unlock(&first, 1, &Unlock::Passphrase(b"added")).unwrap_err(), Error::NoSlot { wanted: "passphrase" });
}

#[test]
fn a_slot_removed_no_longer_opens_and_the_last_one_stays() {
    let random = Predictable::new(1);
    let (_, vault) = create(&[NewSlot::Raw(&raw(7)), NewSlot::Raw(&raw(8))], &random).unwrap();
    let second = vault.slots().nth(1).unwrap().id.to_owned();
    let (bytes, next) = vault.remove_slot(&second, &random).unwrap();
    assert!(unlock(&bytes, 2, &Unlock::Raw(&raw(7))).is_ok());
    assert_eq!(unlock(&bytes, 2, &Unlock::Raw(&raw(8))).unwrap_err(), Error::WrongKey);
    assert_eq!(next.remove_slot(&second, &random).unwrap_err(), Error::NoSlot { wanted: "with that id" });
    let last = next.own_slot().to_owned();
    assert!(matches!(next.remove_slot(&last, &random), Err(Error::LimitsExceeded { .. })));
}

#[test]
fn rotation_keeps_ids_names_and_earlier_keys() {
    let random = Predictable::new(1);
    let slots = [NewSlot::Raw(&raw(7)), NewSlot::Passphrase { passphrase: b"kept", params: cheap() }];
    let (_, vault) = create(&slots, &random).unwrap();
    let key = raw(7);
    let secrets = [Unlock::Passphrase(b"kept"), Unlock::Raw(&key)];
    let (_, second) = vault.rotate(&secrets, false, &random).unwrap();
    let (bytes, third) = second.rotate(&secrets, false, &random).unwrap();
    assert_eq!((third.generation(), third.epoch()), (3, 3));
    assert!(third.slots().eq(vault.slots()));
    for with in &secrets {
        let opened = unlock(&bytes, 3, with).unwrap();
        assert!(opened.name_key().ct_eq(vault.name_key()));
        assert!(opened.key_of_epoch(1).unwrap().ct_eq(vault.vault_key()));
        assert!(opened.key_of_epoch(2).unwrap().ct_eq(second.vault_key()));
        assert!(opened.key_of_epoch(3).unwrap().ct_eq(third.vault_key()));
        assert!(opened.key_of_epoch(4).is_none());
        assert!(!opened.vault_key().ct_eq(second.vault_key()) && !second.vault_key().ct_eq(vault.vault_key()));
    }
}

#[test]
fn rotation_drops_slots_without_a_secret_only_when_told_to() {
    let random = Predictable::new(1);
    let (_, vault) = create(&[NewSlot::Raw(&raw(7)), NewSlot::Raw(&raw(8))], &random).unwrap();
    let key = raw(8);
    let refused = vault.rotate(&[Unlock::Raw(&key)], false, &random).unwrap_err();
    assert_eq!(refused, Error::SlotsRemain { remaining: 1 });
    let (bytes, next) = vault.rotate(&[Unlock::Raw(&key)], true, &random).unwrap();
    assert_eq!(next.slots().count(), 1);
    assert!(unlock(&bytes, 2, &Unlock::Raw(&key)).is_ok());
    assert_eq!(unlock(&bytes, 2, &Unlock::Raw(&raw(7))).unwrap_err(), Error::WrongKey);
    assert_eq!(vault.rotate(&[Unlock::Raw(&raw(9))], true, &random).unwrap_err(), Error::WrongKey);
}

#[test]
fn a_process_opens_the_next_generation_with_its_own_slot() {
    let random = Predictable::new(1);
    let slots = [NewSlot::Passphrase { passphrase: b"mine", params: cheap() }, NewSlot::Raw(&raw(8))];
    let (first, made) = create(&slots, &random).unwrap();
    let mine = unlock(&first, 1, &Unlock::Passphrase(b"mine")).unwrap();
    let key = raw(8);
    let (second, _) = made.rotate(&[Unlock::Passphrase(b"mine"), Unlock::Raw(&key)], false, &random).unwrap();
    let warm = mine.reopen(&second, 2).unwrap();
    assert_eq!((warm.generation(), warm.epoch(), warm.own_slot()), (2, 2, mine.own_slot()));
    // Its slot gone: the key error. Another vault's header, or another generation's name: damage.
    let (third, _) = warm.remove_slot(warm.own_slot(), &random).unwrap();
    assert_eq!(warm.reopen(&third, 3).unwrap_err(), Error::WrongKey);
    assert!(matches!(warm.reopen(&second, 3), Err(Error::Damaged { .. })));
    let (elsewhere, _) = raw_vault(9);
    assert!(matches!(warm.reopen(&elsewhere, 1), Err(Error::Damaged { .. })));
    let mut tampered = second.clone();
    let last = tampered.len() - 2;
    tampered[last] = if tampered[last] == b'0' { b'1' } else { b'0' };
    assert!(matches!(warm.reopen(&tampered, 2), Err(Error::Damaged { .. })));
}

#[test]
fn an_old_slot_in_a_rotated_header_is_damage() {
    let random = Predictable::new(1);
    let key = raw(7);
    let (first, vault) = create(&[NewSlot::Raw(&key)], &random).unwrap();
    let (second, _) = vault.rotate(&[Unlock::Raw(&key)], false, &random).unwrap();
    let mut text = text_of(&second);
    text["slots"] = text_of(&first)["slots"].clone();
    let spliced = [text.to_string().as_bytes(), &second[second.len() - 66..]].concat();
    assert_eq!(unlock(&spliced, 2, &Unlock::Raw(&key)).unwrap_err(), Error::Damaged { what: "the header's MAC" });
}

#[test]
fn unknown_fields_and_slots_survive_every_kind_of_next_generation() {
    let random = Predictable::new(1);
    let key = raw(7);
    let (first, made) = create(&[NewSlot::Raw(&key)], &random).unwrap();
    let later = json!({"id": "ff", "type": "gcp-kms", "key_name": "projects/…", "sealed": {"blob": [1, 2]}, "kdf": 7, "service": 1});
    let mut text = text_of(&first);
    text["later"] = json!({"a": [1, null, "x"]});
    text["slots"][0]["label"] = json!("laptop");
    text["slots"].as_array_mut().unwrap().push(later.clone());
    let vault = unlock(&sign_value(&text, &made), 1, &Unlock::Raw(&key)).unwrap();
    assert_eq!(vault.slots().map(|slot| slot.kind.to_owned()).collect::<Vec<_>>(), ["raw", "gcp-kms"]);

    let (second, next) = vault.add_slot(&NewSlot::Raw(&raw(8)), &random).unwrap();
    let written = text_of(&second);
    assert_eq!(written["later"], text["later"]);
    assert_eq!(written["slots"][0], text["slots"][0]);
    assert_eq!(written["slots"][1], later);

    let other = raw(8);
    let secrets = [Unlock::Raw(&key), Unlock::Raw(&other)];
    assert_eq!(next.rotate(&secrets, false, &random).unwrap_err(), Error::SlotsRemain { remaining: 1 });
    let (third, last) = next.rotate(&secrets, true, &random).unwrap();
    let written = text_of(&third);
    assert_eq!(written["later"], text["later"]);
    assert_eq!(written["slots"][0]["label"], "laptop");
    assert_eq!(last.slots().count(), 2);
    assert!(unlock(&third, 3, &Unlock::Raw(&key)).is_ok());
}
