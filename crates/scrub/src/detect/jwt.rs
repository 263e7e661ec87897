//! JSON Web Tokens (RFC 7519): what starts with a header that decodes.

use std::ops::Range;

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use crate::hit::{Hit, Rank};

/// Padding is not asked for, and bits left over do not matter.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// The most bytes of a header.
const LONGEST_HEADER: usize = 2048;

/// Looks at what starts with `eyJ` here.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    if &text[at.clone()] != b"eyJ" || at.start > 0 && is_base64(text[at.start - 1]) {
        return;
    }
    let rest = &text[at.start..];
    let header = rest.iter().take(LONGEST_HEADER).take_while(|&&byte| is_base64(byte)).count();
    if rest.get(header) != Some(&b'.') || !is_header(&rest[..header]) {
        return;
    }
    let length = rest.iter().take_while(|&&byte| is_base64(byte) || matches!(byte, b'.' | b'=')).count();
    let dots = rest[..length].iter().rev().take_while(|&&byte| byte == b'.').count();
    let length = length - dots;
    if length > header + 1 {
        let span = at.start..at.start + length;
        hits.push(Hit { span, kind: "jwt", rule: "jwt", rank: Rank::Shape });
    }
}

/// Whether this decodes to the header of a token: an object that says how it is signed or what it is.
fn is_header(segment: &[u8]) -> bool {
    let Ok(decoded) = URL_SAFE.decode(segment) else { return false };
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(&decoded) else { return false };
    ["alg", "typ", "enc", "kid"].iter().any(|name| value.get(name).is_some())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
