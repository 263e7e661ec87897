//! Values of `Authorization` headers, and bearer tokens wherever they are written.

use std::ops::Range;

use super::{random::is_random, reference::is_reference};
use crate::hit::{Hit, Rank};

/// Looks behind the word `authorization`.
pub(super) fn header(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let mut i = at.end
        + text[at.end..].iter().take(4).take_while(|&&byte| matches!(byte, b'"' | b'\'' | b'`' | b']' | b'\\')).count();
    let spaces = |i: usize| text[i..].iter().take(8).take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    i += spaces(i);
    let signs = text[i..].iter().take(3).take_while(|&&byte| matches!(byte, b':' | b'=' | b',' | b'>')).count();
    if signs == 0 {
        return;
    }
    i += signs;
    i += spaces(i);
    i += text[i..]
        .iter()
        .take(3)
        .take_while(|&&byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'f' | b'b'))
        .count()
        .min(
            // Only a prefix that a quote follows.
            text[i..].iter().take(3).position(|&byte| matches!(byte, b'"' | b'\'' | b'`')).map_or(0, |at| at + 1),
        );
    let word = text[i..].iter().take(24).take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-').count();
    let has_scheme = SCHEMES.iter().any(|scheme| text[i..i + word].eq_ignore_ascii_case(scheme.as_bytes()));
    if has_scheme {
        let gap = text[i + word..].iter().take(4).take_while(|&&byte| matches!(byte, b' ' | b':' | b'=')).count();
        if gap > 0 {
            i += word + gap;
        }
    }
    token(text, i, if has_scheme { 6 } else { 12 }, has_scheme, hits);
}

/// Looks behind the word `bearer` or `basic`.
pub(super) fn scheme(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    if text.get(at.end).is_some_and(|&byte| byte == b' ') {
        token(text, at.end + 1, 16, false, hits);
    }
}

const SCHEMES: [&str; 11] =
    ["bearer", "basic", "token", "digest", "negotiate", "apikey", "api-key", "ssws", "splunk", "key", "oauth"];

fn token(text: &[u8], start: usize, least: usize, any: bool, hits: &mut Vec<Hit<'_>>) {
    let stop = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b',' | b';' | b')' | b'\\')
    };
    let rest = &text[start..(start + 4096).min(text.len())];
    let length = rest.iter().position(stop).unwrap_or(rest.len());
    let value = &rest[..length];
    let is_call = value.contains(&b'(') || value.contains(&b'{') || value.contains(&b'[');
    if length < least
        || is_reference(value)
        || is_call
        || !(is_random(value) || any && value.iter().any(u8::is_ascii_digit))
    {
        return;
    }
    hits.push(Hit {
        span: start..start + length,
        kind: "authorization",
        rule: "authorization",
        rank: Rank::Structural,
    });
}
