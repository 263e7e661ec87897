//! Kinds that are looked for only where a policy names them: too many texts are full of what looks like them.

use std::ops::Range;

use memchr::memmem;

use super::{is_free_after, is_free_before};

/// The bytes before a value in which a label is looked for.
const LABEL_WITHIN: usize = 32;

/// A label that is found before a value, whatever stands between, on the same line.
fn has_label(text: &[u8], start: usize, labels: &[&str]) -> bool {
    let before = &text[start.saturating_sub(LABEL_WITHIN)..start];
    let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let before = before[line..].to_ascii_lowercase();
    labels.iter().any(|label| {
        memmem::find_iter(&before, label.as_bytes()).any(|at| {
            // A label is a word: `tel`, and not `hotel`.
            at.checked_sub(1).is_none_or(|at| !before[at].is_ascii_alphanumeric())
                && before.get(at + label.len()).is_none_or(|byte| !byte.is_ascii_alphabetic())
                // Another number after it, or the placeholder of one, is what it labels.
                && !before[at + label.len()..].iter().any(|byte| byte.is_ascii_digit() || *byte == b']')
        })
    })
}

/// A phone number as it is written in its own country, behind a label.
pub(super) fn national_phone(text: &[u8], start: usize) -> Option<Range<usize>> {
    const LABELS: &[&str] = &[
        "phone",
        "tel",
        "telephone",
        "mobile",
        "cell",
        "fax",
        "call",
        "sms",
        "whatsapp",
        "phones",
        "handy",
        "telefon",
    ];
    let from = if start > 0 && text[start - 1] == b'(' { start - 1 } else { start };
    if !has_label(text, from, LABELS) {
        return None;
    }
    let mut digits = 0;
    let mut end = from;
    for (i, byte) in text[from..].iter().take(24).enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                end = from + i + 1;
            }
            b' ' | b'-' | b'.' | b'(' | b')' | b'/' => {}
            _ => break,
        }
    }
    ((6..=13).contains(&digits) && is_free_before(text, from) && is_free_after(text, end)).then_some(from..end)
}

/// An address of IPv4, or of IPv6 with at least two colons.
pub(super) fn ip_address(text: &[u8], start: usize) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let mut from = start;
    while from > 0 && text[from - 1] == b':' {
        from -= 1;
    }
    if from > 0 && (text[from - 1].is_ascii_alphanumeric() || matches!(text[from - 1], b'.' | b'_' | b'-')) {
        return None;
    }
    let length = text[from..].iter().take(46).take_while(|&&byte| is_part(byte)).count();
    let mut end = from + length;
    while end > from && (text[end - 1] == b'.' || text[end - 1] == b':' && !text[from..end].ends_with(b"::")) {
        end -= 1;
    }
    if text.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return None;
    }
    let address = std::str::from_utf8(&text[from..end]).ok()?;
    let is_v6 = address.len() > 3 && address.parse::<std::net::Ipv6Addr>().is_ok();
    // With a port behind it, the address is what is before.
    let v4 = address.split(':').next().filter(|first| first.parse::<std::net::Ipv4Addr>().is_ok());
    if is_v6 { Some(from..end) } else { v4.map(|first| from..from + first.len()) }
}

/// Six pairs of hex digits with the same mark between them.
pub(super) fn mac_address(text: &[u8], start: usize) -> Option<Range<usize>> {
    let address = text.get(start..start + 17)?;
    let mark = address[2];
    let is_shaped = matches!(mark, b':' | b'-')
        && address
            .iter()
            .enumerate()
            .all(|(i, &byte)| if i % 3 == 2 { byte == mark } else { byte.is_ascii_hexdigit() });
    let free = |byte: Option<&u8>| !byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == mark);
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    (is_shaped && free(before) && free(text.get(start + 17))).then_some(start..start + 17)
}

/// A date behind a label of birth.
pub(super) fn date_of_birth(text: &[u8], start: usize) -> Option<Range<usize>> {
    const LABELS: &[&str] =
        &["dob", "born", "birth", "birthday", "birthdate", "date of birth", "date_of_birth", "geboren", "geburtsdatum"];
    if !has_label(text, start, LABELS) {
        return None;
    }
    let mut end = start;
    let mut groups = vec![0_u64];
    let mut marks = 0;
    for (i, &byte) in text[start..].iter().take(12).enumerate() {
        match byte {
            b'0'..=b'9' => {
                let group = groups.last_mut()?;
                *group = *group * 10 + u64::from(byte - b'0');
                end = start + i + 1;
            }
            b'-' | b'/' | b'.' if marks < 2 => {
                marks += 1;
                groups.push(0);
            }
            _ => break,
        }
    }
    let [a, b, c] = groups[..] else { return None };
    let year = |year| (1900..=2100).contains(&year);
    let day = |day| (1..=31).contains(&day);
    let is_date = year(a) && day(b) && day(c) || day(a) && day(b) && (year(c) || c < 100);
    (is_date && is_free_before(text, start)).then_some(start..end)
}

/// A national identifier that proves itself by a check digit, or has a label.
pub(super) fn national_id(text: &[u8], start: usize, word: usize) -> Option<Range<usize>> {
    let end = start + word;
    if !is_free_before(text, start) {
        return None;
    }
    let written = &text[start..end];
    let found = match word {
        // Spain: NIF and NIE.
        9 if is_spanish(written) => Some(start..end),
        // Finland, Sweden with a mark inside.
        6 | 11 if finnish(text, start).is_some() => finnish(text, start),
        6 => swedish(text, start),
        // Turkey, Poland: eleven digits; India: twelve; South Africa: thirteen. A label is asked for, since any number may be one.
        11 if written.iter().all(u8::is_ascii_digit)
            && (is_turkish(written) || is_polish(written))
            && has_label(text, start, ID_LABELS) =>
        {
            Some(start..end)
        }
        _ => None,
    };
    let british = || (matches!(word, 2 | 9)).then(|| british(text, start)).flatten();
    found.or_else(british).filter(|span| is_free_after(text, span.end))
}

const ID_LABELS: &[&str] = &["id", "pesel", "tc", "kimlik", "national", "identity", "ident", "tckn"];

fn value(digits: &[u8]) -> Vec<u32> {
    digits.iter().map(|byte| u32::from(byte.wrapping_sub(b'0'))).collect()
}

fn is_spanish(written: &[u8]) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let (body, check) = written.split_at(8);
    let lead = match body[0] {
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        digit if digit.is_ascii_digit() => u32::from(digit - b'0'),
        _ => return false,
    };
    body[1..].iter().all(u8::is_ascii_digit) && {
        let number = value(&body[1..]).iter().fold(lead, |number, digit| number * 10 + digit);
        LETTERS[number as usize % 23] == check[0]
    }
}

/// `ddmmyy`, a mark of the century, three digits and a check sign.
fn finnish(text: &[u8], start: usize) -> Option<Range<usize>> {
    const SIGNS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let written = text.get(start..start + 11)?;
    let digits = [&written[..6], &written[7..10]].concat();
    let is_shaped = digits.iter().all(u8::is_ascii_digit) && b"+-ABCDEFYXWVU".contains(&written[6]);
    if !is_shaped {
        return None;
    }
    let number = value(&digits).iter().fold(0_u32, |number, digit| number * 10 + digit);
    (SIGNS[number as usize % 31] == written[10]).then_some(start..start + 11)
}

/// `yymmdd-nnnn`, by Luhn.
fn swedish(text: &[u8], start: usize) -> Option<Range<usize>> {
    let written = text.get(start..start + 11)?;
    let digits = [&written[..6], &written[7..]].concat();
    if !matches!(written[6], b'-' | b'+') || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = value(&digits);
    let (month, day) = (digits[2] * 10 + digits[3], digits[4] * 10 + digits[5]);
    let double = |(i, &digit): (usize, &u32)| match (i % 2, digit * 2) {
        (1, _) => digit,
        (_, twice) if twice > 9 => twice - 9,
        (_, twice) => twice,
    };
    let sum: u32 = digits.iter().enumerate().map(double).sum();
    (sum.is_multiple_of(10) && (1..=12).contains(&month) && (1..=91).contains(&day)).then_some(start..start + 11)
}

/// The national insurance number of the United Kingdom: two letters, six digits, a letter.
fn british(text: &[u8], start: usize) -> Option<Range<usize>> {
    let mut signs = Vec::with_capacity(9);
    let mut end = start;
    for (i, &byte) in text[start..].iter().take(13).enumerate() {
        match byte {
            b' ' if signs.len() < 9 => {}
            byte if byte.is_ascii_alphanumeric() && signs.len() < 9 => {
                signs.push(byte);
                end = start + i + 1;
            }
            _ => break,
        }
    }
    let [a, b, digits @ .., last] = &signs[..] else { return None };
    let letters = a.is_ascii_uppercase() && b.is_ascii_uppercase() && !b"DFIQUV".contains(a) && !b"DFIOQUV".contains(b);
    let taken = [b"BG", b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ"].contains(&&[*a, *b]);
    (digits.len() == 6 && letters && !taken && digits.iter().all(u8::is_ascii_digit) && b"ABCD".contains(last))
        .then_some(start..end)
}

fn is_turkish(written: &[u8]) -> bool {
    let digits = value(written);
    let sum = |from: usize| digits[from..9].iter().step_by(2).sum::<u32>();
    digits[0] != 0
        && (sum(0) * 7 + 100 - sum(1).min(100)) % 10 == digits[9]
        && digits[..10].iter().sum::<u32>() % 10 == digits[10]
}

fn is_polish(written: &[u8]) -> bool {
    let digits = value(written);
    let sum: u32 = digits.iter().zip([1, 3, 7, 9, 1, 3, 7, 9, 1, 3]).map(|(digit, weight)| digit * weight).sum();
    let month = (digits[2] * 10 + digits[3]) % 20;
    (10 - sum % 10) % 10 == digits[10] && (1..=12).contains(&month)
}
