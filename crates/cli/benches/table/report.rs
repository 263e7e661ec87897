//! The table as Markdown, what it says about the targets, and putting it into a page.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::Context as _;

use crate::{
    competitors::Who,
    growth::{Line, SIZES},
    measure::Spread,
    operations::{self, Row},
};

const BEGIN: &str = "<!-- table: written by `cargo xtask bench -- --write` -->";
const END: &str = "<!-- table: end -->";

/// What the run was like.
#[derive(Debug)]
pub(crate) struct Conditions {
    /// How busy the machine was before and after.
    pub(crate) loads: [String; 2],
    /// Why somebody takes no part.
    pub(crate) left_out: Vec<String>,
}

/// The load averages, where the system tells them.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<_> = text.split(' ').take(3).collect();
    if averages.len() == 3 { averages.join(", ") } else { "not known".to_owned() }
}

/// Who stands in which column.
const COLUMNS: [(Who, &str); 5] = [
    (Who::Bare, "bare"),
    (Who::Library, "library"),
    (Who::Tool, "`memoseal tool`"),
    (Who::Python, "Python tool"),
    (Who::TypeScript, "TypeScript tool"),
];

/// Whose time is divided by whose.
const RATIOS: [(Who, Who, &str); 3] = [
    (Who::Library, Who::Bare, "library ÷ bare"),
    (Who::Python, Who::Tool, "Python ÷ `memoseal tool`"),
    (Who::TypeScript, Who::Tool, "TypeScript ÷ `memoseal tool`"),
];

/// What was to be reached: the row, whose time over whose, the bound, and whether it is a least or a most.
const TARGETS: &[(&str, Who, Who, f64, Bound)] = &[
    (operations::VIEW_BY_TWO, Who::Python, Who::Tool, 3.0, Bound::AtLeast),
    (operations::VIEW_DIRECTORY_BY_TWO, Who::Python, Who::Tool, 50.0, Bound::AtLeast),
    (operations::CREATE_BY_TWO, Who::Library, Who::Bare, 1.25, Bound::AtMost),
    (operations::STR_REPLACE_BY_TWO, Who::Library, Who::Bare, 1.25, Bound::AtMost),
    (operations::RENAME_100_BY_TWO, Who::Library, Who::Bare, 2.5, Bound::AtMost),
    #[cfg(feature = "scrub")]
    (operations::CREATE_SCRUBBED, Who::Scrubbing, Who::Library, 1.1, Bound::AtMost),
];

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast,
    AtMost,
}

/// Everything that a run found out.
pub(crate) fn table(rows: &[Row], growth: &[Line], conditions: &Conditions) -> anyhow::Result<String> {
    let mut text = String::new();
    let [before, after] = &conditions.loads;
    writeln!(text, "Load averages before the run {before}, after it {after}.")?;
    for why in &conditions.left_out {
        writeln!(text, "{why}")?;
    }
    writeln!(
        text,
        "\nMicroseconds: median (quartiles). Ratios: the median of those of each round (their quartiles).\n"
    )?;
    let heads: Vec<_> = COLUMNS.iter().map(|column| column.1).chain(RATIOS.iter().map(|ratio| ratio.2)).collect();
    writeln!(text, "| operation | rounds | {} |", heads.join(" | "))?;
    writeln!(text, "|---|--:{}|", "|--:".repeat(heads.len()))?;
    for row in rows {
        let rounds = row.times.first().map_or(0, |(_, times)| times.len());
        write!(text, "| {} | {rounds}", row.name)?;
        for (who, _) in COLUMNS {
            write!(text, " | {}", row.of(who).map_or("–".into(), |times| micros(Spread::of(times))))?;
        }
        for (who, by, _) in RATIOS {
            write!(text, " | {}", ratio(row, who, by).map_or("–".into(), times))?;
        }
        writeln!(text, " |")?;
    }
    writeln!(text, "\n| target | measured | |\n|---|--:|---|")?;
    for &(name, who, by, bound, kind) in TARGETS {
        let Some(row) = rows.iter().find(|row| row.name == name) else { continue };
        let Some(found) = ratio(row, who, by) else { continue };
        let (word, is_reached, is_sure) = match kind {
            Bound::AtLeast => ("at least", found.median >= bound, found.low >= bound),
            Bound::AtMost => ("at most", found.median <= bound, found.high <= bound),
        };
        let label =
            RATIOS.iter().find(|ratio| (ratio.0, ratio.1) == (who, by)).map_or("with ÷ without", |ratio| ratio.2);
        let verdict = match (is_reached, is_sure) {
            (true, true) => "reached",
            (true, false) => "by the median only, not by three rounds of four",
            (false, _) => "**not reached**",
        };
        writeln!(text, "| {name}: {label} {word} {bound} | {} | {verdict} |", times(found))?;
    }
    writeln!(text, "\n| library, by memories in the store, µs | {} |", SIZES.map(thousands).join(" | "))?;
    writeln!(text, "|---{}|", "|--:".repeat(SIZES.len()))?;
    for line in growth {
        let cells: Vec<_> = line.points.iter().map(|point| micros(*point)).collect();
        writeln!(text, "| {} | {} |", line.name, cells.join(" | "))?;
    }
    Ok(text)
}

fn ratio(row: &Row, who: Who, by: Who) -> Option<Spread> {
    Some(Spread::of_ratios(row.of(who)?, row.of(by)?))
}

fn micros(spread: Spread) -> String {
    let [low, median, high] = [spread.low, spread.median, spread.high].map(|seconds| (seconds * 1e6).round() as usize);
    format!("{} ({}–{})", thousands(median), thousands(low), thousands(high))
}

fn times(spread: Spread) -> String {
    let shown = |number: f64| if number < 9.95 { format!("{number:.2}") } else { format!("{number:.0}") };
    format!("{} ({}–{})", shown(spread.median), shown(spread.low), shown(spread.high))
}

/// A number with its thousands apart.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Puts `table` between the marks of a page.
pub(crate) fn write(page: &Path, table: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let missing = || format!("{} has no place for the table: put back the lines {BEGIN} and {END}", page.display());
    let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    fs::write(page, format!("{before}{BEGIN}\n{table}{END}{after}"))
        .with_context(|| format!("cannot write {}", page.display()))
}
