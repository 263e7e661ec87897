//! E-mail addresses.

use memchr::memchr_iter;

use crate::hit::{Hit, Rank};

/// Finds addresses: a local part, `@`, and a domain whose last label has letters.
pub(super) fn find(text: &[u8], reserved_too: bool, hits: &mut Vec<Hit<'_>>) {
    for at in memchr_iter(b'@', text) {
        let local = text[..at].iter().rev().take(64).take_while(|&&byte| is_local(byte)).count();
        let domain = text[at + 1..].iter().take(253).take_while(|&&byte| is_domain(byte)).count();
        let (mut start, mut end) = (at - local, at + 1 + domain);
        while end > at + 1 && matches!(text[end - 1], b'.' | b'-') {
            end -= 1;
        }
        while start < at && matches!(text[start], b'.' | b'\'' | b'/' | b'=' | b'&' | b'?' | b'*' | b'{' | b'`' | b'|')
        {
            start += 1;
        }
        let name = &text[at + 1..end];
        let labels: Vec<&[u8]> = name.split(|&byte| byte == b'.').collect();
        let top = labels.last().copied().unwrap_or_default();
        if start == at
            // The user of a URL, and the name that every user of a host of repositories has.
            || text[..start].ends_with(b"://")
            || &text[start..at] == b"git"
            || text[at - 1] == b'.'
            || labels.len() < 2
            || labels.iter().any(|label| label.is_empty() || label.starts_with(b"-"))
            || top.len() < 2
            || !top.iter().all(u8::is_ascii_alphabetic)
            || (!reserved_too && is_reserved(name))
        {
            continue;
        }
        hits.push(Hit { span: start..end, kind: "email", rule: "email", rank: Rank::Structural });
    }
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-'
}

/// Whether nobody can have an address there (RFC 2606).
pub(crate) fn is_reserved(domain: &[u8]) -> bool {
    let lower = domain.to_ascii_lowercase();
    let ends = |suffix: &str| {
        lower.strip_suffix(suffix.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"."))
    };
    ["example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"].into_iter().any(ends)
}
