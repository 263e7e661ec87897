//! Headers made to hurt. All are well signed where that is possible, so that the MAC is not what stops them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memoseal_crypto::{
    Argon2Params, Context, Error, Kind, MAX_HEADER_LEN, MAX_KDF_WORK, NewSlot, OpenVault, Unlock, create, open, seal,
    unlock,
};
use serde_json::{Value, json};

use crate::support::{Dry, Predictable, cheap, raw, raw_vault, sign, sign_value, text_of};

fn open_raw(bytes: &[u8]) -> Result<OpenVault, Error> {
    unlock(bytes, 1, &Unlock::Raw(&raw(7)))
}

/// A header that opens with `raw(7)`, changed and signed again.
fn changed(change: impl FnOnce(&mut Value)) -> Result<OpenVault, Error> {
    let (header, vault) = raw_vault(1);
    let mut text = text_of(&header);
    change(&mut text);
    open_raw(&sign_value(&text, &vault))
}

/// A passphrase slot of the right shape whose passphrase nobody knows.
fn passphrase_slot(id: u64, m_kib: Value, t: Value, p: Value) -> Value {
    let sealed = format!("{}==", "A".repeat(150)); // 112 zero bytes
    let salt = "AAAAAAAAAAAAAAAAAAAAAA==";
    json!({"id": format!("{id:016x}"), "type": "passphrase", "sealed": sealed,
           "kdf": {"name": "argon2id", "m_kib": m_kib, "t": t, "p": p, "salt": salt}})
}

fn push(text: &mut Value, slot: Value) {
    text["slots"].as_array_mut().unwrap().push(slot);
}

fn limits(result: Result<OpenVault, Error>) -> bool {
    matches!(result, Err(Error::LimitsExceeded { .. }))
}

fn damaged(result: Result<OpenVault, Error>) -> bool {
    matches!(result, Err(Error::Damaged { .. }))
}

#[test]
fn what_is_unchanged_or_within_bounds_opens() {
    assert!(changed(|_| {}).is_ok());
    assert!(changed(|text| push(text, passphrase_slot(1, json!(8192), json!(1), json!(1)))).is_ok());
    assert!(changed(|text| push(text, passphrase_slot(1, json!(1 << 20), json!(16), json!(16)))).is_ok());
}

#[test]
fn costs_out_of_bounds_are_refused_before_anything_is_derived() {
    for (m_kib, t, p) in [
        (json!(8191), json!(1), json!(1)),
        (json!((1 << 20) + 1), json!(1), json!(1)),
        (json!(u64::from(u32::MAX) + 8193), json!(1), json!(1)),
        (json!(u64::MAX), json!(u64::MAX), json!(u64::MAX)),
        (json!(8192), json!(0), json!(1)),
        (json!(8192), json!(17), json!(1)),
        (json!(8192), json!(1), json!(0)),
        (json!(8192), json!(1), json!(17)),
    ] {
        let refused = changed(|text| push(text, passphrase_slot(1, m_kib.clone(), t.clone(), p.clone())));
        assert!(limits(refused), "{m_kib} {t} {p}");
    }
    for bad in [json!(-1), json!(1.5), json!(1e30), json!("8192"), json!(null), json!([8192])] {
        assert!(damaged(changed(|text| push(text, passphrase_slot(1, bad.clone(), json!(1), json!(1))))), "{bad}");
    }
    for params in [(8191, 1, 1), (8192, 0, 1), (8192, 17, 1), (8192, 1, 0), (8192, 1, 17), (u32::MAX, 1, 1)] {
        assert!(Argon2Params::new(params.0, params.1, params.2).is_err(), "{params:?}");
    }
    assert_eq!(Argon2Params::default(), Argon2Params::new(64 << 10, 3, 4).unwrap());
}

#[test]
fn slots_that_are_cheap_alone_and_dear_together_are_refused() {
    let with_slots = |count: u64| {
        changed(move |text| {
            (0..count).for_each(|id| push(text, passphrase_slot(id, json!(1 << 20), json!(2), json!(1))));
        })
    };
    assert_eq!(MAX_KDF_WORK, 16 << 20);
    assert!(with_slots(8).is_ok());
    assert!(limits(with_slots(9)));
    let dear = Argon2Params::new(1 << 20, 16, 1).unwrap();
    let two = || NewSlot::Passphrase { passphrase: b"x", params: dear };
    // The source of randomness is dry: refused before anything is drawn, let alone derived.
    assert!(limits(create(&[two(), two()], &Dry).map(|(_, vault)| vault)));
    let full = changed(|text| push(text, passphrase_slot(1, json!(1 << 20), json!(16), json!(1)))).unwrap();
    let one_more = NewSlot::Passphrase { passphrase: b"x", params: cheap() };
    assert!(limits(full.add_slot(&one_more, &Dry).map(|(_, vault)| vault)));
}

#[test]
fn the_number_of_slots_is_bounded() {
    let keys: Vec<_> = (0..17).map(raw).collect();
    let slots: Vec<_> = keys.iter().map(NewSlot::Raw).collect();
    assert!(limits(create(&slots, &Predictable::new(1)).map(|(_, vault)| vault)));
    assert!(limits(create(&[], &Predictable::new(1)).map(|(_, vault)| vault)));
    let (header, vault) = create(&slots[..16], &Predictable::new(1)).unwrap();
    assert!(unlock(&header, 1, &Unlock::Raw(&raw(15))).is_ok());
    assert!(limits(vault.add_slot(&slots[16], &Predictable::new(2)).map(|(_, vault)| vault)));
    let unknown = |id: u64| json!({"id": format!("{id:x}"), "type": "gcp-kms"});
    assert!(changed(|text| (0..15).for_each(|id| push(text, unknown(id)))).is_ok());
    assert!(limits(changed(|text| (0..16).for_each(|id| push(text, unknown(id))))));
    assert!(changed(|text| text["slots"] = json!([])).is_err());
}

#[test]
fn size_is_checked_before_parsing() {
    let (header, vault) = raw_vault(1);
    let mut text = text_of(&header);
    text["filler"] = json!("");
    let room = MAX_HEADER_LEN - sign_value(&text, &vault).len();
    text["filler"] = json!("x".repeat(room));
    assert!(open_raw(&sign_value(&text, &vault)).is_ok());
    text["filler"] = json!("x".repeat(room + 1));
    assert!(limits(open_raw(&sign_value(&text, &vault))));
    assert!(limits(open_raw(&vec![b'['; MAX_HEADER_LEN + 1])));
}

#[test]
fn misshapen_slots_are_damage() {
    let slot = |field: &str, value: Value| {
        changed(|text| {
            text["slots"][0][field] = value;
        })
    };
    assert!(damaged(slot("id", json!(""))));
    assert!(damaged(slot("id", json!("ABC"))));
    assert!(damaged(slot("id", json!("0".repeat(65)))));
    assert!(damaged(slot("id", json!(7))));
    assert!(damaged(slot("type", json!(null))));
    for sealed in [json!(null), json!("AAAA"), json!("!"), json!(7), json!({})] {
        assert!(damaged(slot("sealed", sealed.clone())), "{sealed}");
    }
    assert!(damaged(changed(|text| {
        let copy = text["slots"][0].clone();
        push(text, copy);
    })));
    let kdf = |field: &'static str, value: Value| {
        changed(move |text| {
            let mut slot = passphrase_slot(1, json!(8192), json!(1), json!(1));
            slot["kdf"][field] = value;
            push(text, slot);
        })
    };
    for salt in [json!(""), json!("AAAAAAAAAAAAAAAAAAAA"), json!("AAAAAAAAAAAAAAAAAAAAAB=="), json!(0)] {
        assert!(damaged(kdf("salt", salt.clone())), "{salt}");
    }
    assert!(damaged(kdf("name", json!(7))));
    assert!(kdf("name", json!("scrypt")).is_ok(), "a KDF of a later version is skipped");
    for (field, value) in [
        ("vault", json!("00")),
        ("vault", json!("AB".repeat(16))),
        ("generation", json!(0)),
        ("epoch", json!(0)),
        ("epoch", json!(1_u64 << 32)),
        ("slots", json!({})),
        ("sealed", json!("*")),
    ] {
        assert!(damaged(changed(|text| text[field] = value.clone())), "{field} {value}");
    }
}

#[test]
fn deep_and_odd_json_is_an_error_and_never_a_panic() {
    let (_, vault) = raw_vault(1);
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    for text in [
        deep(30_000),
        objects,
        format!(r#"{{"memoseal":"vault","format":1,"x":{}}}"#, deep(30_000)),
        r#"{"memoseal":"vault"}"#.to_owned(),
        r#"{"memoseal":"vault","format":1}"#.to_owned(),
        r#"{"memoseal":"vault","format":"1"}"#.to_owned(),
        r#"{"memoseal":"vault","format":0}"#.to_owned(),
        r#"{"memoseal":"vault","format":1,"format":2}"#.to_owned(),
        r#"{"memoseal":"vault","memoseal":"vault","format":1}"#.to_owned(),
        String::new(),
    ] {
        let error = open_raw(&sign(&text, &vault)).unwrap_err();
        let ours = text.starts_with(r#"{"memoseal":"vault""#);
        assert_eq!(matches!(error, Error::Damaged { .. }), ours, "{error:?} {:.60}", text);
        assert_eq!(matches!(error, Error::NotAVault), !ours, "{error:?} {:.60}", text);
    }
}

#[test]
fn foreign_data_is_not_a_vault() {
    for foreign in [
        &b""[..],
        b"{}",
        b"null",
        b"\xff\xfe",
        b"<html>",
        b"memoseal\x00\x01",
        b"{\"memoseal\":\"keyring\",\"format\":1}",
    ] {
        assert_eq!(open_raw(foreign).unwrap_err(), Error::NotAVault, "{foreign:?}");
    }
}

#[test]
fn a_newer_format_wins_over_every_other_change_of_shape() {
    for newer in [
        &br#"{"memoseal":"vault","format":2}"#[..],
        b"{\n  \"format\": 2,\n  \"memoseal\": \"vault\",\n  \"slots\": {\"a\": 1},\n  \"vault\": 7\n}\n\nsomething else\n",
        b"{\"memoseal\":\"vault\",\"format\":2,\"slots\":[[[[]]]]}\n00\xff",
    ] {
        assert_eq!(open_raw(newer).unwrap_err(), Error::NewerFormat { found: 2, supported: 1 });
    }
    let newest = changed(|text| text["format"] = json!(u64::MAX)).unwrap_err();
    assert_eq!(newest, Error::NewerFormat { found: u64::MAX, supported: 1 });
}

#[test]
fn a_slot_opens_in_no_other_vault_and_under_no_other_id() {
    let (here, _) = raw_vault(1);
    let (there, elsewhere) = raw_vault(2);
    let mut moved = text_of(&there);
    moved["slots"] = text_of(&here)["slots"].clone();
    assert_eq!(open_raw(&sign_value(&moved, &elsewhere)).unwrap_err(), Error::WrongKey);
    let renamed = changed(|text| text["slots"][0]["id"] = json!("00000000000000aa"));
    assert_eq!(renamed.unwrap_err(), Error::WrongKey);
    let other_vault = changed(|text| text["vault"] = json!("00".repeat(16)));
    assert_eq!(other_vault.unwrap_err(), Error::WrongKey);
}

#[test]
fn a_slot_opens_with_no_other_parameters() {
    let new = NewSlot::Passphrase { passphrase: b"correct horse", params: cheap() };
    let (header, vault) = create(&[new], &Predictable::new(1)).unwrap();
    let with = Unlock::Passphrase(b"correct horse");
    assert!(unlock(&header, 1, &with).is_ok());
    for (field, value) in
        [("m_kib", json!(8193)), ("t", json!(2)), ("p", json!(2)), ("salt", json!("AAAAAAAAAAAAAAAAAAAAAA=="))]
    {
        let mut text = text_of(&header);
        text["slots"][0]["kdf"][field] = value;
        assert_eq!(unlock(&sign_value(&text, &vault), 1, &with).unwrap_err(), Error::WrongKey, "{field}");
    }
}

fn secrets_place(vault: &OpenVault, seq: u64) -> Vec<u8> {
    let (kind, none) = (Kind::VaultSecrets, [0; 16]);
    Context { kind, vault: vault.id(), user: none, store: none, user_life: 0, store_life: 0, seq, section: 0 }.encode()
}

/// A header whose sealed part holds this JSON text, sealed and signed from the documented construction.
fn with_secrets(epoch: u32, json: &str) -> (Vec<u8>, OpenVault) {
    let (header, vault) = raw_vault(1);
    let sealed = seal(vault.vault_key(), [9; 32], &secrets_place(&vault, 1), json.as_bytes());
    let mut text = text_of(&header);
    text["epoch"] = json!(epoch);
    text["sealed"] = json!(STANDARD.encode(sealed));
    (sign_value(&text, &vault), vault)
}

#[test]
fn a_misshapen_sealed_part_is_damage_and_never_a_panic() {
    let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    let opens = |json: &str| open_raw(&with_secrets(3, json).0);
    let earlier = |list: &str| opens(&format!(r#"{{"name_key":"{key}","earlier":[{list}]}}"#));
    let entry = |epoch: u64| format!(r#"{{"epoch":{epoch},"key":"{key}"}}"#);
    let good = earlier(&format!("{},{}", entry(1), entry(2))).unwrap();
    assert_eq!(good.key_of_epoch(2).unwrap().expose(), &[1; 32]);
    for list in [
        entry(0),
        entry(3),
        entry(4),
        entry(1 << 32),
        format!("{0},{0}", entry(1)),
        entry(1).replace("AQEB", ""),
        "1".into(),
    ] {
        assert!(damaged(earlier(&list)), "{list}");
    }
    for json in ["", "[]", "{}", r#"{"name_key":"","earlier":[]}"#, r#"{"name_key":7,"earlier":[]}"#, "\u{1f980}"] {
        assert!(damaged(opens(json)), "{json}");
    }
}

#[test]
fn unknown_fields_of_the_sealed_part_survive() {
    let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    let json = format!(r#"{{"name_key":"{key}","earlier":[],"later":{{"pepper":["\u0041",1]}}}}"#);
    let (header, _) = with_secrets(1, &json);
    let vault = open_raw(&header).unwrap();
    let (next, _) = vault.add_slot(&NewSlot::Raw(&raw(8)), &Predictable::new(4)).unwrap();
    let sealed = STANDARD.decode(text_of(&next)["sealed"].as_str().unwrap()).unwrap();
    let written = open(vault.vault_key(), &secrets_place(&vault, 2), &sealed).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), serde_json::from_str::<Value>(&json).unwrap());
}
