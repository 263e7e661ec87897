//! The development tasks of memoseal, run as `cargo xtask TASK`.
//!
//! | module | what |
//! |---|---|
//! | `steps` | steps in order, a header each, a table of times at the end |
//! | `place` | where the repository and the target folder are, what is installed |
//! | `tool` | one run of another program |
//! | `check` | `cargo xtask test` |
//! | `python` | the Python interpreter and its virtual environment |
//! | `typescript` | the official TypeScript SDK |
//! | `servers` | the servers that the cloud backends are tested against |
//! | `audit`, `release` | the tasks of those names |

#![forbid(unsafe_code)]

mod audit;
mod check;
mod place;
mod python;
mod release;
mod servers;
mod steps;
mod tool;
mod typescript;

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{place::Place, tool::Tool};

/// The development tasks of memoseal.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", after_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask test                       everything that CI runs
  cargo xtask test --quick               before a commit: format, lints, tests
  cargo xtask test --only differential   one step, and what it needs
  cargo xtask test --only servers        the shared suite on servers that are installed for it
  cargo xtask test --without ceph        everything but on one of them
  cargo xtask test --list                the names of the steps
  cargo xtask soak --minutes 20          simulated histories under every fault
  cargo xtask servers                    the servers of the tests, until Ctrl-C
  cargo xtask bench                      the benchmarks
  cargo xtask bench -- --write           the same, and docs/performance.md anew
  cargo xtask bench --servers            the backends, on servers that are installed for it";

#[derive(Debug, Subcommand)]
enum Task {
    /// Run all checks in order; stops at the first that fails
    #[command(after_help = EXAMPLES)]
    Test(check::Options),
    /// Run the benchmarks, beside the official memory tools where Python and Node.js are installed
    #[command(after_help = "Examples:\n  cargo xtask bench\n  cargo xtask bench -- --write   \
                            puts the table and the plot into docs/\n  cargo xtask bench --servers   \
                            the backends, on LocalStack and Ceph")]
    Bench {
        /// Measure the backends, on LocalStack and Ceph which are started for it, beside the bare client and rclone
        #[arg(long)]
        servers: bool,
        /// Passed on to the benchmarks
        #[arg(last = true)]
        arguments: Vec<OsString>,
    },
    /// Simulate histories under every fault for a while; prints the seed of each that is wrong
    #[command(after_help = "Examples:\n  cargo xtask soak --minutes 20\n  MEMOSEAL_SEED=7 cargo xtask soak    \
                            one seed, every event")]
    Soak {
        /// How long
        #[arg(long, default_value_t = 10)]
        minutes: u64,
        /// The first seed; the time of day if none is given
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Start the servers that the cloud backends are tested on, tell how to reach them, and keep them until Ctrl-C
    #[command(after_help = "Examples:\n  cargo xtask servers\n  cargo xtask servers --without ceph")]
    Servers {
        /// Leave out this server; may be given several times
        #[arg(long, value_name = "SERVER")]
        without: Vec<String>,
    },
    /// Look for known vulnerabilities, refused crates and licences, and duplicates
    #[command(after_help = "Example:\n  cargo xtask audit")]
    Audit,
    /// Check that everything which a release needs is there; publishes nothing
    #[command(after_help = "Example:\n  cargo xtask release")]
    Release,
}

fn main() -> ExitCode {
    match run(Args::parse().task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> anyhow::Result<bool> {
    let place = Place::find()?;
    match task {
        Task::Test(options) => check::run(&place, &options),
        Task::Bench { servers: true, arguments } => servers::bench(&place, &arguments).map(|()| true),
        Task::Bench { servers: false, arguments } => {
            // The benchmark leaves out who is not there, and says so.
            if let Err(error) = python::venv(&place) {
                println!("the Python tool takes no part: {error:#}");
            }
            if let Err(error) = typescript::install(&place) {
                println!("the TypeScript tool takes no part: {error:#}");
            }
            Tool::cargo(&place, ["bench", "--workspace", "--bench", "*", "--"]).args(arguments).run()?;
            Ok(true)
        }
        Task::Soak { minutes, seed } => {
            check::simulation(&place, minutes * 60, seed.unwrap_or_else(check::first_seed)).run()?;
            Ok(true)
        }
        Task::Servers { without } => servers::keep(&place, &without).map(|()| true),
        Task::Audit => audit::run(&place),
        Task::Release => release::run(&place),
    }
}
