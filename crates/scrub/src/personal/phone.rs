//! International phone numbers (ITU-T E.164): a plus sign, a country code that exists, and as many digits as it has.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::hit::{Hit, Rank};

/// The bytes before a plus sign at the start of a line in which a mark of a diff is looked for.
const DIFF_WITHIN: usize = 16 << 10;

/// Finds numbers with a plus sign.
pub(super) fn find(text: &[u8], hits: &mut Vec<Hit<'_>>) {
    for at in memchr_iter(b'+', text) {
        if let Some(span) = number(text, at) {
            hits.push(Hit { span, kind: "phone", rule: "phone", rank: Rank::Structural });
        }
    }
}

fn number(text: &[u8], plus: usize) -> Option<Range<usize>> {
    let before = plus.checked_sub(1).map_or(b'\n', |at| text[at]);
    if before.is_ascii_alphanumeric() || matches!(before, b'+' | b'_' | b'/' | b'%' | b'.') {
        return None;
    }
    let mut digits = Vec::with_capacity(16);
    let (mut i, mut end, mut open, mut gap) = (plus + 1, plus, false, 0);
    // Up to a space, what stood before may be a number of itself, and another one follow.
    let mut shorter = None;
    while let Some(&byte) = text.get(i) {
        match byte {
            b'0'..=b'9' => {
                digits.push(byte - b'0');
                (end, gap) = (i + 1, 0);
            }
            b'(' if !open && !digits.is_empty() => open = true,
            b')' if open => open = false,
            b' ' | b'-' | b'.' | b'/' if gap < 1 && !digits.is_empty() => {
                if byte == b' ' && digits.len() >= 10 && is_number(&digits) {
                    shorter = Some(plus..end);
                }
                gap += 1;
            }
            // A no-break space.
            0xc2 if text.get(i + 1) == Some(&0xa0) && gap < 1 => (i, gap) = (i + 1, gap + 1),
            _ => break,
        }
        i += 1;
        if digits.len() > 15 {
            return shorter.filter(|_| before != b'\n' || !is_diff(text, plus));
        }
    }
    let glued = text.get(end).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let decimal = text.get(end) == Some(&b',') && text.get(end + 1).is_some_and(u8::is_ascii_digit);
    let is_number = is_number(&digits) && !glued && !decimal;
    (is_number && !(before == b'\n' && is_diff(text, plus))).then_some(plus..end)
}

/// Whether the country code exists, and the rest has a length that its numbers have.
fn is_number(digits: &[u8]) -> bool {
    let code =
        |n: usize| digits.get(..n).map(|code| code.iter().fold(0_u32, |value, &digit| value * 10 + u32::from(digit)));
    if !(7..=15).contains(&digits.len()) {
        return false;
    }
    match (code(1), code(2), code(3)) {
        // North America: an area and an exchange that do not start with 0 or 1.
        (Some(1), ..) => digits.len() == 11 && digits[1] >= 2 && digits[4] >= 2,
        (Some(7), ..) => digits.len() == 11 && digits[1] >= 3,
        (
            _,
            Some(
                20 | 27 | 30..=34 | 36 | 39 | 40 | 41 | 43..=49 | 51..=58 | 60..=66 | 81 | 82 | 84 | 86 | 90..=95 | 98,
            ),
            _,
        ) => digits.len() >= 8,
        (_, _, Some(code)) => {
            matches!(code,
                211 | 212 | 213 | 216 | 218 | 220..=258 | 260..=269 | 290 | 291 | 297..=299 | 350..=359 | 370..=378 | 380..=383
                | 385..=387 | 389 | 420 | 421 | 423 | 500..=509 | 590..=599 | 670 | 672..=683 | 685..=692 | 800 | 808 | 850
                | 852 | 853 | 855 | 856 | 870 | 878 | 880..=883 | 886 | 888 | 960..=968 | 970..=977 | 979 | 992..=996 | 998)
        }
        _ => false,
    }
}

/// Whether the plus sign at the start of a line is that of a diff.
fn is_diff(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(DIFF_WITHIN)..at];
    [&b"\n@@ -"[..], b"diff --git ", b"\n+++ "].iter().any(|mark| memmem::find(before, mark).is_some())
        || before.starts_with(b"@@ -")
}
