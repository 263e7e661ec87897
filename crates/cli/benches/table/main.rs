//! What memoseal costs, as one table: every operation by every competitor, interleaved in one run on one disk.
//!
//! `cargo bench --bench table` prints the table; `-- --write` puts it and the plot into `docs/` too, `-- --quick`
//! measures a few rounds only, to try the benchmark itself. Competitors that are not installed are left out, and the
//! table says so: `cargo xtask bench` installs them first.
//!
//! | module | what |
//! |---|---|
//! | `competitors` | who takes part, and how one command of theirs is timed |
//! | `driver` | a child process: a JSON line in, a JSON line out |
//! | `trees` | the memories that all begin with, written to the disk before anything is timed |
//! | `operations` | the rows of the table |
//! | `growth` | the same over stores of growing size |
//! | `report`, `plot` | the table and the picture |
//!
//! How they take turns is in `memoseal_testkit::measure`.

#![forbid(unsafe_code)]

mod competitors;
mod driver;
mod growth;
mod operations;
mod plot;
mod report;
mod trees;

use std::path::Path;

use anyhow::{Context, bail};
use memoseal_testkit::measure::{self, load};

use crate::{competitors::Site, report::Conditions};

/// How many rounds are measured.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    /// Of what takes milliseconds at most.
    cheap: usize,
    /// Of two that take turns.
    pairs: usize,
    /// Of what starts processes or moves 10,000 memories.
    slow: usize,
    /// Of opening 100,000 memories.
    slowest: usize,
    /// Of each point of the plot.
    plot: usize,
}

const FULL: Rounds = Rounds { cheap: 300, pairs: 500, slow: 30, slowest: 10, plot: 60 };
const QUICK: Rounds = Rounds { cheap: 20, pairs: 30, slow: 4, slowest: 2, plot: 4 };

fn main() -> anyhow::Result<()> {
    let (mut write, mut rounds) = (false, FULL);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            // Cargo gives it to every benchmark.
            "--bench" => {}
            "--write" => write = true,
            "--quick" => rounds = QUICK,
            other => bail!("no option of this benchmark: {other}; there are --write and --quick"),
        }
    }
    let begun = load();
    let site = Site::new(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let rows = operations::run(&site, rounds)?;
    let growth = growth::run(&site, rounds)?;
    let conditions = Conditions { loads: [begun, load()], left_out: site.left_out() };
    let table = report::table(&rows, &growth, &conditions)?;
    println!("{table}");
    if write {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        measure::write(&docs.join("performance.md"), report::MARKS, &table)?;
        plot::draw(&docs.join("performance.svg"), &growth).context("cannot draw docs/performance.svg")?;
    }
    Ok(())
}
