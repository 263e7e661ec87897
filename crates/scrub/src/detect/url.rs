//! Passwords in URLs: `scheme://user:password@host`. User and host stay.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::{
    random::{Looks, is_random},
    reference::is_reference,
};
use crate::hit::{Hit, Rank};

/// The most bytes of what stands before the host.
const LONGEST: usize = 1024;

/// Looks at the URL whose `://` stands here.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let scheme = text[..at.start].iter().rev().take(40).take_while(|&&byte| is_scheme(byte)).count();
    let start = at.start - scheme;
    let before = start.checked_sub(1).map_or(0, |before| text[before]);
    let rest = &text[at.end..(at.end + LONGEST).min(text.len())];
    // A URL between quotes goes up to the closing one, so that a space in its password does not end it.
    let stop = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let tight = rest.iter().position(stop).unwrap_or(rest.len());
    let wide = matches!(before, b'"' | b'\'' | b'`')
        .then(|| rest.iter().position(|&byte| byte == before || byte == b'\n').unwrap_or(rest.len()));
    let Some(user) = userinfo(&rest[..tight]).or_else(|| wide.and_then(|wide| userinfo(&rest[..wide]))) else { return };
    let (user, password) = match memchr(b':', &rest[..user]) {
        Some(colon) => (&rest[..colon], colon + 1..user),
        // A token in the place of the user.
        None if user >= 16 && is_random(&rest[..user]) && Looks::of(&rest[..user]).digits > 1 => (&rest[..0], 0..user),
        None => return,
    };
    let value = &rest[password.clone()];
    if value.is_empty() || is_reference(value) || is_template(value) || user.contains(&b'[') {
        return;
    }
    let span = at.end + password.start..at.end + password.end;
    hits.push(Hit { span, kind: "url-password", rule: "url-password", rank: Rank::Structural });
}

/// The length of what stands before the last `@` of the authority.
fn userinfo(url: &[u8]) -> Option<usize> {
    let authority = url.iter().position(|&byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(url.len());
    if let Some(at) = memrchr(b'@', &url[..authority]) {
        return Some(at);
    }
    // A password with a slash, question mark or hash in it: what is before the first `@` is not a host with a port.
    let at = memchr(b'@', url)?;
    let colon = memchr(b':', &url[..authority])?;
    let after = &url[colon + 1..authority];
    let is_port = after.iter().all(u8::is_ascii_digit);
    (!is_port && !url[..colon].contains(&b'.')).then_some(at)
}

fn is_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b':')
}

/// What documentation writes in the place of a password.
fn is_template(value: &[u8]) -> bool {
    let inner = value.first().zip(value.last());
    matches!(inner, Some((b'{', b'}') | (b'[', b']') | (b'<', b'>') | (b'*', b'*')))
        || value.starts_with(b"{") && value.contains(&b'}') && !value.contains(&b'"')
        || value.starts_with(b"%s")
        || value.starts_with(b"${")
        || value.starts_with(b"#{")
        || value.starts_with(b"...")
}
