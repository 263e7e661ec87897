//! What programs are written in, and no secret is: names, calls, types, versions.

use super::random::{Looks, is_identifier, is_words};
use crate::text::is_word;

/// With signs that names do not have.
pub(super) fn is_made_up(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    let signs = b"#!@$^&*+|~%(){}[]<>?=";
    let kinds = signs.iter().filter(|sign| value.contains(sign)).count();
    looks.length >= 8
        && kinds > 0
        && looks.letters() + looks.digits > 3
        && !value.iter().any(u8::is_ascii_whitespace)
        && !value.starts_with(b"http")
        && !is_code(value)
        && (kinds >= 3 || is_sane_start(value[0]) && !value.ends_with(b"=") && !is_words(value) && !is_pair(value))
}

/// Whether a value may start so, and is no selector, tag or list.
fn is_sane_start(byte: u8) -> bool {
    !matches!(byte, b'#' | b'.' | b'<' | b'(' | b'[' | b'{' | b'@' | b'&' | b'%')
}

/// `name=value`, of which the value is looked at for itself.
fn is_pair(value: &[u8]) -> bool {
    value.split(|&byte| byte == b'=').count() == 2
        && value.split(|&byte| byte == b'=').all(|part| part.iter().all(|&byte| is_word(byte)))
}

/// Names, calls and paths of a program: `self.password`, `get(x)`, `Option<String>`, `a::b`, `vec![`.
pub(super) fn is_code(value: &[u8]) -> bool {
    let path = value.iter().take_while(|&&byte| is_word(byte) || byte == b'.').count();
    let after = &value[path..];
    let mut parts = value[..path].split(|&byte| byte == b'.');
    let dotted = value[..path].contains(&b'.') && parts.all(|part| !part.is_empty() && is_identifier(part));
    let name = path > 0 && !value[0].is_ascii_digit();
    let goes_on = [&b"("[..], b"::", b"->", b"![", b"!(", b"<"].iter().any(|sign| after.starts_with(sign));
    name && (goes_on || after.starts_with(b"[") || dotted && after.is_empty())
        || value.starts_with(b"&")
        || value.starts_with(b"(")
        || value.starts_with(b"/") && is_words(value)
        || value.starts_with(b"\\")
}

/// A version or a range of them: `1.2.3`, `^4.0.0-rc.1`, `v0.0.0-20210921155107-089bfa567519`, `workspace:^1.0.0`.
pub(super) fn is_version(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"workspace:").unwrap_or(value);
    let start = value.iter().take_while(|byte| b"^~<>=v ".contains(byte)).count();
    let mut rest = &value[start..];
    let mut numbers = 0;
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 8 {
            return false;
        }
        numbers += 1;
        rest = &rest[digits..];
        match rest.first() {
            Some(b'.') => rest = &rest[1..],
            None | Some(b'-' | b'+' | b' ' | b',' | b'=') => return numbers > 1,
            _ => return false,
        }
    }
}

/// A day, and perhaps a time of it: `2026-11-30T10:00:00Z`.
pub(super) fn is_time(value: &[u8]) -> bool {
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    value.len() >= 10
        && digits(&value[..4])
        && value[4] == b'-'
        && digits(&value[5..7])
        && value[7] == b'-'
        && digits(&value[8..10])
        && value[10..].iter().all(|byte| byte.is_ascii_digit() || b"TZ:.+- ".contains(byte))
}
