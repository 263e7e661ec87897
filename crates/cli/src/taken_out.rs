//! What was taken out of a text before it was sealed: kinds and lines, never a value.

use std::collections::BTreeMap;

use memoseal::core::scrub::Finding;

use crate::output;

/// The most lines that are named for one kind.
const MOST_LINES: usize = 10;

/// How many values of each kind there were.
pub(crate) fn counts(found: &[Finding]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts.entry(finding.kind.as_str()).or_default() += 1;
    }
    counts
}

/// Prints a line for each kind, after `doing`: "taken out".
pub(crate) fn print(doing: &str, found: &[Finding]) -> anyhow::Result<()> {
    lines(found).iter().try_for_each(|line| output::line(format_args!("{doing}: {line}")))
}

fn lines(found: &[Finding]) -> Vec<String> {
    let mut kinds: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for finding in found {
        kinds.entry(&finding.kind).or_default().push(finding.line);
    }
    kinds.into_iter().map(|(kind, lines)| line(kind, lines)).collect()
}

fn line(kind: &str, mut lines: Vec<u64>) -> String {
    let values = output::count(lines.len(), "time");
    lines.dedup();
    let more = lines.len().saturating_sub(MOST_LINES);
    let named: Vec<String> = lines.iter().take(MOST_LINES).map(u64::to_string).collect();
    let named = named.join(", ");
    match (lines.len(), more) {
        (1, _) => format!("{kind}, {values} (line {named})"),
        (_, 0) => format!("{kind}, {values} (lines {named})"),
        (_, more) => format!("{kind}, {values} (lines {named} and {more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: &str, line: u64) -> Finding {
        Finding { kind: kind.into(), rule: kind.into(), line }
    }

    #[test]
    fn kinds_are_told_with_their_lines_and_many_lines_in_short() {
        let found = [at("email", 2), at("iban", 4), at("email", 2), at("email", 7)];
        assert_eq!(lines(&found), ["email, 3 times (lines 2, 7)", "iban, 1 time (line 4)"]);
        let many: Vec<Finding> = (1..=12).map(|line| at("email", line)).collect();
        assert_eq!(lines(&many), ["email, 12 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more)"]);
        assert_eq!(lines(&[]), [""; 0]);
    }
}
