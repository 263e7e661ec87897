//! A value behind a name: `password = hunter2`, `"apiKey": "…"`, `<token>…</token>`, `--secret …`, `setProperty("TOKEN", "…")`.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::{
    label::{self, Promise},
    random::{Looks, count_words, is_digest, is_identifier, is_random, is_words},
    reference::is_reference,
};
use crate::{
    hit::{Hit, Rank},
    text::is_word,
};

/// The most bytes between a name and its value.
const MOST_BETWEEN: usize = 120;
/// The most bytes of a value.
const LONGEST: usize = 4096;
/// The bytes of a line that are looked at before and after a bare word.
const REST: usize = 128;
/// The bytes of a value by which it is judged.
const JUDGED: usize = 512;
/// The bytes before a quote in which others are counted.
const QUOTES_WITHIN: usize = 512;

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
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

/// Looks at the name around a keyword; says where that name or its value ends, so that it is not looked at again.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) -> usize {
    let before = text[..at.start].iter().rev().take(64).take_while(|&&byte| label::is_name(byte)).count();
    let start = at.start - before;
    let after = text[at.end..].iter().take(64).take_while(|&&byte| label::is_name(byte)).count();
    let end = at.end + after;
    if let Some(promise) = label::promise(&text[start..end])
        && let Some((join, value)) = value(text, start, end)
        && let Some(span) = judge(text, promise, join, value, &text[start..end])
    {
        // Names inside a value are part of it.
        let after = span.end.max(end);
        push(promise, span, hits);
        return after;
    }
    glued(text, start..end, at, hits);
    end
}

fn push(promise: Promise, span: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let (kind, rank) = match promise {
        Promise::Password => ("password", Rank::Structural),
        Promise::Secret | Promise::Key => ("generic-secret", Rank::Generic),
    };
    hits.push(Hit { span, kind, rule: kind, rank });
}

/// A value that is glued to its name: `vendorSECRET-0a1b…`, `vendor-key-0a1b…`.
fn glued(text: &[u8], name: Range<usize>, at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let Some(&join) = text.get(at.end) else { return };
    if !matches!(join, b'-' | b'=') || at.end >= name.end {
        return;
    }
    let Some(promise) = label::promise(&text[name.start..at.end]).filter(|promise| *promise >= Promise::Key) else {
        return;
    };
    let length = text[at.end + 1..].iter().take(LONGEST).take_while(|&&byte| is_bare(byte)).count();
    let value = &text[at.end + 1..at.end + 1 + length];
    if length >= 16
        && is_strong(value)
        && Looks::of(value).digits > 1
        && (promise >= Promise::Secret || !is_digest(value) || join == b'-')
    {
        push(Promise::Secret, at.end + 1..at.end + 1 + length, hits);
    }
}

/// How the value after a name is joined to it, and where it stands: between quotes or bare.
fn value(text: &[u8], start: usize, end: usize) -> Option<(Join, Value)> {
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
                [inner @ .., b'-' | b'.' | b'+' | b'~' | b'<' | b'!' | b'|'] if !inner.is_empty() => inner,
                _ => sign,
            };
            if sign == b"::" || sign == b"." || !sign.iter().any(|byte| b"=:".contains(byte)) && sign != b"->" {
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
    let compared = text[operator..i].windows(2).any(|two| two == b"==" || two == b"!=");
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
    if i >= limit {
        return None;
    }
    // Of a call, only a value between quotes; after a space, no option of a program.
    let found = quoted(text, i).or_else(|| if join == Join::Comma { None } else { bare(text, i, join) });
    let found = found.filter(|found| !matches!(join, Join::Loose | Join::Verb) || text[found.span.start] != b'-');
    found.map(|value| (join, Value { crosses: line_ends > 0, compared, ..value }))
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

/// A value and how it was written.
struct Value {
    span: Range<usize>,
    quoted: bool,
    /// It stands on another line than its name.
    crosses: bool,
    /// It is compared with, not assigned.
    compared: bool,
}

fn quoted(text: &[u8], at: usize) -> Option<Value> {
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

fn bare(text: &[u8], at: usize, join: Join) -> Option<Value> {
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

/// Whether the value keeps the name's promise; the span that must go.
fn judge(text: &[u8], promise: Promise, join: Join, value: Value, name: &[u8]) -> Option<Range<usize>> {
    let mut span = value.span;
    let mut slice = &text[span.clone()];
    // `Authorization: Bearer x` is a scheme and a value.
    for scheme in [&b"Bearer "[..], b"bearer ", b"Basic ", b"Token ", b"token "] {
        if let Some(rest) = slice.strip_prefix(scheme) {
            (span.start, slice) = (span.start + scheme.len(), rest);
        }
    }
    // The start of a long value says what it is.
    slice = &slice[..slice.len().min(JUDGED)];
    if is_reference(slice) {
        return None;
    }
    let keeps = match promise {
        Promise::Password if value.compared && !Looks::of(slice).is_mixed() && !is_made_up(slice) => false,
        Promise::Password => is_password(text, &span, slice, join, value.quoted, value.crosses, name),
        _ if !value.quoted && is_code(slice) => false,
        Promise::Secret => match join {
            Join::Loose | Join::Verb => slice.len() >= 14 && is_strong(slice) && Looks::of(slice).digits > 1,
            Join::Option => is_random(slice),
            // A coordinate, `io.vendor.token:token-core-1.2.3`, is none.
            _ if !value.quoted && name.contains(&b'.') && text[span.start - 1] == b':' => is_strong(slice),
            _ => is_random(slice) || is_made_up(slice) && !value.crosses || value.quoted && is_phrase(slice, name),
        },
        Promise::Key => match join {
            Join::Loose | Join::Verb => slice.len() >= 16 && is_strong(slice) && !is_digest(slice),
            _ => {
                slice.len() >= 14
                    && is_strong(slice)
                    && (!is_digest(slice) || join == Join::Operator && name.len() > 6 && is_vendor_key(name))
            }
        },
    };
    keeps.then_some(span)
}

/// A key that is somebody's: `mailsac_key`, and not a plain `key`.
fn is_vendor_key(name: &[u8]) -> bool {
    name.len() > 4 && name.to_ascii_lowercase().ends_with(b"key")
}

/// What is certainly no word: letters and digits mixed, or a long mixture of cases.
fn is_strong(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    is_random(value) && (looks.digits >= 2 || looks.length >= 24) && looks.other * 3 <= looks.length
}

/// With signs that names do not have.
fn is_made_up(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    let signs = b"#!@$^&*+|~%(){}[]<>?=";
    let kinds = signs.iter().filter(|sign| value.contains(sign)).count();
    looks.length >= 8
        && kinds > 0
        && looks.letters() + looks.digits > 3
        && !value.iter().any(u8::is_ascii_whitespace)
        && !value.starts_with(b"http")
        && !is_code(value)
        && (kinds >= 3 || is_sane_start(value[0]) && !value.ends_with(b"=") && !is_words(value) && !is_pair(value))
}

/// Whether a value may start so, and is no selector, tag or list.
fn is_sane_start(byte: u8) -> bool {
    !matches!(byte, b'#' | b'.' | b'<' | b'(' | b'[' | b'{' | b'@' | b'&' | b'%')
}

/// `name=value`, of which the value is looked at for itself.
fn is_pair(value: &[u8]) -> bool {
    value.split(|&byte| byte == b'=').count() == 2
        && value.split(|&byte| byte == b'=').all(|part| part.iter().all(|&byte| is_word(byte)))
}

/// What stands behind the plain word `secret`, joined by a sign: `development#product`.
fn is_phrase(value: &[u8], name: &[u8]) -> bool {
    let signs = value.iter().filter(|byte| b"#!$^&*+~".contains(byte)).count();
    name.to_ascii_lowercase().ends_with(b"secret")
        && value.len() >= 8
        && signs > 0
        && value[0].is_ascii_alphanumeric()
        && !value.contains(&b' ')
}

/// Whether this is a password and not a word of prose or of code.
fn is_password(
    text: &[u8],
    span: &Range<usize>,
    value: &[u8],
    join: Join,
    quoted: bool,
    crosses: bool,
    name: &[u8],
) -> bool {
    let looks = Looks::of(value);
    if looks.letters() + looks.digits == 0 || crosses && !quoted && join != Join::Element {
        return false;
    }
    if quoted {
        return match join {
            Join::Comma => looks.is_mixed() || is_made_up(value),
            _ if crosses => !value.contains(&b' ') && looks.digits > 0,
            _ if is_version(value) || value.windows(2).any(|two| two == b"::") => false,
            _ if name.ends_with(b"_PASSWORD") && is_name_of_secret(value) => false,
            // In a sentence: `pass "x"` is a verb.
            Join::Loose => looks.length >= 6 && looks.digits > 0 && looks.letters() > 0 && !is_words(value),
            Join::Element => false,
            // `#` and `.` before words are how a page's elements are named.
            _ => looks.length >= 3 && !is_sentence(value) && !(matches!(value[0], b'#' | b'.') && is_words(value)),
        };
    }
    if join == Join::Element {
        return text[span.end..(span.end + REST).min(text.len())].trim_ascii_start().starts_with(b"</");
    }
    if join == Join::Verb {
        return looks.length >= 5 && (looks.is_mixed() || is_made_up(value)) && !is_code(value);
    }
    if join == Join::Loose {
        return looks.length >= 6 && looks.digits > 0 && looks.letters() > 0 && !is_words(value) && !is_code(value);
    }
    // A variable that is named as a secret is; in a list of settings that semicolons part, there are none.
    let listed = is_listed(text, span, name);
    if !listed && (is_code(value) || is_name_of_secret(value)) {
        return false;
    }
    if looks.digits > 0 && looks.letters() > 0 || looks.digits >= 4 || is_made_up(value) {
        return true;
    }
    // A bare word: a password if it is all that the line says, as in a file of settings.
    let after = &text[span.end..(span.end + REST).min(text.len())];
    let rest = after[..memchr(b'\n', after).unwrap_or(after.len())].trim_ascii();
    let code = rest.starts_with(b";") && name.iter().any(|byte| b"$.".contains(byte)) || rest.starts_with(b"(");
    let ends = rest.is_empty()
        || rest.starts_with(b"#")
        || rest.starts_with(b"dbname")
        || rest.starts_with(b"&")
        || rest.starts_with(b";") && !code
        || rest.starts_with(b")")
        || rest.starts_with(b",");
    let first = text[..span.start].iter().rev().take(REST).take_while(|&&byte| byte != b'\n').count();
    let tight = text[..span.start].ends_with(b"=");
    looks.length >= 4 && ends && (tight || rest.is_empty() && first <= 48) && (tight || !rest.starts_with(b","))
}

/// Names, calls and paths of a program: `self.password`, `get(x)`, `Option<String>`, `a::b`, `vec![`.
fn is_code(value: &[u8]) -> bool {
    let path = value.iter().take_while(|&&byte| is_word(byte) || byte == b'.').count();
    let after = &value[path..];
    let mut parts = value[..path].split(|&byte| byte == b'.');
    let dotted = value[..path].contains(&b'.') && parts.all(|part| !part.is_empty() && is_identifier(part));
    let name = path > 0 && !value[0].is_ascii_digit();
    let goes_on = [&b"("[..], b"::", b"->", b"![", b"!(", b"<"].iter().any(|sign| after.starts_with(sign));
    name && (goes_on || after.starts_with(b"[") || dotted && after.is_empty())
        || value.starts_with(b"&")
        || value.starts_with(b"(")
        || value.starts_with(b"/") && is_words(value)
        || value.starts_with(b"\\")
}

/// Whether a value is a name with `password` or the like in it, and more: `password_ptr`, `userPass`.
fn is_name_of_secret(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let mentions = [&b"pass"[..], b"pwd", b"secret", b"token"].iter().any(|word| memmem::find(&lower, word).is_some());
    is_identifier(value) && mentions && (count_words(value) > 1 || label::promise(value).is_some() && value.len() <= 10)
}

/// Whether a value stands in a list such as `Server=db;Uid=me;Pwd=x;`.
fn is_listed(text: &[u8], span: &Range<usize>, name: &[u8]) -> bool {
    let before = text[..span.start].strip_suffix(b"=").and_then(|before| before.strip_suffix(name));
    before.is_some_and(|before| before.trim_ascii_end().ends_with(b";"))
        && text[span.end..].first().is_none_or(|byte| b";\"'\n".contains(byte))
}

/// Digits and dots.
fn is_version(value: &[u8]) -> bool {
    value.contains(&b'.') && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Prose between quotes.
fn is_sentence(value: &[u8]) -> bool {
    let spaces = value.iter().filter(|&&byte| byte == b' ').count();
    spaces >= 5 || value.ends_with(b"...") || value.ends_with(b":") || value.ends_with(b": ")
}

/// What a value without quotes is made of, where it is glued to its name.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.')
}
