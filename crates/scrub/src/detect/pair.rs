//! A name and its value apart: two fields of one entry, the argument of a call, the next line.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::join::{Join, Value, bare, quoted};

/// The most bytes between a name and the field with its value.
const MOST_BETWEEN: usize = 100;
/// The most bytes of a line that is a title.
const LONGEST_TITLE: usize = 48;

/// The value of an entry whose name was given by another field: `name: X` and `value: …`, `key="X" value="…"`,
/// `variable "X" { default = "…" }`, `<key>X</key><string>…`.
pub(super) fn field(text: &[u8], start: usize, end: usize) -> Option<Value> {
    let before = &text[start.saturating_sub(24)..start];
    let before = &before[..before.iter().rposition(|byte| !b" \"'=:>\t".contains(byte)).map_or(0, |at| at + 1)];
    let word = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &before[before.len() - word..];
    let is_name = [&b"name"[..], b"key", b"variable"].iter().any(|name| word.eq_ignore_ascii_case(name));
    if !is_name || before.len() == start.min(24) && word.is_empty() {
        return None;
    }
    let rest = &text[end..(end + MOST_BETWEEN).min(text.len())];
    let fields = [&b"value"[..], b"Value", b"default", b"<string"];
    let (at, field) = fields.iter().filter_map(|field| Some((memmem::find(rest, field)?, field))).min()?;
    let between = &rest[..at];
    if memmem::find(between, b"name").is_some() && !between.starts_with(b"</")
        || memmem::find(between, b"\n\n").is_some()
    {
        return None;
    }
    let mut i = end + at + field.len();
    let signs = text[i..].iter().take(8).take_while(|byte| b"\"' :=>\t".contains(byte)).count();
    if !text[i..i + signs].iter().any(|byte| b":=>".contains(byte)) {
        return None;
    }
    i += signs;
    let opens = matches!(text[i - 1], b'"' | b'\'');
    let join = if text[..i].ends_with(b">") { Join::Element } else { Join::Operator };
    if opens { quoted(text, i - 1) } else { bare(text, i, join) }
}

/// The only, or first, argument of a call: `setToken("…")`.
pub(super) fn argument(text: &[u8], end: usize) -> Option<Value> {
    let rest = text.get(end..)?.strip_prefix(b"(")?;
    let value = quoted(text, text.len() - rest.len())?;
    text.get(value.span.end + 1).is_some_and(|byte| matches!(byte, b')' | b',')).then_some(value)
}

/// What alone makes up the line below a name that ends its own, as in notes.
pub(super) fn below(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let title = text[..start].iter().rev().take(LONGEST_TITLE).take_while(|&&byte| byte != b'\n').count();
    if title >= LONGEST_TITLE {
        return None;
    }
    let mut at = end;
    let mut crossed = false;
    for _ in 0..4 {
        let line = &text[at..(at + 512).min(text.len())];
        let length = memchr(b'\n', line).unwrap_or(line.len());
        let inner = line[..length].trim_ascii();
        let is_fence = inner.starts_with(b"```");
        let is_sign = inner.iter().all(|byte| b":*_`\"'".contains(byte));
        if !is_fence && !is_sign {
            let is_around = |byte: &u8| b" \t\r>`*\"',".contains(byte);
            let from = line[..length].iter().position(|byte| !is_around(byte))?;
            let to = line[..length].iter().rposition(|byte| !is_around(byte))? + 1;
            let whole = !line[from..to].iter().any(|byte| b" \t\"'`=(){};".contains(byte));
            return (crossed && whole).then_some(at + from..at + to);
        }
        at += length + 1;
        crossed = true;
        if at >= text.len() {
            return None;
        }
    }
    None
}
