//! Padding: bounded, reversible, and harmless on garbage.

use memoseal_crypto::{CONTENT_FLOOR, META_FLOOR, Random, pad, padme, unpad};

use crate::support::Predictable;

#[test]
fn padme_gives_the_lengths_of_the_paper() {
    // Nikitin et al. 2019, §4: E = ⌊log2 L⌋, S = ⌊log2 E⌋ + 1, and the last E - S bits are zero.
    let cases =
        [(0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (9, 10), (17, 18), (33, 36), (100, 104), (257, 272), (1025, 1088)];
    for (len, padded) in cases {
        assert_eq!(padme(len), padded, "{len}");
    }
    assert_eq!(padme(1_000_001), 1_015_808);
}

#[test]
fn padme_never_shrinks_nor_costs_more_than_twelve_percent_nor_moves_twice() {
    for len in (0..70_000).chain((0..60).map(|shift| (1_usize << shift) + 1)) {
        let padded = padme(len);
        assert!(padded >= len, "{len}");
        assert!((padded - len) as f64 <= 0.12 * len as f64, "{len} -> {padded}");
        assert_eq!(padme(padded), padded, "{len}");
        assert!(padme(len + 1) >= padded, "{len}");
    }
}

#[test]
fn unpad_undoes_pad() {
    let random = Predictable::new(1);
    for len in 0..1_500 {
        let mut plaintext = vec![0; len];
        if len % 3 != 0 {
            random.fill(&mut plaintext).unwrap();
        }
        for floor in [0, META_FLOOR, CONTENT_FLOOR, 1_000] {
            let padded = pad(&plaintext, floor);
            assert_eq!(padded.len(), padme(len + 1).max(floor));
            assert_eq!(padded.capacity(), padded.len(), "grown on the way");
            assert_eq!(unpad(&padded).unwrap(), plaintext);
        }
    }
}

#[test]
fn a_plaintext_that_looks_padded_survives() {
    for plaintext in [&b"\x80"[..], b"\x80\x00", b"x\x80\x00\x00", b"\x00\x00"] {
        assert_eq!(unpad(&pad(plaintext, META_FLOOR)).unwrap(), plaintext);
    }
}

#[test]
fn unpad_of_garbage_is_an_error_or_a_prefix() {
    for refused in [&b""[..], b"\x00", &[0; 300], b"abc", b"abc\x00\x00", b"\x81\x00"] {
        assert!(unpad(refused).is_err(), "{refused:?}");
    }
    let random = Predictable::new(2);
    for len in 0..600 {
        let mut garbage = vec![0; len];
        random.fill(&mut garbage).unwrap();
        if let Ok(plaintext) = unpad(&garbage) {
            assert!(garbage.starts_with(plaintext));
        }
    }
}
