//! Passwords on command lines and in the files of programs: `curl -u`, `sshpass -p`, `mysql -p…`, `docker login -p`, netrc.

use std::ops::Range;

use memchr::memmem;

use super::reference::is_reference;
use crate::hit::{Hit, Rank};

/// The most bytes of a command.
const LONGEST: usize = 2048;

/// Looks at the options of the program that is named here. `with_user` are options whose value is `user:password`,
/// `plain` those whose value is a password.
fn options(text: &[u8], at: Range<usize>, with_user: &[&str], plain: &[&str], hits: &mut Vec<Hit<'_>>) {
    let command = &text[at.end..at.end + command_length(&text[at.end..(at.end + LONGEST).min(text.len())])];
    let mut found = |option: &str, is_user: bool| {
        for place in memmem::find_iter(command, option.as_bytes()) {
            let before = place.checked_sub(1).map_or(b' ', |before| command[before]);
            if !before.is_ascii_whitespace() {
                continue;
            }
            let mut i = place + option.len();
            let joined = command.get(i).copied().unwrap_or(0);
            // `--user value`, `--user=value`, `-uvalue`; never `--username`.
            if option.starts_with("--") && !matches!(joined, b' ' | b'=') {
                continue;
            }
            i += command[i..].iter().take_while(|&&byte| matches!(byte, b' ' | b'=')).count();
            let Some(value) = word(command, i) else { continue };
            let secret = match (is_user, command[value.clone()].iter().position(|&byte| byte == b':')) {
                (true, Some(colon)) => value.start + colon + 1..value.end,
                (true, None) => continue,
                (false, _) => value,
            };
            let slice = &command[secret.clone()];
            if slice.is_empty() || is_reference(slice) || slice.starts_with(b"-") || slice.starts_with(b"$") {
                continue;
            }
            let span = at.end + secret.start..at.end + secret.end;
            hits.push(Hit { span, kind: "command-password", rule: "command-password", rank: Rank::Structural });
        }
    };
    with_user.iter().for_each(|option| found(option, true));
    plain.iter().for_each(|option| found(option, false));
}

pub(super) fn curl(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    options(text, at, &["-u", "--user", "-U", "--proxy-user", "--http-user"], &["--pass", "--oauth2-bearer"], hits);
}

pub(super) fn login(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    options(text, at, &[], &["-p"], hits);
}

/// Programs that have another letter for it.
pub(super) fn program(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let option = match text[at.clone()].first() {
        Some(b'r' | b'R') => "-a",
        Some(b'l' | b'L') => "-w",
        _ => "-P",
    };
    options(text, at, &[], &[option], hits);
}

/// `IDENTIFIED BY '…'` and `IDENTIFIED WITH plugin BY '…'` of SQL.
pub(super) fn identified(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let rest = &text[at.end..(at.end + 64).min(text.len())];
    let Some(by) = rest.windows(4).position(|four| four.eq_ignore_ascii_case(b" by ")) else { return };
    let plain = rest[..by].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_'));
    let from = at.end + by + 4;
    if !plain || !matches!(text.get(from), Some(b'\'' | b'"')) {
        return;
    }
    if let Some(span) = word(text, from).filter(|span| !span.is_empty() && span.len() <= 128) {
        let value = &text[span.clone()];
        // In a sentence, something is identified by a word.
        let is_sql = text[at.clone()].iter().all(u8::is_ascii_uppercase) || value.iter().any(u8::is_ascii_digit);
        if is_sql && !is_reference(value) && !value.contains(&b'\n') {
            hits.push(Hit { span, kind: "command-password", rule: "command-password", rank: Rank::Structural });
        }
    }
}

/// `ConvertTo-SecureString "…" -AsPlainText` of PowerShell.
pub(super) fn secure_string(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let command = &text[at.end..at.end + command_length(&text[at.end..(at.end + LONGEST).min(text.len())])];
    if memmem::find(&command.to_ascii_lowercase(), b"-asplaintext").is_none() {
        return;
    }
    let Some(quote) = command.iter().take(24).position(|byte| matches!(byte, b'"' | b'\'')) else { return };
    if let Some(span) = word(command, quote).filter(|span| !is_reference(&command[span.clone()])) {
        let span = at.end + span.start..at.end + span.end;
        hits.push(Hit { span, kind: "command-password", rule: "command-password", rank: Rank::Structural });
    }
}

/// `machine host login name password value`.
pub(super) fn netrc(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let entry = &text[at.end..(at.end + 512).min(text.len())];
    let end = memmem::find(entry, b"machine ").unwrap_or(entry.len());
    let entry = &entry[..end];
    if memmem::find(entry, b"login ").is_none() && memmem::find(entry, b"login\t").is_none() {
        return;
    }
    for word_at in memmem::find_iter(entry, b"password") {
        let i = word_at + 8;
        let gap = entry[i..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if gap == 0 {
            continue;
        }
        if let Some(value) = word(entry, i + gap).filter(|value| !is_reference(&entry[value.clone()])) {
            let span = at.end + value.start..at.end + value.end;
            hits.push(Hit { span, kind: "command-password", rule: "netrc", rank: Rank::Structural });
        }
    }
}

/// Up to the end of the line, and over line ends behind a backslash.
fn command_length(text: &[u8]) -> usize {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\n', &text[from..]) {
        let line = text[from..from + at].trim_ascii_end();
        if !line.ends_with(b"\\") {
            return from + at;
        }
        from += at + 1;
    }
    text.len()
}

/// The word of a shell that starts here, without its quotes.
fn word(text: &[u8], at: usize) -> Option<Range<usize>> {
    let quote = *text.get(at)?;
    if matches!(quote, b'"' | b'\'') {
        let length = text[at + 1..].iter().position(|&byte| byte == quote)?;
        return Some(at + 1..at + 1 + length);
    }
    let stop = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'|' | b';' | b')');
    let length = text[at..].iter().position(stop).unwrap_or(text.len() - at);
    (length > 0).then_some(at..at + length)
}
