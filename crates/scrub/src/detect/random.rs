//! Whether a value looks as if a machine had made it up.

use crate::text::entropy;

/// What is known of a value's looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    pub(crate) length: usize,
    pub(crate) digits: usize,
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    /// Other than letters and digits.
    pub(crate) other: usize,
    pub(crate) hex: bool,
}

impl Looks {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut looks = Self { length: value.len(), hex: true, ..Self::default() };
        for &byte in value {
            match byte {
                b'0'..=b'9' => looks.digits += 1,
                b'a'..=b'z' => looks.lower += 1,
                b'A'..=b'Z' => looks.upper += 1,
                _ => looks.other += 1,
            }
            looks.hex &= byte.is_ascii_hexdigit();
        }
        looks
    }

    /// Letters and digits.
    pub(crate) fn is_mixed(&self) -> bool {
        self.digits > 0 && self.letters() > 0
    }

    pub(crate) fn letters(&self) -> usize {
        self.upper + self.lower
    }
}

/// Whether a value looks random: a token, and neither words nor code nor a path.
pub(crate) fn is_random(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    if looks.length < 8 || !value.iter().all(|&byte| is_token(byte)) {
        return false;
    }
    if looks.letters() == 0 {
        return looks.digits >= 15 && looks.other == 0;
    }
    if value.starts_with(b"/") && looks.digits == 0 || value.windows(3).any(|three| three == b"://") {
        return false;
    }
    if is_words(value) || is_path(value) || is_constant(value) {
        return false;
    }
    if looks.digits == 0 {
        // Letters alone: long, in both cases, and mixed as no words are.
        return looks.length >= 14 && looks.upper > 0 && looks.lower > 0 && entropy(value) > 3.2
            || looks.length >= 20 && entropy(value) > 3.4;
    }
    let least = if looks.length < 12 { 2.4 } else { 2.6 };
    entropy(value) >= least
}

/// What tokens are made of.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.+/=~:!@#$%^&*|,".contains(&byte)
}

/// Whether a value is words, numbers and versions, joined as names are: `next-page-token`, `userId2`, `v1.2.3`.
pub(crate) fn is_words(value: &[u8]) -> bool {
    let (mut count, mut length) = (0, 0);
    for part in value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        let mut numbered = 0;
        for hump in humps(part) {
            count += 1;
            length += hump.len();
            numbered += usize::from(hump.last().is_some_and(u8::is_ascii_digit));
            // Names have a number at their end, and perhaps one within.
            if numbered > 2 || !is_word(hump) {
                return false;
            }
        }
    }
    // Many scraps of two or three are no words.
    count <= 3 || length * 2 >= count * 7
}

/// Whether a value is the name of a file with the folders that it lies in.
fn is_path(value: &[u8]) -> bool {
    let parts = || value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    value.contains(&b'/')
        && !value.iter().any(|byte| b"+=".contains(byte))
        && parts().all(is_words)
        && parts().any(|part| part.len() > 3)
}

/// Whether a value is a name as constants have it: `KEYS_1EDC_REFLECTED`.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        && value.split(|byte| *byte == b'_').filter(|part| part.len() > 2 && is_words(part)).count() >= 2
}

/// The humps of a camel-case name, digits with what is before them.
fn humps(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = part;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let upper = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let lower = rest[upper..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let mut end = upper + lower;
        // `HTTPServer`: the last capital belongs to what follows.
        if upper > 1 && lower > 0 {
            end = upper - 1;
        }
        end += rest[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (hump, after) = rest.split_at(end.max(1));
        rest = after;
        Some(hump)
    })
}

/// Whether a value is a name in a program, whose words may be scraps and numbers: `NID_aes_256_cbc`, `Ed25519Key`.
pub(crate) fn is_identifier(value: &[u8]) -> bool {
    let mut parts = value.split(|&byte| byte == b'_').filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some()
        && !value[0].is_ascii_digit()
        && parts.all(|part| {
            part.iter().all(u8::is_ascii_alphanumeric) && humps(part).all(is_numbered) && humps(part).count() <= 8
        })
}

/// A word with up to five digits after it, or these alone.
fn is_numbered(hump: &[u8]) -> bool {
    let letters = hump.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    hump.len() - letters <= 5 && (letters == 0 || is_word(&hump[..letters]))
}

/// The number of words in a name.
pub(crate) fn count_words(value: &[u8]) -> usize {
    value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).flat_map(humps).count()
}

/// A word as people make them, with a short number after it, or a short number.
fn is_word(hump: &[u8]) -> bool {
    let letters = hump.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits = hump.len() - letters;
    if letters == 0 {
        return digits <= 4;
    }
    if digits > 3 {
        return false;
    }
    let word = &hump[..letters];
    if letters <= 3 {
        return true;
    }
    if word.eq_ignore_ascii_case(b"passwd") {
        return true;
    }
    let rare = word.windows(2).filter(|pair| !is_common(pair[0], pair[1])).count();
    letters <= 16 && rare * 3 < letters
}

/// Whether two letters often stand together in English and in the names of programs: the 270 pairs of 676 that make up
/// 94 % of the words there. A row for the first letter, a bit for the second.
fn is_common(first: u8, second: u8) -> bool {
    const PAIRS: [u32; 26] = [
        0x13ebd6e, 0x0164915, 0x01edd97, 0x0564919, 0x1fff97f, 0x0164939, 0x0166991, 0x00a5111, 0x2aef87f, 0x0000010,
        0x0040110, 0x11cc919, 0x014d113, 0x03c6d7d, 0x07efd6f, 0x01ec995, 0x0100000, 0x13efd7d, 0x31cddd5, 0x11ed995,
        0x00eb93f, 0x0004111, 0x0066111, 0x0088010, 0x004a000, 0x0000010,
    ];
    let letter = |byte: u8| usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a'));
    PAIRS.get(letter(first)).is_some_and(|row| row >> letter(second) & 1 == 1)
}

/// Whether a value is what memory is full of and no secret: a digest, an id of a commit, a UUID.
pub(crate) fn is_digest(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    hex && matches!(value.len(), 32 | 40 | 56 | 64 | 96 | 128) || is_uuid(value)
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(i, &byte)| match i {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
