//! `memoseal-simulation`: histories of one seed after another until the time is up, or the first that is wrong.

#![forbid(unsafe_code)]

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use memoseal_core::simulation::Planted;

fn main() -> ExitCode {
    if let Some(seed) = memoseal_simulation::seed_from_env() {
        let outcome = memoseal_simulation::run_traced(seed, planted(), true);
        println!("seed {seed}: {} operations, {} commits", outcome.ops, outcome.commits);
        outcome.violations.iter().for_each(|violation| println!("VIOLATION {violation}"));
        return if outcome.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let number = |at: usize| std::env::args().nth(at).and_then(|text| text.parse::<u64>().ok());
    let (seconds, mut seed) = (number(1).unwrap_or(60), number(2).unwrap_or(1));
    let began = Instant::now();
    let (mut histories, mut ops, mut answered, mut commits, mut wrong) = (0_u64, 0_usize, 0_usize, 0_usize, 0_u64);
    let most = number(3).unwrap_or(u64::MAX);
    while began.elapsed() < Duration::from_secs(seconds) && histories < most {
        let outcome = memoseal_simulation::run(seed, planted());
        histories += 1;
        ops += outcome.ops;
        answered += outcome.answered;
        commits += outcome.commits;
        if let Some(first) = outcome.violations.first() {
            wrong += 1;
            println!("MEMOSEAL_SEED={seed}: {first} ({} in all)", outcome.violations.len());
        }
        seed += 1;
    }
    let taken = began.elapsed().as_secs_f64();
    let mean = |of: usize| of as f64 / histories.max(1) as f64;
    println!(
        "{histories} histories, {:.1} operations each ({:.1} answered, {:.1} commits), {:.0} histories/s, next seed {seed}",
        mean(ops),
        mean(answered),
        mean(commits),
        histories as f64 / taken,
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The bug that `MEMOSEAL_PLANTED` names.
fn planted() -> Option<Planted> {
    let name = std::env::var("MEMOSEAL_PLANTED").ok()?;
    Planted::ALL.into_iter().find(|bug| format!("{bug:?}") == name)
}
