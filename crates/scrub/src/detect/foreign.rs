//! The word for a password in other languages.

use std::ops::Range;

use super::{
    assignment,
    join::{Join, bare, quoted, value},
    label::Promise,
};
use crate::hit::Hit;

/// The words, in lower case where letters have cases that the search for keywords knows.
pub(super) const WORDS: [&str; 19] = [
    "contraseña",
    "contrasena",
    "senha",
    "kennwort",
    "mot de passe",
    "motdepasse",
    "wachtwoord",
    "hasło",
    "haslo",
    "lösenord",
    "salasana",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "şifre",
];

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
