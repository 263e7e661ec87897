//! Passwords in sentences, as notes have them: `the password for staging is …`, `| password | … |`, `passphrase: four plain words`.

use std::ops::Range;

use memchr::memchr;

use super::{
    code::{is_code, is_made_up},
    join::{Join, bare, quoted},
    random::Looks,
    reference::is_reference,
};

/// The most bytes between a name and the verb.
const MOST_BETWEEN: usize = 64;
/// How many words a passphrase has.
const WORDS: std::ops::RangeInclusive<usize> = 3..=24;

/// A password that is told after its name, which ends at `end`.
pub(super) fn told(text: &[u8], name: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &text[end..(end + 512).min(text.len())];
    let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
    let lower = name.to_ascii_lowercase();
    if lower.ends_with(b"phrase") || lower.ends_with(b"mnemonic") {
        return words(line).map(|span| end + span.start..end + span.end);
    }
    let clause = &line[..line.len().min(MOST_BETWEEN)];
    let clause = &clause
        [..clause.iter().position(|byte| matches!(byte, b'.' | b';' | b'(' | b'=' | b'"')).unwrap_or(clause.len())];
    let cell = clause.starts_with(b" | ").then_some(3);
    let verb = || {
        let verbs = [&b": "[..], b" is ", b" was ", b" - "];
        let starts = (0..clause.len()).filter(|&at| matches!(clause[at], b' ' | b':'));
        starts
            .flat_map(|at| verbs.iter().map(move |verb| (at, *verb)))
            .find(|&(at, verb)| clause[at..].starts_with(verb))
            .map(|(at, verb)| at + verb.len())
    };
    let at = end + cell.or_else(verb)?;
    let value = quoted(text, at).or_else(|| bare(text, at, Join::Verb))?;
    let slice = &text[value.span.clone()];
    let looks = Looks::of(slice);
    // A word that any sentence may have is none.
    let is_told = looks.length >= 6 && (looks.is_mixed() || is_made_up(slice)) && !slice.contains(&b' ');
    (is_told && !is_code(slice) && !is_reference(slice)).then_some(value.span)
}

/// Plain words up to the end of the line, behind a sign.
fn words(line: &[u8]) -> Option<Range<usize>> {
    let sign = line
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'*' | b'`' | b'_'))
        .filter(|&at| matches!(line[at], b':' | b'='))?;
    let start = sign + 1 + line[sign + 1..].iter().position(|&byte| byte != b' ')?;
    let phrase = line[start..].trim_ascii_end();
    let words = || phrase.split(|&byte| byte == b' ');
    // Words that hold a sentence together, and that no list of words for passphrases has.
    const SMALL: [&[u8]; 16] = [
        b"the", b"a", b"an", b"is", b"of", b"to", b"in", b"and", b"or", b"for", b"must", b"be", b"with", b"as", b"not",
        b"your",
    ];
    let plain =
        words().all(|word| !word.is_empty() && word.iter().all(u8::is_ascii_lowercase) && !SMALL.contains(&word));
    (plain && WORDS.contains(&words().count())).then(|| start..start + phrase.len())
}
