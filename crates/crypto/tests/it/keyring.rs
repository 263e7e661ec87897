//! Keyrings.

use memoseal_crypto::{
    CONTENT_FLOOR, Error, Keyring, Kind, MAX_KEYRING_LEN, OVERHEAD, PRELUDE_LEN, Prelude, TOMBSTONE_LEN, Unlock,
    from_hex, open, pad, seal, seal_tombstone, unpad,
};
use serde_json::Value;

use crate::support::{Predictable, place, raw, raw_vault};

const HASH: [u8; 16] = [5; 16];

fn damaged(result: Result<Keyring, Error>) -> bool {
    matches!(result, Err(Error::Damaged { .. }))
}

#[test]
fn round_trips() {
    let (_, vault) = raw_vault(1);
    let random = Predictable::new(2);
    for user in ["ada", "", "line\nbreak \"quote\" \\ ümlaut 🦀\u{0}"] {
        let keyring = Keyring::generate(user, 3, &random).unwrap();
        let object = keyring.seal(&vault, HASH, 4, &random).unwrap();
        assert_eq!(object.len(), PRELUDE_LEN + OVERHEAD + CONTENT_FLOOR, "short names look alike");
        let opened = Keyring::open(&object, &vault, HASH, 4).unwrap();
        assert_eq!((opened.user(), opened.id(), opened.life(), opened.epoch()), (user, keyring.id(), 3, 1));
        assert!(opened.key().ct_eq(keyring.key()));
    }
}

#[test]
fn every_changed_byte_and_every_truncation_is_found() {
    let (_, vault) = raw_vault(1);
    let random = Predictable::new(2);
    let object = Keyring::generate("ada", 1, &random).unwrap().seal(&vault, HASH, 1, &random).unwrap();
    for at in 0..object.len() {
        for mask in [1, 0x20, 0x80, 0xff] {
            let mut changed = object.clone();
            changed[at] ^= mask;
            assert!(Keyring::open(&changed, &vault, HASH, 1).is_err(), "byte {at}");
        }
        assert!(damaged(Keyring::open(&object[..at], &vault, HASH, 1)), "{at} bytes");
    }
}

#[test]
fn opens_under_its_own_name_in_its_own_vault_only() {
    let (_, vault) = raw_vault(1);
    let (_, elsewhere) = raw_vault(2);
    let random = Predictable::new(3);
    let object = Keyring::generate("ada", 1, &random).unwrap().seal(&vault, HASH, 1, &random).unwrap();
    assert!(damaged(Keyring::open(&object, &vault, [6; 16], 1)));
    assert!(damaged(Keyring::open(&object, &vault, HASH, 2)));
    assert!(damaged(Keyring::open(&object, &elsewhere, HASH, 1)));
}

#[test]
fn an_unknown_epoch_and_a_newer_format_have_their_own_errors() {
    let (_, vault) = raw_vault(1);
    let random = Predictable::new(2);
    let keyring = Keyring::generate("ada", 1, &random).unwrap();
    let (_, rotated) = vault.rotate(&[Unlock::Raw(&raw(7))], false, &random).unwrap();
    let newer = keyring.seal(&rotated, HASH, 1, &random).unwrap();
    assert_eq!(Keyring::open(&newer, &vault, HASH, 1).unwrap_err(), Error::UnknownEpoch { epoch: 2 });
    let older = keyring.seal(&vault, HASH, 1, &random).unwrap();
    assert!(Keyring::open(&older, &rotated, HASH, 1).unwrap().key().ct_eq(keyring.key()));
    let future = Keyring::open(b"memoseal\x00\x02 of another shape", &vault, HASH, 1).unwrap_err();
    assert_eq!(future, Error::NewerFormat { found: 2, supported: 1 });
    let mut commit = older;
    commit[10] = Kind::Commit.code();
    assert!(damaged(Keyring::open(&commit, &vault, HASH, 1)));
}

#[test]
fn sizes_and_lives_are_bounded() {
    let (_, vault) = raw_vault(1);
    let random = Predictable::new(2);
    assert!(matches!(Keyring::generate("ada", 0, &random), Err(Error::LimitsExceeded { .. })));
    let huge = Keyring::generate(&"a".repeat(MAX_KEYRING_LEN), 1, &random).unwrap();
    assert!(matches!(huge.seal(&vault, HASH, 1, &random), Err(Error::LimitsExceeded { .. })));
    let oversized = vec![0; MAX_KEYRING_LEN + 1];
    assert!(matches!(Keyring::open(&oversized, &vault, HASH, 1), Err(Error::LimitsExceeded { .. })));
}

/// What a keyring with this JSON text would be in the bucket, sealed from the documented construction.
fn sealed_text(json: &[u8]) -> Vec<u8> {
    let (_, vault) = raw_vault(1);
    let info = info(&vault);
    let mut object = Prelude { kind: Kind::Keyring, epoch: 1 }.to_bytes().to_vec();
    object.extend(seal(vault.vault_key(), [9; 32], &info, &pad(json, CONTENT_FLOOR)));
    object
}

fn info(vault: &memoseal_crypto::OpenVault) -> Vec<u8> {
    let mut context = place();
    (context.kind, context.vault, context.user, context.store) = (Kind::Keyring, vault.id(), HASH, [0; 16]);
    (context.user_life, context.store_life, context.seq) = (0, 0, 1);
    context.encode()
}

#[test]
fn unknown_fields_survive() {
    let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    let id = "0f".repeat(16);
    let json = format!(
        r#"{{"later":{{"deep":["x",1]}},"user":"ada","id":"{id}","life":2,"epoch":1,"key":"{key}","note":"kept"}}"#
    );
    let (_, vault) = raw_vault(1);
    let keyring = Keyring::open(&sealed_text(json.as_bytes()), &vault, HASH, 1).unwrap();
    assert_eq!((keyring.id(), keyring.life()), (from_hex(id.as_bytes()).unwrap(), 2));
    let again = keyring.seal(&vault, HASH, 1, &Predictable::new(1)).unwrap();
    let padded = open(vault.vault_key(), &info(&vault), &again[PRELUDE_LEN..]).unwrap();
    let written: Value = serde_json::from_slice(unpad(&padded).unwrap()).unwrap();
    assert_eq!(written, serde_json::from_str::<Value>(&json).unwrap());
}

#[test]
fn a_misshapen_text_is_damage_and_never_a_panic() {
    let (_, vault) = raw_vault(1);
    let good = format!(r#""user":"a","id":"{}","life":1,"epoch":1,"#, "00".repeat(16));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    for text in [
        String::new(),
        "null".to_owned(),
        "{}".to_owned(),
        format!("{{{good}\"key\":\"AQ==\"}}"),
        format!("{{{good}\"key\":\"{}\"}}", key.replace('=', "")),
        format!("{{{good}\"key\":\"{}\"}}", "A".repeat(1_000)),
        format!("{{{good}\"key\":\"{key}\",\"key\":\"{key}\"}}"),
        format!("{{{good}\"key\":\"{key}\",\"x\":{deep}}}"),
        format!("{{{}\"key\":\"{key}\"}}", good.replace("\"life\":1", "\"life\":0")),
        format!("{{{}\"key\":\"{key}\"}}", good.replace("00", "0F")),
    ] {
        assert!(damaged(Keyring::open(&sealed_text(text.as_bytes()), &vault, HASH, 1)), "{}", text.len());
    }
    assert!(Keyring::open(&sealed_text(format!("{{{good}\"key\":\"{key}\"}}").as_bytes()), &vault, HASH, 1).is_ok());
}

#[test]
fn a_tombstone_holds_a_life_and_opens_in_its_own_place_only() {
    let (_, vault) = raw_vault(1);
    let random = Predictable::new(2);
    for life in [1, 7, u64::MAX] {
        let object = seal_tombstone(life, &vault, HASH, 4, &random).unwrap();
        assert_eq!(object.len(), TOMBSTONE_LEN);
        assert!(object.len() < PRELUDE_LEN + OVERHEAD + CONTENT_FLOOR, "shorter than any keyring");
        assert_eq!(Keyring::open(&object, &vault, HASH, 4).unwrap_err(), Error::Destroyed { life });
        assert!(damaged(Keyring::open(&object, &vault, HASH, 5)));
        assert!(damaged(Keyring::open(&object, &vault, [6; 16], 4)));
        for at in 0..object.len() {
            let mut changed = object.clone();
            changed[at] ^= 1;
            let error = Keyring::open(&changed, &vault, HASH, 4).unwrap_err();
            assert!(!matches!(error, Error::Destroyed { .. }), "byte {at}: {error}");
        }
    }
    assert!(matches!(seal_tombstone(0, &vault, HASH, 1, &random), Err(Error::LimitsExceeded { .. })));
    assert!(damaged(Keyring::open(&sealed_text(br#"{"life":0,"destroyed":true}"#), &vault, HASH, 1)));
    assert!(damaged(Keyring::open(&sealed_text(br#"{"life":1,"destroyed":false}"#), &vault, HASH, 1)));
}
