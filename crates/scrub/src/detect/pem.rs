//! Private keys in PEM armour (RFC 7468) and its relatives of PGP and SSH, also where the end is missing.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::hit::{Hit, Rank};

/// The most bytes of a key: an RSA key of 16,384 bits has about 13,000.
const LONGEST: usize = 64 << 10;
/// The most bytes between `BEGIN` and the dashes after it.
const LONGEST_LABEL: usize = 64;

/// Finds a key that begins here.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let label = &text[at.end..(at.end + LONGEST_LABEL).min(text.len())];
    let Some(length) = memmem::find(label, b"-----") else { return };
    let upper = label[..length].to_ascii_uppercase();
    if memmem::find(&upper, b"PRIVATE KEY").is_none() {
        return;
    }
    let body = at.end + length + 5;
    let end = terminated(text, body).unwrap_or_else(|| unterminated(text, body));
    hits.push(Hit { span: at.start..end, kind: "private-key", rule: "private-key", rank: Rank::Shape });
}

/// The end of the armour, if it has one before the next begins.
fn terminated(text: &[u8], body: usize) -> Option<usize> {
    let rest = &text[body..(body + LONGEST).min(text.len())];
    let dashes = |from: usize| memmem::find(&rest[from..], b"-----").map(|at| from + at);
    let mut at = dashes(0)?;
    // The first line of dashes that is not some other.
    while !rest[at..].starts_with(b"-----END") {
        if rest[at..].starts_with(b"-----BEGIN") {
            return None;
        }
        at = dashes(at + 1)?;
    }
    let end = at;
    let label = &rest[end + 8..(end + 8 + LONGEST_LABEL).min(rest.len())];
    let close = memmem::find(label, b"-----").map_or(0, |length| length + 5);
    let dashes = label[close..].iter().take_while(|&&byte| byte == b'-').count();
    Some(body + end + 8 + close + dashes)
}

/// Where what looks like the inside of a key stops.
fn unterminated(text: &[u8], body: usize) -> usize {
    let limit = (body + LONGEST).min(text.len());
    let (mut end, mut at, mut full) = (body, body, false);
    while at < limit {
        let stop = memchr(b'\n', &text[at..limit]).map_or(limit, |length| at + length);
        let line = &text[at..stop];
        let core = core(line);
        let is_header = [&b"Proc-Type:"[..], b"DEK-Info:", b"Version:", b"Comment:", b"Hash:"]
            .iter()
            .any(|header| memmem::find(line, header).is_some());
        let length = core.len();
        if length > 0 && !is_header {
            let inner = &line[core.clone()];
            // A line of a key, or its last, shorter one.
            if !inner.iter().all(|&byte| is_body(byte)) || (length < 16 && !full) {
                break;
            }
            if length < 16 && full && inner.iter().all(u8::is_ascii_lowercase) {
                break;
            }
            full |= length >= 16;
        }
        if length > 0 {
            end = at + core.end;
        }
        at = stop + 1;
    }
    end
}

/// A line without quotes, comment marks and indentation.
fn core(line: &[u8]) -> Range<usize> {
    let start = line.iter().position(|&byte| is_body(byte) && byte != b'\\').unwrap_or(line.len());
    let end = line.iter().rposition(|&byte| is_body(byte) && byte != b'\\').map_or(start, |at| at + 1);
    start..end.max(start)
}

/// Base64, and the escaped line ends of a key in one line.
fn is_body(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\')
}
