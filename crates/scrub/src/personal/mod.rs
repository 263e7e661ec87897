//! Personal data, by shape and by checksum.

mod card;
mod email;
mod iban;
mod phone;
mod ssn;

use std::ops::Range;

use crate::{
    Mode, Scrubber,
    hit::{Hit, Rank},
    text::Bytes,
};

/// Finds personal data of the kinds that are on.
pub(crate) fn find<'s>(scrubber: &'s Scrubber, text: &[u8], hits: &mut Vec<Hit<'s>>) {
    let on = |kind: &str| scrubber.mode(kind) != Mode::Off;
    if on("email") {
        email::find(text, scrubber.policy().no_default_allowlist, hits);
    }
    if on("phone") {
        phone::find(text, hits);
    }
    let (card, iban, ssn) = (on("payment-card"), on("iban"), on("us-ssn"));
    if !(card || iban || ssn) {
        return;
    }
    let mut push = |span: Option<Range<usize>>, kind: &'static str| {
        span.into_iter().for_each(|span| hits.push(Hit { span, kind, rule: kind, rank: Rank::Structural }));
    };
    let mut at = 0;
    while let Some(start) = WORDS.next(text, at) {
        at = WORDS.run(text, start);
        let word = at - start;
        let first = text[start];
        if first.is_ascii_digit() {
            // What is glued to a number's left makes it another thing: a decimal, a part of an id, a path.
            if word >= 3 && card {
                push(card::at(text, start), "payment-card");
            }
            if (word == 3 || word == 9) && ssn {
                push(ssn::at(text, start), "us-ssn");
            }
        } else if iban && first.is_ascii_uppercase() && word >= 4 {
            push(iban::at(text, start), "iban");
        }
    }
}

const WORDS: Bytes = Bytes::new(b"", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]);

/// Digits from a place on, with single separators between them: the digits, and where the last one ends.
fn digits(text: &[u8], start: usize, most: usize, separators: &[u8]) -> Vec<(u8, usize)> {
    let mut found = Vec::with_capacity(most);
    let mut i = start;
    while found.len() <= most {
        match text.get(i) {
            Some(byte) if byte.is_ascii_digit() => found.push((byte - b'0', i + 1)),
            Some(byte) if separators.contains(byte) && text.get(i + 1).is_some_and(u8::is_ascii_digit) => {}
            _ => break,
        }
        i += 1;
    }
    found
}

/// Whether a number may start here: nothing is glued to its left.
fn is_free_before(text: &[u8], start: usize) -> bool {
    let before = |n: usize| start.checked_sub(n).map_or(b' ', |at| text[at]);
    match before(1) {
        b'.' | b'-' | b',' | b'/' | b'_' | b'+' | b'%' | b'$' => {
            !before(2).is_ascii_alphanumeric() && before(1) != b'_'
        }
        byte => !byte.is_ascii_alphanumeric() && byte < 0x80,
    }
}

/// Whether a number may end here.
fn is_free_after(text: &[u8], end: usize) -> bool {
    let after = |n: usize| text.get(end + n).copied().unwrap_or(b' ');
    match after(0) {
        b'.' | b'-' | b'/' | b':' => !after(1).is_ascii_alphanumeric(),
        b'_' | b'%' => false,
        byte => !byte.is_ascii_alphanumeric() && byte < 0x80,
    }
}
