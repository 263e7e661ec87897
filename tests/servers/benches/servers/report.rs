//! The tables as Markdown.

use std::fmt::Write as _;

use memoseal_testkit::measure::{Bound, Spread};
use memoseal_testproxy::Op;

use crate::{
    run::{Measured, Row},
    scene::{LARGE, Operation, SMALL, Who},
};

/// Between these lines of the page the tables stand.
pub(crate) const MARKS: [&str; 2] =
    ["<!-- servers: written by `cargo xtask bench --servers -- --write` -->", "<!-- servers: end -->"];

/// What the library is compared with, in what; and what was to be reached, if anything.
const PAIRS: [(Operation, Who, &str, Option<Bound>); 5] = [
    (Operation::Create(SMALL), Who::Bare, "create, 4 KiB", Some(Bound::AtMost(1.1))),
    (Operation::Create(LARGE), Who::Bare, "create, 100 KiB", Some(Bound::AtMost(1.1))),
    (Operation::ViewCached, Who::Bare, "one GET, of 4 KiB", Some(Bound::AtMost(1.1))),
    (Operation::ViewCached, Who::BareMissing, "one GET, of a missing key", None),
    (Operation::View, Who::Bare, "two GETs at the same time, of 4 KiB and of a missing key", None),
];

/// Everything that a run found out.
pub(crate) fn table(all: &[Measured], [before, after]: [String; 2]) -> anyhow::Result<String> {
    let mut text = String::new();
    writeln!(text, "Load averages before the run {before}, after it {after}.")?;
    match all.iter().find_map(|measured| measured.version.as_deref()) {
        Some(version) => writeln!(text, "Beside {version}.")?,
        None => writeln!(text, "rclone is left out: it is not installed (`apt-get install rclone`).")?,
    }
    writeln!(
        text,
        "\nMicroseconds: median (quartiles). Ratios: the median of those of each round (their quartiles).\n"
    )?;
    writeln!(text, "| server | library | rounds | µs | bare client | µs | library ÷ bare | target | |")?;
    writeln!(text, "|---|---|--:|--:|---|--:|--:|---|---|")?;
    for measured in all {
        for (operation, by, beside, target) in PAIRS {
            let Some((rounds, library, other)) = pair(&measured.pairs, operation, by) else { continue };
            let ratio = Spread::of_ratios(library, other);
            write!(text, "| {} | {} | {rounds} | {} ", measured.server, name(operation), Spread::of(library).micros())?;
            write!(text, "| {beside} | {} | {ratio} ", Spread::of(other).micros())?;
            match target {
                Some(bound) => writeln!(text, "| {bound} | {} |", ratio.verdict(bound))?,
                None => writeln!(text, "| – | |")?,
            }
        }
    }
    if all.iter().any(|measured| !measured.rclone.is_empty()) {
        writeln!(text, "\n| server | operation | rounds | library, µs | rclone, µs | rclone ÷ library |")?;
        writeln!(text, "|---|---|--:|--:|--:|--:|")?;
        for measured in all {
            for row in &measured.rclone {
                let Some((rounds, library, other)) = pair(&measured.rclone, row.operation, Who::Rclone) else {
                    continue;
                };
                write!(text, "| {} | {} | {rounds} ", measured.server, name(row.operation))?;
                let [ours, theirs] = [library, other].map(|times| Spread::of(times).micros());
                writeln!(text, "| {ours} | {theirs} | {} |", Spread::of_ratios(other, library))?;
            }
        }
    }
    counts(&mut text, all)?;
    Ok(text)
}

/// Requests of one operation, a column a server.
fn counts(text: &mut String, all: &[Measured]) -> anyhow::Result<()> {
    let Some(first) = all.first() else { return Ok(()) };
    let servers: Vec<_> = all.iter().map(|measured| format!("requests to {}", measured.server)).collect();
    writeln!(text, "\n| operation | by | {} |\n|---|---|{}", servers.join(" | "), "---|".repeat(servers.len()))?;
    for one in &first.counts {
        let who = match one.who {
            Who::Bare => "bare client",
            Who::BareMissing => "bare client, of a missing key",
            Who::Library => "library",
            Who::Rclone => "rclone",
        };
        write!(text, "| {} | {who}", name(one.operation))?;
        for measured in all {
            let is_same = |count: &&crate::run::Count| (count.operation, count.who) == (one.operation, one.who);
            let found = measured.counts.iter().find(is_same);
            write!(text, " | {}", found.map_or("–".into(), |count| requests(&count.requests)))?;
        }
        writeln!(text, " |")?;
    }
    Ok(())
}

fn requests(requests: &[(Op, u64)]) -> String {
    let word = |op| match op {
        Op::Create => "PUT if absent",
        Op::Put => "PUT",
        Op::Get => "GET",
        Op::Head => "HEAD",
        Op::List => "LIST",
        Op::Delete => "DELETE",
        _ => "other",
    };
    let each: Vec<_> = requests.iter().map(|(op, n)| format!("{n} {}", word(*op))).collect();
    each.join(", ")
}

fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::Create(LARGE) => "create, 100 KiB",
        Operation::Create(_) => "create, 4 KiB",
        Operation::ViewCached => "view 4 KiB, cached",
        Operation::View => "view 4 KiB, not cached",
        Operation::Rename => "rename a directory of 100",
    }
}

/// The rounds, the library's times and the other's.
fn pair(rows: &[Row], operation: Operation, by: Who) -> Option<(usize, &[f64], &[f64])> {
    let row = rows.iter().find(|row| row.operation == operation)?;
    let (library, other) = (row.of(Who::Library)?, row.of(by)?);
    Some((library.len(), library, other))
}
