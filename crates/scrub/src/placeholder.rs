//! The placeholder: `[REDACTED:<kind>]`, and nothing else about the value.
//!
//! The grammar is exact, and narrow enough that no token fits into it: after the colon 1 to 48 lower-case letters,
//! digits and single inner hyphens, first a letter, with at most four digits.

use std::{ops::Range, sync::LazyLock};

use memchr::memmem;

const OPEN: &str = "[REDACTED:";
/// Made once: it is asked for every text.
static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(OPEN));
const LONGEST_KIND: usize = 48;
const MOST_DIGITS: usize = 4;

/// The placeholder for a kind.
pub fn placeholder(kind: &str) -> String {
    format!("{OPEN}{kind}]")
}

/// Where the placeholders of a text stand, in bytes, in order. An edit whose match covers one only in part must be
/// refused: it would leave something that is not a placeholder any more.
pub fn placeholders(text: &str) -> Vec<Range<usize>> {
    placeholders_in(text.as_bytes())
}

/// Whether replacing `range` of the text would cut into a placeholder: cover a part of it and not all.
pub fn cuts_placeholder(text: &str, range: Range<usize>) -> bool {
    placeholders(text).iter().any(|held| {
        let inside = range.start < held.end && held.start < range.end;
        let between = range.is_empty() && held.start < range.start && range.start < held.end;
        between || inside && !(range.start <= held.start && held.end <= range.end)
    })
}

pub(crate) fn placeholders_in(text: &[u8]) -> Vec<Range<usize>> {
    FINDER
        .find_iter(text)
        .filter_map(|start| {
            let kind = start + OPEN.len();
            let length = text[kind..].iter().take(LONGEST_KIND + 1).position(|&byte| byte == b']')?;
            is_kind(&text[kind..kind + length]).then_some(start..kind + length + 1)
        })
        .collect()
}

/// Whether this may be the name of a kind.
pub(crate) fn is_kind(name: &[u8]) -> bool {
    let digits = name.iter().filter(|byte| byte.is_ascii_digit()).count();
    name.first().is_some_and(u8::is_ascii_lowercase)
        && name.len() <= LONGEST_KIND
        && digits <= MOST_DIGITS
        && name
            .split(|&byte| byte == b'-')
            .all(|part| !part.is_empty() && part.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

/// The id of a rule as the name of a kind: what the grammar does not allow is left out.
pub(crate) fn kind_of(id: &str) -> String {
    let mut kind = String::new();
    let mut digits = 0;
    for c in id.chars() {
        let c = c.to_ascii_lowercase();
        digits += usize::from(c.is_ascii_digit());
        match c {
            'a'..='z' => kind.push(c),
            '0'..='9' if digits <= MOST_DIGITS && !kind.is_empty() => kind.push(c),
            '0'..='9' => {}
            _ if kind.is_empty() || kind.ends_with('-') => {}
            _ => kind.push('-'),
        }
        if kind.len() == LONGEST_KIND {
            break;
        }
    }
    let kind = kind.trim_end_matches('-');
    if kind.is_empty() { "secret".to_owned() } else { kind.to_owned() }
}
