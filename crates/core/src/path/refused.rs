//! Characters and spellings that no path may hold.

/// Control and format characters, and the line and paragraph separators: the general categories Cc, Cf, Zl and Zp of
/// Unicode 16.0 (`DerivedGeneralCategory.txt`), as ranges in order.
///
/// They are invisible or change how the text around them is shown, so that two paths could look alike.
const CHARACTERS: [(char, char); 23] = [
    ('\u{0}', '\u{1f}'),        // C0
    ('\u{7f}', '\u{9f}'),       // DEL, C1
    ('\u{ad}', '\u{ad}'),       // soft hyphen
    ('\u{600}', '\u{605}'),     // Arabic number signs
    ('\u{61c}', '\u{61c}'),     // Arabic letter mark
    ('\u{6dd}', '\u{6dd}'),     // Arabic end of ayah
    ('\u{70f}', '\u{70f}'),     // Syriac abbreviation mark
    ('\u{890}', '\u{891}'),     // Arabic pound and piastre marks
    ('\u{8e2}', '\u{8e2}'),     // Arabic disputed end of ayah
    ('\u{180e}', '\u{180e}'),   // Mongolian vowel separator
    ('\u{200b}', '\u{200f}'),   // zero-width space and joiners, bidi marks
    ('\u{2028}', '\u{202e}'),   // line and paragraph separator, bidi embeddings and overrides
    ('\u{2060}', '\u{2064}'),   // word joiner, invisible operators
    ('\u{2066}', '\u{206f}'),   // bidi isolates, deprecated format characters
    ('\u{feff}', '\u{feff}'),   // byte order mark
    ('\u{fff9}', '\u{fffb}'),   // interlinear annotation
    ('\u{110bd}', '\u{110bd}'), // Kaithi number sign
    ('\u{110cd}', '\u{110cd}'), // Kaithi number sign above
    ('\u{13430}', '\u{1343f}'), // Egyptian hieroglyph format controls
    ('\u{1bca0}', '\u{1bca3}'), // shorthand format controls
    ('\u{1d173}', '\u{1d17a}'), // musical format controls
    ('\u{e0001}', '\u{e0001}'), // language tag
    ('\u{e0020}', '\u{e007f}'), // tags
];

/// Whether `c` is a control or format character, or a backslash.
pub(crate) fn is_refused(c: char) -> bool {
    c == '\\' || is_invisible(c)
}

fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let after = CHARACTERS.partition_point(|(first, _)| *first <= c);
    after.checked_sub(1).and_then(|at| CHARACTERS.get(at)).is_some_and(|(_, last)| c <= *last)
}

/// Whether percent-decoding `text`, once or again and again, would give a dot, a slash or a backslash that was encoded.
///
/// Decoding goes on from left to right and folds each escape into the end of what was decoded before, so that
/// `%252e` and `%%32%65` are found too. Two escapes never overlap, hence the order does not matter.
pub(crate) fn hides_separator(text: &str) -> bool {
    if !text.contains('%') {
        return false;
    }
    let mut decoded: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        decoded.push(byte);
        while let Some(folded) = last_escape(&decoded) {
            if matches!(folded, b'.' | b'/' | b'\\') {
                return true;
            }
            decoded.truncate(decoded.len().saturating_sub(3));
            decoded.push(folded);
        }
    }
    false
}

/// The byte that the last three bytes stand for, if they are a percent escape.
fn last_escape(bytes: &[u8]) -> Option<u8> {
    let [.., b'%', high, low] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
}

/// `text` with every refused character escaped, and cut when it is longer than any path could be.
pub(crate) fn escaped(text: &str) -> String {
    /// No path is longer; what is shown of a longer one is enough to recognise it.
    const MAX_CHARS: usize = super::MAX_BYTES;
    let mut shown = String::with_capacity(text.len().min(MAX_CHARS));
    for (count, c) in text.chars().enumerate() {
        match c {
            _ if count == MAX_CHARS => {
                shown.push('…');
                break;
            }
            '\\' => shown.push_str("\\\\"),
            c if is_invisible(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(CHARACTERS.is_sorted_by(|a, b| a.0 <= a.1 && a.1 < b.0));
    }

    #[test]
    fn controls_agree_with_the_standard_library() {
        for c in '\0'..=char::MAX {
            if c.is_control() {
                assert!(is_refused(c), "{c:?}");
            }
        }
    }
}
