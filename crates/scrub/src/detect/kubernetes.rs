//! The values of a Kubernetes Secret, in YAML or JSON.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::reference::is_reference;
use crate::hit::{Hit, Rank};

/// The most bytes of a Secret: Kubernetes allows 1 MiB, of which 64 KiB to either side are looked at.
const LONGEST: usize = 64 << 10;

/// Looks at the document around `kind`, if it is a Secret.
///
/// Says where that document ends, so that it is looked at once.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) -> usize {
    let rest = &text[at.end..(at.end + 24).min(text.len())];
    let gap = rest.iter().take_while(|&&byte| matches!(byte, b'"' | b'\'' | b' ' | b':' | b'\t')).count();
    let is_secret = rest[gap..].get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"secret"))
        && rest[..gap].contains(&b':')
        && !rest.get(gap + 6).is_some_and(u8::is_ascii_alphanumeric);
    if !is_secret {
        return at.end;
    }
    let low = at.start.saturating_sub(LONGEST);
    let high = (at.end + LONGEST).min(text.len());
    let start = memmem::rfind(&text[low..at.start], b"\n---").map_or(low, |found| low + found + 4);
    let end = memmem::find(&text[at.end..high], b"\n---").map_or(high, |found| at.end + found);
    for section in [&b"data"[..], b"stringData"] {
        for place in memmem::find_iter(&text[start..end], section) {
            entries(text, start + place..start + place + section.len(), end, hits);
        }
    }
    end
}

/// The entries under a section's name: deeper lines of YAML, or an object of JSON.
fn entries(text: &[u8], name: Range<usize>, end: usize, hits: &mut Vec<Hit<'_>>) {
    let line = memrchr(b'\n', &text[..name.start]).map_or(0, |at| at + 1);
    let indent = name.start - line;
    let after = &text[name.end..end];
    let gap = after.iter().take_while(|&&byte| matches!(byte, b'"' | b'\'' | b' ' | b':' | b'\t')).count();
    if !after[..gap].contains(&b':') {
        return;
    }
    if after.get(gap) == Some(&b'{') {
        object(text, name.end + gap + 1, end, hits);
        return;
    }
    if !text[line..name.start].iter().all(|byte| byte.is_ascii_whitespace()) {
        return;
    }
    let Some(mut at) = memchr(b'\n', after).map(|found| name.end + found + 1) else { return };
    while at < end {
        let stop = memchr(b'\n', &text[at..end]).map_or(end, |found| at + found);
        let entry = &text[at..stop];
        let deep = entry.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        if deep < entry.trim_ascii_end().len() {
            if deep <= indent {
                return;
            }
            let value = memchr(b':', entry).map_or(deep, |colon| colon + 1);
            push(text, at + value..stop, hits);
        }
        at = stop + 1;
    }
}

fn object(text: &[u8], mut at: usize, end: usize, hits: &mut Vec<Hit<'_>>) {
    while let Some(colon) = text[at..end].iter().position(|&byte| matches!(byte, b':' | b'}')) {
        at += colon + 1;
        if text[at - 1] == b'}' {
            return;
        }
        let stop =
            text[at..end].iter().position(|&byte| matches!(byte, b',' | b'}' | b'\n')).map_or(end, |found| at + found);
        push(text, at..stop, hits);
        at = stop;
    }
}

fn push(text: &[u8], mut span: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let is_around = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'|' | b'>' | b',');
    while span.start < span.end && is_around(text[span.start]) {
        span.start += 1;
    }
    while span.start < span.end && is_around(text[span.end - 1]) {
        span.end -= 1;
    }
    if span.len() >= 4 && !is_reference(&text[span.clone()]) {
        hits.push(Hit { span, kind: "kubernetes-secret", rule: "kubernetes-secret", rank: Rank::Structural });
    }
}
