//! Deterministic simulation: the engine's own log and handles over a bucket in which everything goes wrong.
//!
//! A history is a function of its seed: some processes with some clients each work on one store for a while, on one
//! thread and in virtual time, over a bucket whose requests fail, land late, or land and fail ([`memoseal_testkit::sim`]);
//! processes die in the middle and come again. Everything that was asked and told is recorded, and every object that
//! landed. Then [`check`] decides whether all of it can have happened one after another.
//!
//! ```
//! let outcome = memoseal_simulation::run(7, None);
//! assert_eq!(outcome.violations, Vec::<String>::new());
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`world`] | processes and clients: what happens in a history |
//! | [`plan`] | what a client asks next |
//! | [`record`] | what was asked and told |
//! | [`surroundings`] | clock, randomness and witness of a simulated machine |
//! | [`observe`] | the log, commit by commit, as it landed |
//! | [`opened`] | the bucket at the end, opened by the format alone |
//! | [`model`] | the six commands on a map, written from the contract |
//! | [`check`] | the verdict |
//! | [`template`] | vaults to begin with |
//! | [`protocol`] | the protocol as a small machine, searched through |
//!
//! `MEMOSEAL_SEED=N` makes the tests and the program run that seed alone and print every event.

#![forbid(unsafe_code)]

pub mod check;
pub mod model;
pub mod observe;
pub mod opened;
pub mod plan;
pub mod protocol;
pub mod record;
pub mod surroundings;
pub mod template;
pub mod world;

use memoseal_core::simulation::Planted;
use tokio::runtime::{Builder, Runtime};

/// The key of every simulated vault.
pub const KEY: [u8; 32] = [7; 32];
/// The user of every simulated vault.
pub const USER: &str = "alice";
/// The store of every simulated vault.
pub const STORE: &str = "default";

/// What came of one history.
#[derive(Debug)]
pub struct Outcome {
    /// What cannot have happened; empty if all is well.
    pub violations: Vec<String>,
    /// How many operations were asked.
    pub ops: usize,
    /// How many of them were answered.
    pub answered: usize,
    /// How many commits there were in the end.
    pub commits: usize,
    /// A fingerprint of everything that landed: the same for the same seed.
    pub print: u64,
}

/// Runs the history of a seed and checks it.
pub fn run(seed: u64, planted: Option<Planted>) -> Outcome {
    run_traced(seed, planted, false)
}

/// The same, printing every event if `trace`.
pub fn run_traced(seed: u64, planted: Option<Planted>, trace: bool) -> Outcome {
    template::all();
    runtime().block_on(async {
        let world = world::run(seed, planted, trace).await;
        check::check(&world).await
    })
}

/// The seed that `MEMOSEAL_SEED` names, if it names one.
pub fn seed_from_env() -> Option<u64> {
    std::env::var("MEMOSEAL_SEED").ok()?.parse().ok()
}

#[allow(clippy::expect_used, reason = "without a runtime there is no simulation")]
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime for the simulation")
}
