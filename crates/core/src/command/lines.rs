//! Numbered lines, ranges of them, and the cap on what one answer shows.

use std::fmt::Write as _;

/// The first and the last of `count` things that `range` asks for, from 1, or nothing if it asks for none.
///
/// A start below 1 is 1; an end past the end, or -1, is the end.
pub(super) fn resolve(range: Option<[i64; 2]>, count: usize) -> Option<(usize, usize)> {
    let last = i64::try_from(count).unwrap_or(i64::MAX);
    let [start, end] = range.unwrap_or([1, -1]);
    let start = start.max(1);
    let end = if end == -1 { last } else { end.min(last) };
    if start > end {
        return None;
    }
    Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?))
}

/// How many lines `text` has: one more than newlines, so that a final newline begins a last, empty line.
pub(super) fn count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// Lines with their numbers, as far as the cap let them be shown.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) text: String,
    pub(super) cut: Option<Cut>,
}

/// Where numbered lines were cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// This line is the last that is shown.
    After(usize),
    /// Not even this line, the first, is shown whole.
    Within(usize),
}

/// The lines `first` to `last` of `text`, each after its number, in at most `cap` characters.
pub(super) fn numbered(text: &str, (first, last): (usize, usize), cap: usize) -> Numbered {
    let mut shown = String::new();
    let mut chars = 0_usize;
    let lines = (1..=last).zip(text.split('\n')).skip(first.saturating_sub(1));
    for (number, line) in lines {
        let begin = shown.len();
        if number > first {
            shown.push('\n');
        }
        // Writing to a string does not fail.
        let _ = write!(shown, "{number:>6}\t{line}");
        chars += shown.get(begin..).map_or(0, |row| row.chars().count());
        if chars <= cap {
            continue;
        }
        if number > first {
            shown.truncate(begin);
            return Numbered { text: shown, cut: Some(Cut::After(number - 1)) };
        }
        let end = shown.char_indices().nth(cap).map_or(shown.len(), |(at, _)| at);
        shown.truncate(end);
        return Numbered { text: shown, cut: Some(Cut::Within(number)) };
    }
    Numbered { text: shown, cut: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (range, count, expected) in [
            (None, 1, Some((1, 1))),
            (None, 7, Some((1, 7))),
            (Some([1, -1]), 7, Some((1, 7))),
            (Some([2, 3]), 7, Some((2, 3))),
            (Some([7, 7]), 7, Some((7, 7))),
            (Some([7, -1]), 7, Some((7, 7))),
            (Some([-5, 2]), 7, Some((1, 2))),
            (Some([i64::MIN, i64::MAX]), 7, Some((1, 7))),
            (Some([8, -1]), 7, None),
            (Some([8, 9]), 7, None),
            (Some([3, 2]), 7, None),
            (Some([0, 0]), 7, None),
            (Some([1, -2]), 7, None),
            (Some([i64::MAX, i64::MIN]), 7, None),
        ] {
            assert_eq!(resolve(range, count), expected, "{range:?} of {count}");
        }
    }

    #[test]
    fn a_cap_is_counted_in_characters() {
        let text = "äöü\nb\nc";
        let row = 7 + 3;
        assert_eq!(numbered(text, (1, 3), row + 2 * 9).cut, None);
        let cut = numbered(text, (1, 3), row + 2 * 9 - 1);
        assert_eq!((cut.text.as_str(), cut.cut), ("     1\täöü\n     2\tb", Some(Cut::After(2))));
        let cut = numbered(text, (1, 3), row - 1);
        assert_eq!((cut.text.as_str(), cut.cut), ("     1\täö", Some(Cut::Within(1))));
    }
}
