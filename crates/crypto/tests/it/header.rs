//! Vault headers as they should be, and every change to one.

use memoseal_crypto::{Error, KEY_LEN, NewSlot, OpenVault, Unlock, create, unlock};
use serde_json::json;

use crate::support::{Predictable, cheap, raw, raw_vault, sign_value, text_of};

fn same(one: &OpenVault, other: &OpenVault) -> bool {
    one.id() == other.id()
        && one.generation() == other.generation()
        && one.epoch() == other.epoch()
        && one.vault_key().ct_eq(other.vault_key())
        && one.name_key().ct_eq(other.name_key())
        && one.slots().eq(other.slots())
}

#[test]
fn every_slot_opens_the_same_vault() {
    let random = Predictable::new(1);
    let slots = [
        NewSlot::Passphrase { passphrase: b"first passphrase", params: cheap() },
        NewSlot::Raw(&raw(7)),
        NewSlot::Passphrase { passphrase: "zweite, mit ü".as_bytes(), params: cheap() },
        NewSlot::Raw(&raw(8)),
    ];
    let (header, made) = create(&slots, &random).unwrap();
    assert_eq!((made.generation(), made.epoch()), (1, 1));
    assert_eq!(
        made.slots().map(|slot| slot.kind.to_owned()).collect::<Vec<_>>(),
        ["passphrase", "raw", "passphrase", "raw"]
    );
    for with in [
        Unlock::Passphrase(b"first passphrase"),
        Unlock::Passphrase("zweite, mit ü".as_bytes()),
        Unlock::Raw(&raw(7)),
        Unlock::Raw(&raw(8)),
    ] {
        assert!(same(&unlock(&header, 1, &with).unwrap(), &made), "{with:?}");
    }
    // A wrong secret is a wrong secret and never damage. Bytes are taken as given: no trimming, no normalisation.
    for with in [
        Unlock::Passphrase(b"first passphrase\n"),
        Unlock::Passphrase("zweite, mit u\u{308}".as_bytes()),
        Unlock::Raw(&raw(9)),
    ] {
        assert_eq!(unlock(&header, 1, &with).unwrap_err(), Error::WrongKey, "{with:?}");
    }
    assert!(made.key_of_epoch(1).unwrap().ct_eq(made.vault_key()));
    assert!(made.key_of_epoch(0).is_none() && made.key_of_epoch(2).is_none());
}

#[test]
fn a_secret_without_a_slot_of_its_kind_is_told_so() {
    let (header, _) = raw_vault(1);
    let error = unlock(&header, 1, &Unlock::Passphrase(b"anything")).unwrap_err();
    assert_eq!(error, Error::NoSlot { wanted: "passphrase" });
}

#[test]
fn the_text_is_as_documented() {
    let (header, vault) = raw_vault(1);
    let lines: Vec<&[u8]> = header.split(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 3, "a text, a line, nothing");
    assert!(lines[0].starts_with(br#"{"memoseal":"vault","format":1,"vault":""#));
    assert!(lines[1].len() == 64 && lines[2].is_empty());
    assert_eq!(sign_value(&text_of(&header), &vault).len(), header.len());
    let hex: String = lines[0].iter().map(|byte| char::from(*byte)).collect();
    assert!(!hex.contains(&memoseal_crypto::to_hex(&raw(7).expose()[..KEY_LEN])));
}

#[test]
fn every_changed_byte_is_found() {
    let (header, _) = raw_vault(1);
    for at in 0..header.len() {
        for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut changed = header.clone();
            changed[at] ^= mask;
            assert!(unlock(&changed, 1, &Unlock::Raw(&raw(7))).is_err(), "byte {at} ^ {mask}");
        }
    }
}

#[test]
fn every_truncation_and_any_extension_is_found() {
    let (header, _) = raw_vault(1);
    for len in 0..header.len() {
        let error = unlock(&header[..len], 1, &Unlock::Raw(&raw(7))).unwrap_err();
        let foreign = len < br#"{"memoseal":"vault""#.len();
        assert_eq!(matches!(error, Error::NotAVault), foreign, "{len}: {error:?}");
        assert_eq!(matches!(error, Error::Damaged { .. }), !foreign, "{len}: {error:?}");
    }
    for tail in [&b"\n"[..], b" ", b"x", b"\n\n", &[0; 65]] {
        let longer = [&header, tail].concat();
        assert!(unlock(&longer, 1, &Unlock::Raw(&raw(7))).is_err(), "{tail:?}");
    }
}

#[test]
fn a_change_behind_a_slot_that_opens_is_damage() {
    let (header, _) = raw_vault(1);
    let text = text_of(&header);
    let mac = header[header.len() - 65..].to_vec();
    for (field, value) in
        [("generation", json!(2)), ("epoch", json!(2)), ("sealed", json!("AAAA")), ("extra", json!(1))]
    {
        let mut changed = text.clone();
        changed[field] = value;
        let bytes = [changed.to_string().as_bytes(), b"\n", &mac].concat();
        let error = unlock(&bytes, 1, &Unlock::Raw(&raw(7))).unwrap_err();
        assert_eq!(error, Error::Damaged { what: "the header's MAC" }, "{field}");
    }
}

#[test]
fn a_header_under_another_generations_name_is_damage() {
    let (header, _) = raw_vault(1);
    for generation in [0, 2, u64::MAX] {
        let error = unlock(&header, generation, &Unlock::Raw(&raw(7))).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{generation}: {error:?}");
    }
}

#[test]
fn sealed_secrets_of_another_generation_do_not_open() {
    // The same vault and key: an old sealed part in a new header, signed by someone who can.
    let random = Predictable::new(3);
    let (first, vault) = create(&[NewSlot::Raw(&raw(7))], &random).unwrap();
    let (second, next) = vault.add_slot(&NewSlot::Raw(&raw(8)), &random).unwrap();
    let mut text = text_of(&second);
    text["sealed"] = text_of(&first)["sealed"].clone();
    let error = unlock(&sign_value(&text, &next), 2, &Unlock::Raw(&raw(7))).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}
