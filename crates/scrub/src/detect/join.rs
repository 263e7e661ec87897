//! What stands behind a name, and how it is joined to it: `= x`, `: "x"`, `> x`, `, "x"`, ` is x`.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::text::is_word;

/// The most bytes between a name and its value.
const MOST_BETWEEN: usize = 120;
/// The most bytes of a value.
pub(super) const LONGEST: usize = 4096;
/// The bytes before a quote in which others are counted.
const QUOTES_WITHIN: usize = 512;

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// `=`, `:`, `=>` and the like.
    Operator,
    /// The comma of `set("NAME", "value")`.
    Comma,
    /// `>`, of an element.
    Element,
    /// A space after an option of a program.
    Option,
    /// A verb: `the password is …`.
    Verb,
    /// Only a space.
    Loose,
}

/// A value and how it was written.
pub(super) struct Value {
    pub(super) span: Range<usize>,
    pub(super) quoted: bool,
    /// It stands on another line than its name.
    pub(super) crosses: bool,
    /// It is compared with, not assigned.
    pub(super) compared: bool,
}

/// How the value after a name is joined to it, and where it stands: between quotes or bare.
pub(super) fn value(text: &[u8], start: usize, end: usize) -> Option<(Join, Value)> {
    let limit = (end + MOST_BETWEEN).min(text.len());
    let at = |i: usize| text.get(i).copied().filter(|_| i < limit).unwrap_or(0);
    let mut i = end;
    // What closes the name: a quote, a bracket, the size of an array.
    let closed = matches!(at(i), b'"' | b'\'' | b'`') && start > 0 && text[start - 1] == at(i);
    // An index that is a variable says nothing of what it leads to.
    if at(i) == b']' {
        return None;
    }
    while matches!(at(i), b'"' | b'\'' | b'`' | b']' | b'*' | b'?') {
        i += 1;
    }
    if at(i) == b'[' {
        let inside = text[i + 1..limit].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if at(i + 1 + inside) == b']' {
            i += inside + 2;
        }
    }
    let tight = i;
    while matches!(at(i), b' ' | b'\t') {
        i += 1;
    }
    let spaced = i > tight;
    let is_option = start > 0 && text[start..].starts_with(b"-") || text[..start].ends_with(b" /");
    // The type of a variable: `token string = `, `token: &str = `.
    let mut operator = i;
    if spaced || at(i) == b':' {
        let mut j = i;
        while matches!(at(j), b':' | b' ' | b'&' | b'\'') {
            j += 1;
        }
        let word = text[j..limit].iter().take_while(|&&byte| is_word(byte)).count();
        if matches!(
            &text[j..j + word],
            b"string" | b"str" | b"String" | b"char" | b"text" | b"static" | b"byte" | b"const" | b"NSString"
        ) {
            let mut k = j + word;
            while matches!(at(k), b' ' | b'&' | b'*') || text[k.min(limit)..limit].starts_with(b"str") {
                k += if at(k) == b's' { 3 } else { 1 };
            }
            if at(k) == b'=' {
                operator = k;
            }
        }
    }
    // A number is no secret, whatever its name.
    if operator == i && at(i) == b':' {
        let gap = text[i + 1..limit].iter().take_while(|&&byte| matches!(byte, b' ' | b'[')).count();
        let word = text[i + 1 + gap..limit].iter().take_while(|&&byte| is_word(byte)).count();
        if is_number_type(&text[i + 1 + gap..i + 1 + gap + word]) {
            return None;
        }
    }
    i = operator;
    let mut join = Join::Operator;
    match at(i) {
        b',' if closed => {
            join = Join::Comma;
            i += 1;
        }
        b'>' if at(i + 1) != b'=' && start > 0 && (closed || text[start - 1] == b'<') => {
            join = Join::Element;
            i += 1;
        }
        b'=' | b':' | b'|' | b'?' | b'.' | b'~' | b'<' | b'!' | b'+' | b'-' => {
            let signs = text[i..limit].iter().take(4).take_while(|&&byte| b"=:|?.~<!+->".contains(&byte)).count();
            let sign = &text[i..i + signs];
            let sign = match sign {
                // R's arrow, and what is taken if a variable is not set.
                b"<-" | b"||" | b"??" => sign,
                [inner @ .., b'-' | b'.' | b'+' | b'~' | b'<' | b'!' | b'|'] if !inner.is_empty() => inner,
                _ => sign,
            };
            let joins = sign.iter().any(|byte| b"=:".contains(byte)) || matches!(sign, b"->" | b"<-" | b"||" | b"??");
            if sign == b"::" || sign == b"." || !joins {
                if !(spaced && (is_option || sign.starts_with(b"-"))) {
                    return None;
                }
                join = if is_option { Join::Option } else { Join::Loose };
            } else {
                i += sign.len();
            }
        }
        _ if spaced && is_option => join = Join::Option,
        _ if spaced => join = Join::Loose,
        _ => return None,
    }
    if join == Join::Loose {
        for word in [&b"is "[..], b"was ", b"to ", b"are "] {
            if text[i..limit].starts_with(word) {
                i += word.len();
                join = Join::Verb;
            }
        }
    }
    let compared = text[operator..i].windows(2).any(|two| matches!(two, b"==" | b"!=" | b"||" | b"??"));
    let mut line_ends = 0;
    loop {
        match at(i) {
            b' ' | b'\t' | b'(' | b'[' | b'{' if at(i) != b'{' || join == Join::Operator && at(i + 1) == b' ' => i += 1,
            b'=' if join == Join::Operator => i += 1,
            b'\r' | b'\n' if line_ends < 2 && matches!(join, Join::Operator | Join::Element) => {
                line_ends += usize::from(at(i) == b'\n');
                i += 1;
            }
            // A prefix of a string: b"", r"", f"", @"".
            b'b' | b'r' | b'f' | b'@' | b'u' | b'L' | b'N' if matches!(at(i + 1), b'"' | b'\'') => i += 1,
            _ => break,
        }
    }
    if join == Join::Operator {
        i += text.get(i..limit).map_or(0, mark);
    }
    if i >= limit {
        return None;
    }
    // Of a call, only a value between quotes; after a space, no option of a program.
    let quotes_only = join == Join::Comma || compared && !text[operator..i].contains(&b'=');
    let found = quoted(text, i).or_else(|| if quotes_only { None } else { bare(text, i, join) });
    let found = found.filter(|found| !matches!(join, Join::Loose | Join::Verb) || text[found.span.start] != b'-');
    found.map(|value| (join, Value { crosses: line_ends > 0, compared, ..value }))
}

/// The length of what YAML writes before a value: `!!str `, `|` or `>-` and a line end.
fn mark(text: &[u8]) -> usize {
    let word = match text.first() {
        Some(b'!') => 1 + text[1..].iter().take(16).take_while(|&&byte| is_word(byte) || byte == b'!').count(),
        Some(b'|' | b'>') => 1 + text[1..].iter().take(2).take_while(|&&byte| matches!(byte, b'-' | b'+')).count(),
        _ => return 0,
    };
    let is_block = text[0] != b'!';
    let gap = text[word..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let crosses = text[word..word + gap].contains(&b'\n');
    if gap > 0 && (crosses == is_block) && (is_block || word > 2) { word + gap } else { 0 }
}

/// `u32`, `__u32`, `int64_t`, `usize`.
fn is_number_type(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"_t").unwrap_or(word);
    let start = word.iter().position(|&byte| byte != b'_').unwrap_or(word.len());
    let word = &word[start..];
    let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let bits = &word[letters..];
    matches!(&word[..letters], b"u" | b"i" | b"f" | b"s" | b"int" | b"uint" | b"float")
        && matches!(bits, b"8" | b"16" | b"32" | b"64" | b"128")
        || matches!(word, b"usize" | b"isize" | b"number" | b"int" | b"bool" | b"boolean")
}

pub(super) fn quoted(text: &[u8], at: usize) -> Option<Value> {
    let quote = *text.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let mut start = at + 1;
    if text[start..].starts_with(&[quote, quote]) {
        start += 2;
    }
    // A quote that closes what was opened before on the line opens nothing.
    let line = &text[at.saturating_sub(QUOTES_WITHIN)..at];
    let line = &line[memrchr(b'\n', line).map_or(0, |found| found + 1)..];
    if quote != b'\'' && line.iter().filter(|&&byte| byte == quote).count() % 2 == 1 {
        return None;
    }
    let end = (start + LONGEST).min(text.len());
    let mut i = start;
    while i < end {
        match text[i] {
            b'\\' => i += 2,
            b'\n' => return None,
            byte if byte == quote => {
                return Some(Value { span: start..i, quoted: true, crosses: false, compared: false });
            }
            _ => i += 1,
        }
    }
    None
}

pub(super) fn bare(text: &[u8], at: usize, join: Join) -> Option<Value> {
    let line = &text[at..(at + LONGEST).min(text.len())];
    let stop = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`') || (*byte == b'<' && join != Join::Option)
    };
    let mut length = line.iter().position(stop).unwrap_or(line.len());
    // A line end that is written as an escape ends the value too.
    length = line[..length].windows(2).position(|two| two == b"\\n" || two == b"\\r").unwrap_or(length);
    // An element's value is all before the next tag.
    if join == Join::Element {
        length = memchr(b'<', line).filter(|_| !line.starts_with(b"<")).unwrap_or(length);
        let value = line[..length].trim_ascii_end();
        if value.contains(&b'\n') {
            length = line.iter().position(stop).unwrap_or(length);
        } else {
            length = value.len();
        }
    }
    let mut depth = 0_i32;
    let mut end = 0;
    for (i, byte) in line[..length].iter().enumerate() {
        let goes_on = line[..length].get(i + 1).is_some_and(|&next| is_word(next));
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            // What a letter follows belongs to the value, as in a password.
            b')' | b'}' | b']' if depth == 0 && !goes_on => break,
            b')' | b'}' | b']' => depth = (depth - 1).max(0),
            b';' | b'&' | b',' if depth == 0 && (*byte != b'&' || join == Join::Operator) => break,
            _ => {}
        }
        end = i + 1;
    }
    while end > 0 && matches!(line[end - 1], b'.' | b':' | b'?') {
        end -= 1;
    }
    (end > 0).then(|| Value { span: at..at + end, quoted: false, crosses: false, compared: false })
}
