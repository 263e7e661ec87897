//! Personal data, by shape and by checksum.

mod card;
mod crypto;
mod email;
mod iban;
mod opt_in;
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
    let wanted = Wanted {
        card: on("payment-card"),
        iban: on("iban"),
        ssn: on("us-ssn"),
        national_phone: on("national-phone"),
        ip: on("ip-address"),
        mac: on("mac-address"),
        crypto: on("crypto-address"),
        national_id: on("national-id"),
        date_of_birth: on("date-of-birth"),
    };
    if wanted == Wanted::default() {
        return;
    }
    let mut at = 0;
    while let Some(start) = WORDS.next(text, at) {
        at = WORDS.run(text, start);
        wanted.word(text, start, at - start, &mut |span, kind| {
            hits.push(Hit { span, kind, rule: kind, rank: Rank::Structural });
        });
    }
}

/// The kinds that start with a word, and are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wanted {
    card: bool,
    iban: bool,
    ssn: bool,
    national_phone: bool,
    ip: bool,
    mac: bool,
    crypto: bool,
    national_id: bool,
    date_of_birth: bool,
}

impl Wanted {
    /// Looks at what starts with the word at `start`, of so many bytes.
    fn word(self, text: &[u8], start: usize, word: usize, report: &mut dyn FnMut(Range<usize>, &'static str)) {
        let first = text[start];
        let mut found = |span: Option<Range<usize>>, kind| {
            if let Some(span) = span {
                report(span, kind);
            }
        };
        if first.is_ascii_digit() {
            if self.card && word >= 3 {
                found(card::at(text, start), "payment-card");
            }
            if self.ssn && matches!(word, 3 | 5 | 9) {
                found(ssn::at(text, start), "us-ssn");
            }
            if self.national_phone {
                found(opt_in::national_phone(text, start), "national-phone");
            }
            if self.date_of_birth {
                found(opt_in::date_of_birth(text, start), "date-of-birth");
            }
        } else if self.iban && first.is_ascii_uppercase() && word >= 4 {
            found(iban::at(text, start), "iban");
        }
        if self.ip && word <= 4 {
            found(opt_in::ip_address(text, start), "ip-address");
        }
        if self.mac && word == 2 {
            found(opt_in::mac_address(text, start), "mac-address");
        }
        if self.national_id {
            found(opt_in::national_id(text, start, word), "national-id");
        }
        if self.crypto && word >= 26 && crypto::is_address(&text[start..start + word]) {
            found(Some(start..start + word), "crypto-address");
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
