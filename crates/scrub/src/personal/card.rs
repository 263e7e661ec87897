//! Payment cards (ISO/IEC 7812): issuer, length, and the check digit of Luhn.

use std::ops::Range;

use super::{digits, is_free_after, is_free_before};

/// A card's number that starts here.
pub(super) fn at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let found = digits(text, start, 19, b" -");
    let end = found.last()?.1;
    let number: Vec<u8> = found.iter().map(|(digit, _)| *digit).collect();
    let is_card = |number: &[u8]| is_issued(number) && luhn(number);
    // All of it, or without groups that follow it after a space.
    let whole = is_card(&number).then_some(end);
    let shorter = || {
        [16, 15, 14, 19].into_iter().filter(|&n| n < number.len()).find_map(|n| {
            let end = found[n - 1].1;
            (text.get(end) == Some(&b' ') && is_card(&number[..n])).then_some(end)
        })
    };
    let end = whole.or_else(shorter)?;
    let grouped = is_grouped(&text[start..end]);
    (grouped && is_free_before(text, start) && is_free_after(text, end)).then_some(start..end)
}

/// Digits in one piece, or in groups as cards show them: the same mark between them, no group of one or two.
fn is_grouped(text: &[u8]) -> bool {
    let Some(mark) = text.iter().find(|byte| !byte.is_ascii_digit()) else { return true };
    let groups: Vec<usize> = text.split(|byte| byte == mark).map(<[u8]>::len).collect();
    text.iter().all(|byte| byte.is_ascii_digit() || byte == mark)
        && (groups[0] == 4 || groups[0] == 6)
        && groups.iter().all(|&length| (3..=7).contains(&length))
}

/// Whether an issuer has such numbers, of this length.
fn is_issued(number: &[u8]) -> bool {
    if !(12..=19).contains(&number.len()) {
        return false;
    }
    let prefix = |n: usize| number[..n].iter().fold(0_u32, |value, &digit| value * 10 + u32::from(digit));
    match (number.len(), prefix(2), prefix(3), prefix(4), prefix(6)) {
        // Visa.
        (13 | 16 | 19, 40..=49, ..) => true,
        // Mastercard.
        (16, 51..=55, ..) | (16, _, _, 2221..=2720, _) => true,
        // UATP.
        (15, 10..=19, ..) => true,
        // American Express.
        (15, 34 | 37, ..) => true,
        // Diners Club.
        (14..=19, 36 | 38 | 39, ..) | (14..=19, _, 300..=305, ..) | (14..=19, _, _, 3095, _) => true,
        // Discover, UnionPay, RuPay.
        (16..=19, 62 | 65 | 60 | 81 | 82, ..) | (16..=19, _, 644..=649, ..) => true,
        // JCB.
        (16..=19, _, _, 3528..=3589, _) => true,
        // Mir.
        (16..=19, _, _, 2200..=2204, _) => true,
        // Maestro, Dankort.
        (12..=19, 50 | 56..=58 | 63 | 67, ..) => true,
        _ => false,
    }
}

fn luhn(number: &[u8]) -> bool {
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &digit)| match (i % 2, u32::from(digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10) && number.iter().any(|&digit| digit != number[0])
}
