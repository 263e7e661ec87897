//! A value behind a name: `password = hunter2`, `"apiKey": "…"`, `<token>…</token>`, `--secret …`, `setProperty("TOKEN", "…")`.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::{
    code::{is_code, is_made_up, is_time, is_version},
    join::{Join, LONGEST, Value, value},
    label::{self, Promise},
    pair::{argument, below, field},
    prose::told,
    random::{Looks, count_words, is_digest, is_identifier, is_random, is_words},
    reference::is_reference,
};
use crate::hit::{Hit, Rank};

/// The bytes of a line that are looked at before and after a bare word.
const REST: usize = 128;
/// The bytes of a value by which it is judged.
const JUDGED: usize = 512;

/// Looks at the name around a keyword; says where that name or its value ends, so that it is not looked at again.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) -> usize {
    let before = text[..at.start].iter().rev().take(64).take_while(|&&byte| label::is_name(byte)).count();
    let start = at.start - before;
    let after = text[at.end..].iter().take(64).take_while(|&&byte| label::is_name(byte)).count();
    let end = at.end + after;
    let name = &text[start..end];
    let promise = label::promise(name).filter(|promise| *promise != Promise::Key || !is_common(text, start));
    let joined = promise.and_then(|promise| {
        let (join, value) = value(text, start, end)?;
        judge(text, promise, join, value, name)
    });
    if let Some(promise) = promise
        && let Some(span) = joined.or_else(|| apart(text, promise, start, end))
    {
        // Names inside a value are part of it.
        let after = span.end.max(end);
        push(promise, span, hits);
        return after;
    }
    // Another keyword may stand further on in the name.
    glued(text, start..end, at.clone(), hits);
    at.end
}

/// What a name promises, and what is not joined to it by a sign.
fn apart(text: &[u8], promise: Promise, start: usize, end: usize) -> Option<Range<usize>> {
    let name = &text[start..end];
    let is_token = |span: &Range<usize>| {
        let value = &text[span.clone()];
        value.len() >= 14
            && !(promise == Promise::Key && is_digest(value))
            && Looks::of(value).digits > 1
            && is_strong(value)
            && !is_time(value)
    };
    let is_fit = |span: &Range<usize>| match promise {
        Promise::Password => true,
        _ => is_token(span) && !is_code(&text[span.clone()]) && !is_reference(&text[span.clone()]),
    };
    let field = || {
        let value = field(text, start, end)?;
        let join = if text[..value.span.start].ends_with(b">") { Join::Element } else { Join::Operator };
        judge(text, promise, join, value, name)
    };
    let argument = || {
        let span = argument(text, end)?.span;
        let value = &text[span.clone()];
        let looks = Looks::of(value);
        let made = looks.is_mixed() && !value.contains(&b' ') && !is_words(value) || is_made_up(value);
        let sets = [&b"set"[..], b"with"].iter().any(|verb| starts_with(name, verb));
        let last = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
        let fits = if promise == Promise::Password {
            looks.length >= 6 && (made || looks.is_mixed() && is_identifier(value)) && is_setting(last)
        } else {
            is_token(&span)
        };
        (fits && (promise != Promise::Key || sets) && !is_reference(value)).then_some(span)
    };
    let below = || {
        let is_fit = |span: &Range<usize>| is_token(span) && !is_digest(&text[span.clone()]);
        below(text, start, end).filter(|span| promise != Promise::Password && is_fit(span))
    };
    // What a sign joins to the name was judged before.
    let is_joined = promise != Promise::Password && matches!(text.get(end), Some(b':' | b'='));
    let told = || if is_joined { None } else { told(text, name, end).filter(is_fit) };
    told().or_else(field).or_else(argument).or_else(below)
}

/// Whether the last part of a dotted name starts so.
fn starts_with(name: &[u8], verb: &[u8]) -> bool {
    let last = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    last.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb))
}

/// Whether the word before makes a key one that everybody may know.
fn is_common(text: &[u8], start: usize) -> bool {
    let before = text[..start].trim_ascii_end();
    let word = before.iter().rev().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &before[before.len() - word..];
    [&b"public"[..], b"primary", b"foreign", b"partition", b"cache", b"sort"]
        .iter()
        .any(|common| word.eq_ignore_ascii_case(common))
}

pub(super) fn push(promise: Promise, span: Range<usize>, hits: &mut Vec<Hit<'_>>) {
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
    // One piece: what has dots or signs within is a name with a version, or several things.
    let is_one = !value.iter().rev().skip_while(|&&byte| byte == b'=').any(|byte| b"=.".contains(byte));
    if length >= 16
        && is_one
        && is_strong(value)
        && Looks::of(value).digits > 1
        && (promise >= Promise::Secret || !is_digest(value) || join == b'-')
    {
        push(Promise::Secret, at.end + 1..at.end + 1 + length, hits);
    }
}

/// Whether the value keeps the name's promise; the span that must go.
pub(super) fn judge(text: &[u8], promise: Promise, join: Join, value: Value, name: &[u8]) -> Option<Range<usize>> {
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
        _ if !value.quoted && is_code(slice) || is_version(slice) || is_time(slice) || is_named(slice) => false,
        Promise::Secret => match join {
            Join::Loose | Join::Verb => slice.len() >= 14 && is_strong(slice) && Looks::of(slice).digits > 1,
            Join::Option => is_random(slice),
            // A coordinate, `io.vendor.token:token-core-1.2.3`, is none.
            _ if !value.quoted && name.contains(&b'.') && text[span.start - 1] == b':' => is_strong(slice),
            _ => is_random(slice) || is_made_up(slice) && !value.crosses || value.quoted && is_phrase(slice, name),
        },
        Promise::Key => match join {
            Join::Loose | Join::Verb => {
                slice.len() >= 16 && is_strong(slice) && (!is_digest(slice) || is_shouted(text, span.start, name))
            }
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
    let lower = name.to_ascii_lowercase();
    [&b"key"[..], b"private", b"access"].iter().any(|word| lower.len() > word.len() + 1 && lower.ends_with(word))
}

/// Whether a name is a word of small letters with one of capitals behind it, at the start of its line, as notes have
/// it: `vendorACCESS …`, `vendor KEY …`.
fn is_shouted(text: &[u8], value: usize, name: &[u8]) -> bool {
    let line = &text[value.saturating_sub(REST)..value];
    let line = line[memrchr(b'\n', line).map_or(0, |at| at + 1)..].trim_ascii();
    let Some(before) = line.strip_suffix(name) else { return false };
    let small = name.iter().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
    let word = if before.is_empty() { &name[..small] } else { before.trim_ascii_end() };
    word.len() > 2
        && word.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && name[small..].iter().all(u8::is_ascii_uppercase)
        && small < name.len()
        && (small == 0) != before.is_empty()
}

/// What is certainly no word: letters and digits mixed, or a long mixture of cases.
fn is_strong(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    is_random(value) && (looks.digits >= 2 || looks.length >= 24) && looks.other * 3 <= looks.length
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
            Join::Loose => {
                looks.length >= 6
                    && looks.is_mixed()
                    && (!is_words(value) || is_setting(name) && !value.contains(&b' '))
            }
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

/// Whether a value is itself a name of a secret: `azure_storage_account_key`, `self.vendorCredential`.
fn is_named(value: &[u8]) -> bool {
    let name = value.strip_suffix(b"|").unwrap_or(value);
    let looks = Looks::of(name);
    name.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        && looks.digits * 4 <= looks.length
        && label::promise(name).is_some()
}

/// A name of a setting, and not the verb or noun of a sentence: `PASSWORD`, `storePassword`.
fn is_setting(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase) || count_words(name) > 1
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

/// Prose between quotes.
fn is_sentence(value: &[u8]) -> bool {
    let spaces = value.iter().filter(|&&byte| byte == b' ').count();
    spaces >= 5 || value.ends_with(b"...") || value.ends_with(b":") || value.ends_with(b": ")
}

/// What a value without quotes is made of, where it is glued to its name.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.')
}
