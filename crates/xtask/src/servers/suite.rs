//! The shared suite on each server, and the tests that need servers by name.

use std::{env, fs, path::PathBuf, thread, time::Instant};

use anyhow::{bail, ensure};

use super::{KMS, Ready, is_set, server::Server};
use crate::{
    place::{Place, is_installed},
    tool::Tool,
};

/// The crate with the tests that need servers by name.
const ACROSS: &str = "memoseal-servers";

/// With this at 1 a server that is not named is a failure and not skipped.
const REQUIRE: &str = "MEMOSEAL_TEST_REQUIRE_SERVERS";

/// Builds all tests once, so that suites side by side do not wait for each other's build.
pub(super) fn build(place: &Place) -> anyhow::Result<()> {
    match is_installed("cargo-nextest") {
        true => Tool::cargo(place, ["nextest", "run", "--workspace", "--all-features", "--no-run"]).run(),
        false => Tool::cargo(place, ["test", "--workspace", "--all-features", "--tests", "--no-run"]).run(),
    }
}

/// The integration tests of a crate, in the build of the whole workspace; they fail if a server is not named. Those that
/// need KMS only where there is one.
fn tests(place: &Place, package: &str, has_kms: bool) -> Tool {
    let tool = if is_installed("cargo-nextest") {
        let which = if has_kms { "" } else { " and not test(/^kms_server::/)" };
        Tool::cargo(place, ["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"])
            .args(["--filterset", &format!("package({package}) and kind(test){which}")])
    } else {
        let tool = Tool::cargo(place, ["test", "--all-features", "--test", "it", "--package", package, "--"]);
        if has_kms { tool } else { tool.args(["--skip", "kms_server::"]) }
    };
    tool.env(REQUIRE, "1")
}

/// The suite on the place that `variable` names, with the credentials of whoever named it.
pub(super) fn on_named(place: &Place, variable: &str) -> anyhow::Result<()> {
    let package = match variable {
        "MEMOSEAL_TEST_S3_URL" => "memoseal-s3",
        "MEMOSEAL_TEST_GCS_URL" => "memoseal-gcs",
        "MEMOSEAL_TEST_AZURE_URL" => "memoseal-azure",
        _ => bail!("no suite reads {variable}"),
    };
    println!("{variable} names a place: the suite runs there");
    tests(place, package, is_set(KMS)).run()
}

/// The suite on each of these, two at a time: most of the time one core is the server's and another the client's.
pub(super) fn on_all(place: &Place, ready: &[(&'static str, &Ready)]) -> anyhow::Result<()> {
    let jobs = ready.iter().map(|(name, ready)| {
        let has_kms = ready.environment.iter().any(|(variable, _)| *variable == KMS);
        let mut tool = tests(place, ready.suite, has_kms);
        for (variable, value) in &ready.environment {
            tool = tool.env(variable, value);
        }
        (*name, tool, place.scratch().join(format!("suite-{name}.log")))
    });
    // The first server is the slowest, and gets a lane of its own.
    let mut lanes: [Vec<(&'static str, Tool, PathBuf)>; 2] = Default::default();
    for (n, job) in jobs.enumerate() {
        lanes[n.min(1)].push(job);
    }
    let results: Vec<_> = thread::scope(|scope| {
        let running = lanes.map(|lane| scope.spawn(move || lane.into_iter().map(run).collect::<Vec<_>>()));
        running.into_iter().flat_map(|lane| lane.join().unwrap_or_default()).collect()
    });
    let failed: Vec<_> = results.iter().filter(|(_, _, result)| result.is_err()).collect();
    for (name, log, _) in &failed {
        println!("--- the suite on {name}, of {}", log.display());
        print!("{}", fs::read_to_string(log).unwrap_or_default());
    }
    // A lane that came to no end gave nothing.
    ensure!(results.len() == ready.len(), "not every suite came to an end");
    match failed.first() {
        None => Ok(()),
        Some((name, log, Err(error))) => bail!("the suite on {name}: {error:#}: see {}", log.display()),
        Some((name, ..)) => bail!("the suite on {name} failed"),
    }
}

type Outcome = (&'static str, PathBuf, anyhow::Result<()>);

fn run((name, tool, log): (&'static str, Tool, PathBuf)) -> Outcome {
    let start = Instant::now();
    let result = tool.run_into(&log);
    let word = if result.is_ok() { "passed" } else { "FAILED" };
    println!("the suite on {name} {word} after {:.0} s: {}", start.elapsed().as_secs_f64(), summary(&log));
    (name, log, result)
}

/// The line in which the test runner says how many there were.
fn summary(log: &std::path::Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let line = text.lines().rev().find(|line| line.contains("Summary") || line.contains("test result"));
    line.unwrap_or("it said nothing").trim().to_owned()
}

/// The tests that need servers by name, with the real program; `all` if every server is there.
pub(super) fn across(place: &Place, mut ready: Vec<Ready>, all: bool) -> anyhow::Result<()> {
    let program = place.target.join("debug").join(format!("memoseal{}", env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "no program at {}", program.display());
    let tool = |ready: &[Ready], kills: bool| {
        let mut tool = only(place, kills).env("MEMOSEAL_BIN", &program);
        for ready in ready {
            for (variable, value) in ready.more.iter().chain([&ready.address]) {
                tool = tool.env(variable, value);
            }
        }
        if all { tool.env(REQUIRE, "1") } else { tool }
    };
    tool(&ready, false).run()?;
    // Those that kill Ceph start what they kill themselves.
    for ready in &mut ready {
        ready.servers.retain(Server::is_left_to_itself);
    }
    tool(&ready, true).run()
}

/// The tests across servers that kill some, or all the others.
fn only(place: &Place, kills: bool) -> Tool {
    if is_installed("cargo-nextest") {
        let which = if kills { "test(/^kills::/)" } else { "not test(/^kills::/)" };
        return Tool::cargo(place, ["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"])
            .args(["--test-threads", "2", "--filterset"])
            .arg(format!("package({ACROSS}) and kind(test) and {which}"));
    }
    let tool = Tool::cargo(place, ["test", "--all-features", "--test", "it", "--package", ACROSS, "--"]);
    if kills { tool.arg("kills::") } else { tool.args(["--skip", "kills::"]) }
}
