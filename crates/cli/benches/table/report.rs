//! The table as Markdown, and what it says about the targets.

use std::fmt::Write as _;

use memoseal_testkit::measure::{Bound, Spread, thousands};

use crate::{
    competitors::Who,
    growth::{Line, SIZES},
    operations::{self, Row},
};

/// Between these lines of the page the table stands.
pub(crate) const MARKS: [&str; 2] =
    ["<!-- table: written by `cargo xtask bench -- --write` -->", "<!-- table: end -->"];

/// What the run was like.
#[derive(Debug)]
pub(crate) struct Conditions {
    /// How busy the machine was before and after.
    pub(crate) loads: [String; 2],
    /// Why somebody takes no part.
    pub(crate) left_out: Vec<String>,
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

/// What was to be reached: the row, whose time over whose, and the bound.
const TARGETS: &[(&str, Who, Who, Bound)] = &[
    (operations::VIEW_BY_TWO, Who::Python, Who::Tool, Bound::AtLeast(3.0)),
    (operations::VIEW_DIRECTORY_BY_TWO, Who::Python, Who::Tool, Bound::AtLeast(50.0)),
    (operations::CREATE_BY_TWO, Who::Library, Who::Bare, Bound::AtMost(1.25)),
    (operations::STR_REPLACE_BY_TWO, Who::Library, Who::Bare, Bound::AtMost(1.25)),
    (operations::RENAME_100_BY_TWO, Who::Library, Who::Bare, Bound::AtMost(2.5)),
    #[cfg(feature = "scrub")]
    (operations::CREATE_SCRUBBED, Who::Scrubbing, Who::Library, Bound::AtMost(1.1)),
];

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
            write!(text, " | {}", row.of(who).map_or("–".into(), |times| Spread::of(times).micros()))?;
        }
        for (who, by, _) in RATIOS {
            write!(text, " | {}", ratio(row, who, by).map_or("–".into(), |ratio| ratio.to_string()))?;
        }
        writeln!(text, " |")?;
    }
    writeln!(text, "\n| target | measured | |\n|---|--:|---|")?;
    for &(name, who, by, bound) in TARGETS {
        let Some(row) = rows.iter().find(|row| row.name == name) else { continue };
        let Some(found) = ratio(row, who, by) else { continue };
        let label =
            RATIOS.iter().find(|ratio| (ratio.0, ratio.1) == (who, by)).map_or("with ÷ without", |ratio| ratio.2);
        writeln!(text, "| {name}: {label} {bound} | {found} | {} |", found.verdict(bound))?;
    }
    writeln!(text, "\n| library, by memories in the store, µs | {} |", SIZES.map(thousands).join(" | "))?;
    writeln!(text, "|---{}|", "|--:".repeat(SIZES.len()))?;
    for line in growth {
        let cells: Vec<_> = line.points.iter().map(|point| point.micros()).collect();
        writeln!(text, "| {} | {} |", line.name, cells.join(" | "))?;
    }
    Ok(text)
}

fn ratio(row: &Row, who: Who, by: Who) -> Option<Spread> {
    Some(Spread::of_ratios(row.of(who)?, row.of(by)?))
}
