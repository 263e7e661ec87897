//! The key of a memoseal vault, as the program writes it to a file: a comment, and 32 bytes in base64 below.

use std::ops::Range;

use crate::hit::{Hit, Rank};

/// 32 bytes in base64.
const LENGTH: usize = 44;
/// The most bytes between the comment's words and the key.
const MOST_BETWEEN: usize = 200;

/// Looks at what stands below the words `memoseal vault`.
pub(super) fn find(text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
    let rest = &text[at.end..(at.end + MOST_BETWEEN).min(text.len())];
    let Some(line) = rest.iter().position(|&byte| byte == b'\n') else { return };
    let start = at.end + line + 1;
    let digits = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let length = text[start..].iter().take(LENGTH).take_while(digits).count();
    let is_whole = length == LENGTH - 1 && text.get(start + length) == Some(&b'=');
    if is_whole && text.get(start + LENGTH).is_none_or(|byte| !digits(&byte)) {
        hits.push(Hit { span: start..start + LENGTH, kind: "memoseal-key", rule: "memoseal-key", rank: Rank::Shape });
    }
}
