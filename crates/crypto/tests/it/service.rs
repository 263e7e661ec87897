//! Slots of a key service, without one: whoever asks it stands outside of this crate.

use memoseal_crypto::{
    Error, NewSlot, RawKey, ServiceKind, Unlock, Wrapped, create, create_as, service_context, to_hex, unlock,
    wrapped_in,
};
use serde_json::json;

use crate::support::{Predictable, raw, sign_value, text_of};

const KEY: &str = "arn:aws:kms:eu-west-1:111122223333:key/1a2b";
const OTHER: &str = "arn:aws:kms:eu-west-1:111122223333:key/3c4d";

fn wrapped(key: &str, bytes: &[u8]) -> Wrapped {
    Wrapped::new(ServiceKind::AwsKms, key, bytes).unwrap()
}

fn opens<'a>(wrapped: &'a Wrapped, secret: &'a RawKey) -> Unlock<'a> {
    Unlock::Service { wrapped, secret }
}

#[test]
fn what_the_service_unwraps_opens_the_vault() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let slots = [NewSlot::Service { wrapped: &blob, secret: &secret }, NewSlot::Raw(&raw(7))];
    let (header, made) = create_as([9; 16], &slots, &Predictable::new(1)).unwrap();
    assert_eq!(made.id(), [9; 16]);
    assert_eq!(
        made.slots().map(|slot| (slot.kind, slot.key)).collect::<Vec<_>>(),
        [("aws-kms", Some(KEY)), ("raw", None)]
    );
    assert_eq!(wrapped_in(&header, ServiceKind::AwsKms, KEY).unwrap(), ([9; 16], vec![blob.clone()]));
    assert_eq!(service_context(&[9; 16]), ("memoseal:vault", "09".repeat(16)));

    let opened = unlock(&header, 1, &opens(&blob, &secret)).unwrap();
    assert_eq!(opened.own_slot(), made.slots().next().unwrap().id);
    assert!(opened.vault_key().ct_eq(made.vault_key()));
    assert!(unlock(&header, 1, &Unlock::Raw(&raw(7))).is_ok());
    // The secret of a slot is no raw key, and a raw key no secret of a slot.
    assert_eq!(unlock(&header, 1, &Unlock::Raw(&secret)).unwrap_err(), Error::WrongKey);
    assert_eq!(unlock(&header, 1, &opens(&blob, &raw(7))).unwrap_err(), Error::WrongKey);
}

#[test]
fn only_the_key_that_was_named_is_asked_for() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let (header, _) = create(&[NewSlot::Service { wrapped: &blob, secret: &secret }], &Predictable::new(1)).unwrap();
    let none = Error::NoSlot { wanted: "aws-kms" };
    assert_eq!(wrapped_in(&header, ServiceKind::AwsKms, OTHER).unwrap_err(), none);
    assert_eq!(unlock(&header, 1, &opens(&wrapped(OTHER, b"blob"), &secret)).unwrap_err(), none);
    let (without, _) = create(&[NewSlot::Raw(&raw(7))], &Predictable::new(1)).unwrap();
    assert_eq!(wrapped_in(&without, ServiceKind::AwsKms, KEY).unwrap_err(), none);
}

#[test]
fn a_slot_opens_with_no_other_key_or_wrapped_secret_and_in_no_other_vault() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let (header, vault) =
        create(&[NewSlot::Service { wrapped: &blob, secret: &secret }], &Predictable::new(1)).unwrap();
    let changed =
        [("key", json!(OTHER), wrapped(OTHER, b"blob")), ("wrapped", json!("QmxvYg=="), wrapped(KEY, b"Blob"))];
    for (field, value, blob) in changed {
        let mut text = text_of(&header);
        text["slots"][0]["service"][field] = value;
        let opened = unlock(&sign_value(&text, &vault), 1, &opens(&blob, &secret));
        assert_eq!(opened.unwrap_err(), Error::WrongKey, "{field}");
    }
    let mut text = text_of(&header);
    text["vault"] = json!("00".repeat(16));
    assert_eq!(unlock(&sign_value(&text, &vault), 1, &opens(&blob, &secret)).unwrap_err(), Error::WrongKey);
}

#[test]
fn what_is_no_such_slot_is_damage_and_what_is_too_long_a_limit() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let (header, vault) =
        create(&[NewSlot::Service { wrapped: &blob, secret: &secret }], &Predictable::new(1)).unwrap();
    for service in [
        json!(null),
        json!(7),
        json!({"key": KEY}),
        json!({"key": KEY, "wrapped": 7}),
        json!({"key": KEY, "wrapped": "*"}),
        json!({"wrapped": "YmxvYg=="}),
    ] {
        let mut text = text_of(&header);
        text["slots"][0]["service"] = service.clone();
        let error = wrapped_in(&sign_value(&text, &vault), ServiceKind::AwsKms, KEY).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{service}: {error}");
    }
    for (key, bytes) in [("", &b"blob"[..]), (KEY, b""), (&"k".repeat(2049), b"blob"), (KEY, &[0; 6145])] {
        let error = Wrapped::new(ServiceKind::AwsKms, key, bytes).unwrap_err();
        assert!(matches!(error, Error::LimitsExceeded { .. }), "{error}");
    }
}

#[test]
fn a_rotation_takes_a_fresh_secret_and_the_old_one_opens_nothing_more() {
    let random = Predictable::new(1);
    let (old, old_secret) = (wrapped(KEY, b"old"), raw(3));
    let slots = [NewSlot::Raw(&raw(7)), NewSlot::Service { wrapped: &old, secret: &old_secret }];
    let (first, made) = create(&slots, &random).unwrap();
    let warm = unlock(&first, 1, &opens(&old, &old_secret)).unwrap();

    // The key was never asked to unwrap: who rotates need not be able to.
    let (new, new_secret, key) = (wrapped(KEY, b"new"), raw(4), raw(7));
    let secrets = [Unlock::Raw(&key), opens(&new, &new_secret)];
    let (second, next) = made.rotate(&secrets, false, &random).unwrap();
    assert_eq!(next.slots().collect::<Vec<_>>(), made.slots().collect::<Vec<_>>(), "ids, types and keys stay");
    assert_eq!(next.own_slot(), made.own_slot());
    assert_eq!(wrapped_in(&second, ServiceKind::AwsKms, KEY).unwrap().1, std::slice::from_ref(&new));
    assert!(unlock(&second, 2, &opens(&new, &new_secret)).is_ok());
    assert_eq!(unlock(&second, 2, &opens(&old, &old_secret)).unwrap_err(), Error::WrongKey);
    let (spliced_secret, spliced) = (raw(3), wrapped(KEY, b"new"));
    assert_eq!(unlock(&second, 2, &opens(&spliced, &spliced_secret)).unwrap_err(), Error::WrongKey);

    // A process that has the vault open asks again.
    assert_eq!(warm.reopen(&second, 2).unwrap_err(), Error::WrongKey);
    let warm = warm.reopen_with(&second, 2, &opens(&new, &new_secret)).unwrap();
    assert_eq!((warm.epoch(), warm.own_slot().len()), (2, 16));
    // What changes no secret does not make it ask.
    let (third, _) = next.add_slot(&NewSlot::Raw(&raw(8)), &random).unwrap();
    assert_eq!(warm.reopen(&third, 3).unwrap().generation(), 3);
    let (fourth, _) = next.remove_slot(warm.own_slot(), &random).unwrap();
    assert_eq!(warm.reopen_with(&fourth, 3, &opens(&new, &new_secret)).unwrap_err(), Error::WrongKey);
    let elsewhere = create(&[NewSlot::Service { wrapped: &new, secret: &new_secret }], &random).unwrap().0;
    assert!(matches!(warm.reopen_with(&elsewhere, 1, &opens(&new, &new_secret)), Err(Error::Damaged { .. })));
}

#[test]
fn a_rotation_by_the_service_alone_keeps_its_slot_and_counts_the_others() {
    let random = Predictable::new(1);
    let (old, old_secret) = (wrapped(KEY, b"old"), raw(3));
    let slots = [
        NewSlot::Service { wrapped: &old, secret: &old_secret },
        NewSlot::Raw(&raw(7)),
        NewSlot::Service { wrapped: &wrapped(OTHER, b"other"), secret: &raw(5) },
    ];
    let (_, made) = create(&slots, &random).unwrap();
    let (new, new_secret) = (wrapped(KEY, b"new"), raw(4));
    let secrets = [opens(&new, &new_secret)];
    assert_eq!(made.rotate(&secrets, false, &random).unwrap_err(), Error::SlotsRemain { remaining: 2 });
    let (second, next) = made.rotate(&secrets, true, &random).unwrap();
    assert_eq!(next.slots().map(|slot| slot.key).collect::<Vec<_>>(), [Some(KEY)]);
    assert!(unlock(&second, 2, &opens(&new, &new_secret)).is_ok());
    let (unknown, secret) = (wrapped("arn:elsewhere", b"x"), raw(6));
    assert_eq!(made.rotate(&[opens(&unknown, &secret)], true, &random).unwrap_err(), Error::WrongKey);
}

/// Slots of other services are those of a later version.
#[test]
fn a_service_that_is_not_known_is_passed_over() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let slots = [NewSlot::Service { wrapped: &blob, secret: &secret }, NewSlot::Raw(&raw(7))];
    let (header, vault) = create(&slots, &Predictable::new(1)).unwrap();
    let mut text = text_of(&header);
    text["slots"][0]["type"] = json!("azure-kms");
    let header = sign_value(&text, &vault);
    assert!(unlock(&header, 1, &Unlock::Raw(&raw(7))).is_ok());
    assert_eq!(wrapped_in(&header, ServiceKind::AwsKms, KEY).unwrap_err(), Error::NoSlot { wanted: "aws-kms" });
}

/// The construction that docs/format.md gives, put together here by hand.
#[test]
fn the_slot_is_sealed_as_the_format_says() {
    let (blob, secret) = (wrapped(KEY, b"blob"), raw(3));
    let (header, vault) =
        create_as([9; 16], &[NewSlot::Service { wrapped: &blob, secret: &secret }], &Predictable::new(1)).unwrap();
    let slot = text_of(&header)["slots"][0].clone();
    let id = slot["id"].as_str().unwrap();
    let sealed =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, slot["sealed"].as_str().unwrap()).unwrap();
    let field = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat();
    let info = [&b"memoseal/v1 slot"[..], &[0, 1], &[9; 16], id.as_bytes(), b"aws-kms", KEY.as_bytes(), b"blob"];
    let info = info.map(field).concat();
    let opened = memoseal_crypto::open(&[3; 32], &info, &sealed).unwrap();
    assert_eq!(to_hex(&opened), to_hex(vault.vault_key().expose()));
    assert_eq!(slot["service"], json!({"key": KEY, "wrapped": "YmxvYg=="}));
}
