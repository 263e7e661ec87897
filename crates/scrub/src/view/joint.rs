//! Tokens that were written in pieces: over a line end, in two strings that are added, with marks of emphasis inside.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::View;
use crate::text::Bytes;

/// The most lines that a token may be spread over.
const MOST_LINES: usize = 4;
/// The most bytes of a line that is looked at.
const LONGEST_LINE: usize = 4096;
/// The most bytes of a piece of a token that goes on in the next line.
const LONGEST_PIECE: usize = 512;

/// The lines of a text in which pieces are joined, as they read when they are: `"abc" + "def"`, `**abc**def`.
pub(crate) fn joined(text: &[u8]) -> Option<View> {
    let mut view = View::default();
    let mut at = 0;
    while let Some(found) = next_joint(text, at) {
        let start = memrchr(b'\n', &text[at..found.start]).map_or(at, |line| at + line + 1);
        let line_end = |from: usize| memchr(b'\n', &text[from..]).map_or(text.len(), |line| from + line + 1);
        // A joint may stand over a line end, and the next one in that line too.
        let mut joints = vec![found];
        let mut end = line_end(joints[0].end);
        while let Some(joint) = joints.last().and_then(|last| next_joint(text, last.end))
            && joint.start < end
            && end - start <= LONGEST_LINE
        {
            end = line_end(joint.end);
            joints.push(joint);
        }
        at = end;
        if end - start > LONGEST_LINE {
            continue;
        }
        let mut from = start;
        for joint in joints {
            view.keep(text, from..joint.start);
            from = joint.end;
        }
        view.keep(text, from..end);
    }
    (!view.bytes.is_empty()).then_some(view)
}

/// What a joint starts with.
const MARKS: Bytes = Bytes::new(b"\"'*`~", &[]);

/// The next joint: what stands between two pieces of a word.
fn next_joint(text: &[u8], from: usize) -> Option<Range<usize>> {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let mut at = from;
    loop {
        at = MARKS.next(text, at)?;
        let mark = text[at];
        let end = match mark {
            b'"' | b'\'' => added(text, at),
            b'*' | b'~' | b'`' => {
                let count = text[at..].iter().take(3).take_while(|&&byte| byte == mark).count();
                Some(at + count)
            }
            _ => None,
        };
        match end {
            Some(end) if is_word(at.checked_sub(1)) && is_word(Some(end)) => return Some(at..end),
            _ => at += 1,
        }
    }
}

/// The end of `" + "`, or of what other languages write there.
fn added(text: &[u8], at: usize) -> Option<usize> {
    let gap = text[at + 1..]
        .iter()
        .take(24)
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'+' | b'.' | b'&' | b'\\' | b'|'))
        .count();
    (gap > 0 && text.get(at + 1 + gap) == Some(&text[at])).then_some(at + gap + 2)
}

/// A token that starts here and runs up to the end of its line, with what the next lines start with.
pub(crate) fn wrapped(text: &[u8], start: usize) -> Option<View> {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=');
    let run = |from: usize| {
        text[from..]
            .iter()
            .take(LONGEST_PIECE)
            .position(|byte| !is_token(byte))
            .map_or((from + LONGEST_PIECE).min(text.len()), |length| from + length)
    };
    let mut view = View::default();
    // Whatever stands before the token is no part of it.
    view.push(b' ', start..start);
    let mut end = run(start);
    view.keep(text, start..end);
    for _ in 1..MOST_LINES {
        let Some(line_end) = text[end..].iter().take(3).position(|&byte| byte == b'\n') else { break };
        // A backslash says that the line goes on.
        if !text[end..end + line_end].iter().all(|&byte| matches!(byte, b'\r' | b'\\')) {
            break;
        }
        let next = end + line_end + 1;
        let indent = text[next..].iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        end = run(next + indent);
        if end == next + indent {
            break;
        }
        view.keep(text, next + indent..end);
    }
    let grown = view.from.last().is_some_and(|&(_, last)| memchr(b'\n', &text[start..last as usize]).is_some());
    grown.then_some(view)
}
