//! The clear first bytes of an object.

use memoseal_crypto::{Error, Kind, MAGIC, PRELUDE_LEN, Prelude, PreludeError};

const HERE: Prelude = Prelude { kind: Kind::Commit, epoch: 0x0102_0304 };

#[test]
fn bytes_are_fixed() {
    assert_eq!(HERE.to_bytes(), *b"memoseal\x00\x01\x01\x01\x02\x03\x04");
    let mut object = b"".to_vec();
    HERE.write(&mut object);
    object.extend_from_slice(b"rest");
    assert_eq!(object.len(), PRELUDE_LEN + 4);
    assert_eq!(Prelude::parse(&object), Ok((HERE, &b"rest"[..])));
}

#[test]
fn truncation_foreign_data_and_newer_formats_are_told_apart() {
    let bytes = HERE.to_bytes();
    for len in 0..PRELUDE_LEN {
        assert_eq!(Prelude::parse(&bytes[..len]), Err(PreludeError::Truncated), "{len}");
    }
    for at in 0..MAGIC.len() {
        let mut foreign = bytes;
        foreign[at] ^= 0x20;
        assert_eq!(Prelude::parse(&foreign), Err(PreludeError::NotOurs), "{at}");
    }
    assert_eq!(Prelude::parse(b"{}"), Err(PreludeError::NotOurs));
    // A newer format may be shaped otherwise after its number, and end there.
    assert_eq!(Prelude::parse(b"memoseal\x00\x02"), Err(PreludeError::NewerFormat { found: 2 }));
    assert_eq!(Prelude::parse(b"memoseal\xff\xff\xff"), Err(PreludeError::NewerFormat { found: 0xffff }));
    assert_eq!(Prelude::parse(b"memoseal\x00\x00\x01\x00\x00\x00\x01"), Err(PreludeError::NotOurs));
    assert_eq!(Prelude::parse(b"memoseal\x00\x01\x63\x00\x00\x00\x01"), Err(PreludeError::NotOurs));
}

#[test]
fn another_kind_is_not_what_was_asked_for() {
    let bytes = HERE.to_bytes();
    assert_eq!(Prelude::parse_kind(&bytes, Kind::Commit), Ok((HERE, &b""[..])));
    assert_eq!(Prelude::parse_kind(&bytes, Kind::Keyring), Err(PreludeError::NotOurs));
}

#[test]
fn prelude_errors_become_errors_of_the_crate() {
    assert_eq!(Error::from(PreludeError::NewerFormat { found: 7 }), Error::NewerFormat { found: 7, supported: 1 });
    assert!(matches!(Error::from(PreludeError::Truncated), Error::Damaged { .. }));
    assert!(matches!(Error::from(PreludeError::NotOurs), Error::Damaged { .. }));
}
