//! What memoseal costs on servers, beside the bare client and beside rclone: all interleaved in one run.
//!
//! `cargo xtask bench --servers` starts LocalStack and Ceph, installs rclone where it can, and runs this; the table is
//! printed, and with `-- --write` put into `docs/performance.md`. With `-- --quick` a few rounds are measured, to try the
//! benchmark itself.
//!
//! | module | what |
//! |---|---|
//! | `scene` | a vault, plain objects and rclone at one place on a server, and one operation by one of them |
//! | `rclone` | a running rclone with a crypt remote there |
//! | `run` | which operations by whom, timed on the server itself, counted through the proxy |
//! | `report` | the tables |
//!
//! How they take turns is in `memoseal_testkit::measure`.

#![forbid(unsafe_code)]

mod rclone;
mod report;
mod run;
mod scene;

use std::path::Path;

use anyhow::bail;
use memoseal_servers::Server;
use memoseal_testkit::measure::{self, load};

/// How many rounds are measured.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    /// Of the library beside the bare client.
    pairs: usize,
    /// Of the library beside rclone.
    rclone: usize,
    /// Of renaming a directory of 100 beside rclone, which copies and deletes each file.
    renames: usize,
}

const FULL: Rounds = Rounds { pairs: 500, rclone: 100, renames: 20 };
const QUICK: Rounds = Rounds { pairs: 10, rclone: 5, renames: 2 };

/// In the order of the table.
const SERVERS: [&str; 2] = ["LocalStack", "Ceph"];

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
    let servers: Vec<_> = SERVERS.into_iter().filter_map(Server::named).collect();
    if servers.is_empty() {
        println!("no server to measure on: `cargo xtask bench --servers` starts them");
        return Ok(());
    }
    let begun = load();
    let measured = servers.iter().map(|server| run::on(server, rounds)).collect::<anyhow::Result<Vec<_>>>()?;
    let table = report::table(&measured, [begun, load()])?;
    println!("{table}");
    if write {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
        measure::write(&page, report::MARKS, &table)?;
    }
    Ok(())
}
