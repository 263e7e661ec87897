//! US social security numbers: three groups, without what is never issued.

use std::ops::Range;

use super::{digits, is_free_after, is_free_before};

/// The bytes before nine bare digits in which a label is looked for.
const LABEL_WITHIN: usize = 40;

/// A number that starts here.
pub(super) fn at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let found = digits(text, start, 9, b" -.");
    if found.len() != 9 {
        return None;
    }
    let end = found[8].1;
    let mark = (found[2].1 < found[3].1 - 1, found[4].1 < found[5].1 - 1);
    let written = &text[start..end];
    // In fewer than three groups it is one only where a label says so, or where nothing else is in the text.
    let is_said =
        || has_label(&text[start.saturating_sub(LABEL_WITHIN)..start]) || text.trim_ascii().len() == written.len();
    let shape = match (written.len(), mark) {
        (11, (true, true)) => written[3] == written[6],
        (10, (true, false) | (false, true)) => is_said(),
        (9, _) => is_said(),
        _ => false,
    };
    let number: Vec<u8> = found.iter().map(|(digit, _)| *digit).collect();
    (shape && is_issued(&number) && is_free_before(text, start) && is_free_after(text, end)).then_some(start..end)
}

/// Without 000, 666 and 900 to 999, without 00, without 0000, and without those that advertisements made known.
fn is_issued(number: &[u8]) -> bool {
    let value = |digits: &[u8]| digits.iter().fold(0_u32, |value, &digit| value * 10 + u32::from(digit));
    let (area, group, serial) = (value(&number[..3]), value(&number[3..5]), value(&number[5..]));
    let known = matches!((area, group, serial), (78, 5, 1120) | (219, 9, 9999) | (987, 65, 4320..=4329));
    area != 0
        && area != 666
        && area < 900
        && group != 0
        && serial != 0
        && !known
        && number.iter().any(|&digit| digit != number[0])
}

fn has_label(before: &[u8]) -> bool {
    let before = before.to_ascii_lowercase();
    ["ssn", "social security", "social_security", "socialsecurity"]
        .iter()
        .any(|label| memchr::memmem::find(&before, label.as_bytes()).is_some())
}
