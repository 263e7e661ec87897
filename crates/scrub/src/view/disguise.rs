//! Takes off what hides a value from a search and not from a reader: invisible characters, look-alikes, escapes.

use std::ops::Range;

use memchr::{memchr, memrchr};
use unicode_normalization::UnicodeNormalization;

use super::View;
use crate::text::Bytes;

/// The lines of a text that hold a disguise, without it; nothing if there is none.
///
/// Other lines are left out: they read as they are written.
pub(crate) fn undisguised(text: &[u8]) -> Option<View> {
    let mut view = View::default();
    let mut at = 0;
    while let Some(found) = next_disguise(text, at) {
        let start = memrchr(b'\n', &text[at..found]).map_or(at, |line| at + line + 1);
        let end = memchr(b'\n', &text[found..]).map_or(text.len(), |line| found + line + 1);
        undisguise(text, start..end, &mut view);
        at = end;
    }
    (!view.bytes.is_empty()).then_some(view)
}

/// The next place at which something may be hidden.
fn next_disguise(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = MARKS.next(text, at)?;
        let is_disguise = match text[at] {
            b'\\' => text.get(at + 1).is_some_and(u8::is_ascii_punctuation) || escape(text, at).is_some(),
            b'%' => percent(text, at).is_some(),
            b'&' => entity(text, at).is_some(),
            _ => is_hiding(text, at),
        };
        if is_disguise {
            return Some(at);
        }
        at += 1;
    }
}

/// What a disguise starts with.
const MARKS: Bytes = Bytes::new(b"\\%&", &[(0xc2, 0xf4)]);

/// Whether the character here is invisible or looks like an ASCII one. Letters of other scripts do only inside a word
/// with ASCII letters: in a word of their own they are what they seem.
fn is_hiding(text: &[u8], at: usize) -> bool {
    let (lead, second, third) =
        (text[at], text.get(at + 1).copied().unwrap_or(0), text.get(at + 2).copied().unwrap_or(0));
    let mixed = || {
        let is_ascii = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        is_ascii(at.checked_sub(1)) || is_ascii(Some(at + 2))
    };
    match (lead, second) {
        (0xc2, _) => matches!(second, 0xad | 0xaa | 0xb2 | 0xb3 | 0xb9 | 0xba),
        (0xcd, 0x8f) | (0xd8, 0x9c) => true,
        (0xc4 | 0xc9 | 0xca | 0xce | 0xcf | 0xd0 | 0xd1 | 0xd2 | 0xd3 | 0xd4 | 0xd5, _) => mixed(),
        (0xe1, _) => true,
        (0xe2, 0x80) => matches!(third, 0x8b..=0x8f | 0xa8..=0xae),
        (0xe2, 0x81) => third >= 0xa0,
        (0xe2, 0x82 | 0x84 | 0x85 | 0x91 | 0x92 | 0x93) => true,
        (0xef, 0xb8) => third <= 0x8f,
        (0xef, 0xbb) => third == 0xbf,
        (0xef, 0xbc | 0xbd) => true,
        (0xf0, 0x9d) | (0xf0, 0x9f) if lead == 0xf0 => second == 0x9d || matches!(third, 0x84 | 0x85),
        (0xf3, 0xa0) => true,
        _ => false,
    }
}

fn undisguise(text: &[u8], range: Range<usize>, view: &mut View) {
    let mut at = range.start;
    while at < range.end {
        let read = match text[at] {
            b'\\' => escape(text, at),
            b'%' => percent(text, at),
            b'&' => entity(text, at),
            _ => None,
        };
        if let Some((c, length)) = read {
            put(c, at..at + length, view);
            at += length;
            continue;
        }
        let byte = text[at];
        if byte.is_ascii() {
            view.push(byte, at..at + 1);
            at += 1;
            continue;
        }
        let length = match byte {
            0xf0.. => 4,
            0xe0.. => 3,
            _ => 2,
        };
        let end = (at + length).min(text.len());
        match std::str::from_utf8(&text[at..end]).ok().and_then(|piece| piece.chars().next()) {
            Some(c) => put(c, at..end, view),
            None => view.keep(text, at..at + 1),
        }
        at = if std::str::from_utf8(&text[at..end]).is_ok() { end } else { at + 1 };
    }
}

/// A character as it reads: nothing if it is invisible, ASCII if it looks like that.
fn put(c: char, from: Range<usize>, view: &mut View) {
    if c.is_ascii() {
        view.push(c as u8, from);
        return;
    }
    if is_invisible(c) {
        return;
    }
    if let Some(ascii) = look_alike(c) {
        view.push(ascii, from);
        return;
    }
    let mut buffer = [0; 4];
    for folded in std::iter::once(c).nfkc() {
        folded.encode_utf8(&mut buffer).bytes().for_each(|byte| view.push(byte, from.clone()));
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}')
}

/// Letters of other scripts that look like ASCII ones (after Unicode's confusables), beyond what NFKC folds.
fn look_alike(c: char) -> Option<u8> {
    const PAIRS: &[(&str, &str)] = &[
        // Cyrillic.
        ("аеорсухіјѕһԁԛԝвкмнтгпь", "aeopcyxijshdqwbkmhtrnb"),
        ("АВЕЗКМНОРСТУХІЈЅԌԚԜҮҺ", "ABE3KMHOPCTYXIJSGQWYH"),
        // Greek.
        ("αβγεηικνορτυχω", "aBYenikvoptuxw"),
        ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
        // Latin and IPA.
        ("ıɡɑɩʟʀɪɴᴀʙᴄᴅᴇɢʜᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢ", "igaiLRINABCDEGHJKMOPTUVWZ"),
        // Armenian.
        ("օսցհոզ", "ougfhnq"),
        // Dashes, underscores and dots.
        ("‐‑‒–−﹣‗․﹎", "------_._"),
    ];
    PAIRS.iter().find_map(|(from, to)| {
        let place = from.chars().position(|known| known == c)?;
        to.as_bytes().get(place).copied()
    })
}

/// A backslash escape: the character and the length.
fn escape(text: &[u8], at: usize) -> Option<(char, usize)> {
    let hex = |from: usize, digits: usize| number(text.get(from..from + digits)?, 16);
    match *text.get(at + 1)? {
        b'n' => Some(('\n', 2)),
        b'r' => Some(('\r', 2)),
        b't' => Some(('\t', 2)),
        b'x' => Some((char::from_u32(hex(at + 2, 2)?)?, 4)),
        b'u' if text.get(at + 2) == Some(&b'{') => {
            let length = text[at + 3..].iter().take(7).position(|&byte| byte == b'}')?;
            Some((char::from_u32(hex(at + 3, length)?)?, length + 4))
        }
        b'u' => {
            let first = hex(at + 2, 4)?;
            let low = || (text.get(at + 6..at + 8)? == b"\\u").then(|| hex(at + 8, 4)).flatten();
            match (first, low()) {
                (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00))?, 12))
                }
                _ => Some((char::from_u32(first)?, 6)),
            }
        }
        b'U' => Some((char::from_u32(hex(at + 2, 8)?)?, 10)),
        b'0'..=b'3' => Some((char::from_u32(number(text.get(at + 1..at + 4)?, 8)?)?, 4)),
        byte if byte.is_ascii_punctuation() => Some((byte as char, 2)),
        _ => None,
    }
}

fn percent(text: &[u8], at: usize) -> Option<(char, usize)> {
    let value = number(text.get(at + 1..at + 3)?, 16)?;
    (0x20..0x7f).contains(&value).then(|| char::from_u32(value)).flatten().map(|c| (c, 3))
}

/// A character reference of HTML: by number, or one of the names that matter here.
fn entity(text: &[u8], at: usize) -> Option<(char, usize)> {
    const NAMES: [(&[u8], char); 14] = [
        (b"amp", '&'),
        (b"lt", '<'),
        (b"gt", '>'),
        (b"quot", '"'),
        (b"apos", '\''),
        (b"lowbar", '_'),
        (b"period", '.'),
        (b"hyphen", '-'),
        (b"equals", '='),
        (b"colon", ':'),
        (b"sol", '/'),
        (b"plus", '+'),
        (b"shy", '\u{ad}'),
        (b"ZeroWidthSpace", '\u{200b}'),
    ];
    let length = text[at + 1..].iter().take(16).position(|&byte| byte == b';')?;
    let name = &text[at + 1..at + 1 + length];
    let c = match name {
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(number(digits, 16)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?)?,
        _ => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, length + 2))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits
        .iter()
        .try_fold(0_u32, |value, &digit| value.checked_mul(radix)?.checked_add((digit as char).to_digit(radix)?))
}
