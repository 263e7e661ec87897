//! Keys of services that have no shape of their own, behind the service's name: `zenkit SECRET 12…`, `tomtom_key=…`.

use std::ops::Range;

use super::{
    code::{is_time, is_version},
    random::{Looks, is_digest, is_random, is_uuid},
    reference::is_reference,
};
use crate::hit::{Hit, Rank};

/// The services, a line each, in lower case: names that no ordinary word begins with.
pub(super) const NAMES: &str = include_str!("providers.txt");

/// The bytes behind a name in which its key may stand.
const WINDOW: usize = 112;
/// The most bytes between a service and a word such as `key`, and between that word and the value.
const MOST_BETWEEN: usize = 24;
/// The most bytes of a value.
const LONGEST: usize = 512;
/// Words that say that a key follows.
const LABELS: [&[u8]; 10] =
    [b"secret", b"private", b"access", b"token", b"key", b"auth", b"api", b"pass", b"cred", b"tkn"];

/// Looks behind the name of a service.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    if at.start > 0 && text[at.start - 1].is_ascii_alphanumeric() {
        return;
    }
    let end = (at.end + WINDOW).min(text.len());
    let (mut labelled, mut since, mut lines) = (false, at.end, 0);
    let mut i = at.end;
    while i < end && i - since <= MOST_BETWEEN {
        let byte = text[i];
        if !byte.is_ascii_alphanumeric() {
            lines += usize::from(byte == b'\n');
            // In an address or a path stands something else, and in the next sentence too.
            if lines > 2 || matches!(byte, b'/' | b'@' | b'#' | b'(' | b';' | b'\\') || text[i..].starts_with(b". ") {
                return;
            }
            i += 1;
            continue;
        }
        let piece = text[i..end].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if piece <= MOST_BETWEEN && is_label(&text[i..i + piece]) {
            labelled = true;
            i += piece;
            since = i;
            continue;
        }
        let run = text[i..].iter().take(LONGEST).take_while(|&&byte| is_value(byte)).count();
        let value = text[i..i + run].trim_ascii_end();
        let trimmed = value.iter().rev().take_while(|byte| matches!(byte, b'.' | b'-' | b':')).count();
        let value = &value[..value.len() - trimmed];
        let joined = text[since..i].iter().all(|byte| b" =:\"'>`\t\n".contains(byte));
        let keeps = if labelled { is_key(value, joined) } else { joined && is_alone(value, &text[since..i]) };
        if keeps && !is_reference(value) && i > at.end {
            let span = i..i + value.len();
            hits.push(Hit { span, kind: "generic-secret", rule: "generic-secret", rank: Rank::Generic });
            return;
        }
        i += piece;
    }
}

fn is_label(piece: &[u8]) -> bool {
    let lower = piece.to_ascii_lowercase();
    // A word with numbers all over is a value.
    piece.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2
        && LABELS.iter().any(|label| lower.windows(label.len()).any(|part| part == *label))
}

/// What stands behind the name and a word such as `key`: even a digest or a UUID is the key then.
fn is_key(value: &[u8], joined: bool) -> bool {
    let looks = Looks::of(value);
    if is_version(value) || is_time(value) || value.len() < 10 {
        return false;
    }
    let mixed = joined && looks.length >= 12 && looks.digits >= 4 && looks.letters() >= 4;
    is_digest(value) || is_random(value) && (looks.digits >= 2 || looks.length >= 20) && looks.letters() > 0 || mixed
}

/// What stands right behind the name, and nothing says that it is a key.
fn is_alone(value: &[u8], between: &[u8]) -> bool {
    let looks = Looks::of(value);
    let random = looks.length >= 16 && looks.digits >= 3 && looks.letters() >= 3 && looks.other * 4 <= looks.length;
    if between.contains(&b'=') && is_uuid(value) {
        return true;
    }
    random && is_random(value) && !is_digest(value) && !is_version(value) && !is_time(value) && !value.contains(&b'.')
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.' | b'~' | b':')
}
