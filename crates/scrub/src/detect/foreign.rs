//! The word for a password in other languages.

use std::ops::Range;

use memchr::memmem;

use super::{
    assignment,
    join::{Join, bare, quoted, value},
    label::Promise,
};
use crate::hit::Hit;

/// The words of ASCII.
pub(super) const WORDS: [&str; 7] =
    ["contrasena", "senha", "kennwort", "mot de passe", "motdepasse", "wachtwoord", "salasana"];
/// The others. They are searched for only in a text that is not ASCII, and would make the search for the rest slower.
const OTHERS: [&str; 11] = [
    "contraseña",
    "Contraseña",
    "hasło",
    "Hasło",
    "lösenord",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];

/// Looks behind the words that are not of ASCII.
pub(super) fn find_others(text: &[u8], hits: &mut Vec<Hit<'_>>) {
    if text.is_ascii() {
        return;
    }
    for word in OTHERS {
        for at in memmem::find_iter(text, word.as_bytes()) {
            find(text, at..at + word.len(), hits);
        }
    }
}

/// Looks behind such a word.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    if at.start > 0 && text[at.start - 1].is_ascii_alphabetic() || text.get(at.end).is_some_and(u8::is_ascii_alphabetic)
    {
        return;
    }
    let wide = text[at.end..].strip_prefix("：".as_bytes()).map(|rest| text.len() - rest.trim_ascii_start().len());
    let found = match wide {
        Some(from) => {
            quoted(text, from).or_else(|| bare(text, from, Join::Operator)).map(|value| (Join::Operator, value))
        }
        None => value(text, at.start, at.end),
    };
    if let Some((join, value)) = found
        && !matches!(join, Join::Loose | Join::Verb)
        && let Some(span) = assignment::judge(text, Promise::Password, join, value, b"password")
    {
        assignment::push(Promise::Password, span, hits);
    }
}
