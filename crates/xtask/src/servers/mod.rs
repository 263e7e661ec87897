//! Servers that speak the protocols of the clouds, installed under the target folder and started without Docker, and
//! what is tested on them.
//!
//! | module | what |
//! |---|---|
//! | `server` | one process that listens, ended when it is let go |
//! | `install` | what has to be there before |
//! | `localstack`, `ceph`, `azurite`, `fake_gcs` | one server each: installed, started, with a bucket in it |
//! | `suite` | the shared suite on each, and the tests that need several |

mod azurite;
mod ceph;
mod fake_gcs;
mod install;
mod localstack;
mod server;
mod suite;

use std::{env, ffi::OsString, thread};

use anyhow::{Context, bail};

use self::server::Server;
use crate::{place::Place, steps::Done, tool::Tool};

/// The bucket, or container, that is made in each.
const BUCKET: &str = "memoseal";

/// Names a server with KMS, for those tests of the S3 backend that need one.
const KMS: &str = "MEMOSEAL_TEST_KMS_URL";

/// A server that can be installed here.
struct Known {
    name: &'static str,
    /// If this names a place, the suite runs there and this server only takes part in the tests that need it by name.
    variable: &'static str,
    start: fn(&Place) -> anyhow::Result<Ready>,
    /// Whether it stops answering when it has run for some time, and has to be started afresh before the last tests.
    ages: bool,
}

/// In the order in which their suites run: the slowest first, and what ages soon after it was started.
static ALL: [Known; 4] = [
    Known { name: "localstack", variable: "MEMOSEAL_TEST_S3_URL", start: localstack::start, ages: false },
    Known { name: "azurite", variable: "MEMOSEAL_TEST_AZURE_URL", start: azurite::start, ages: true },
    Known { name: "ceph", variable: "MEMOSEAL_TEST_S3_URL", start: ceph::start, ages: false },
    Known { name: "fake-gcs-server", variable: "MEMOSEAL_TEST_GCS_URL", start: fake_gcs::start, ages: false },
];

/// A server that answers, and what has to be told to whoever tests on it.
struct Ready {
    /// The crate whose suite runs on it.
    suite: &'static str,
    /// What that suite is told.
    environment: Vec<(&'static str, String)>,
    /// What the tests are told that need this very server: a variable, and its URL.
    address: (&'static str, String),
    /// What else they are told.
    more: Vec<(&'static str, String)>,
    /// Its processes, in the order in which they are to end.
    servers: Vec<Server>,
}

/// Everything on all servers but those in `without`; an error if one cannot be started.
pub(crate) fn run(place: &Place, without: &[String]) -> anyhow::Result<Done> {
    suite::build(place)?;
    let mut named: Vec<_> = ALL.iter().map(|known| known.variable).filter(|variable| is_set(variable)).collect();
    named.sort_unstable();
    named.dedup();
    for variable in &named {
        suite::on_named(place, variable)?;
    }
    let mut ready = start(place, without)?;
    let asked: Vec<_> = ready.iter().filter(|(known, _)| !named.contains(&known.variable)).collect();
    suite::on_all(place, &asked.iter().map(|(known, ready)| (known.name, ready)).collect::<Vec<_>>())?;
    for (known, ready) in ready.iter_mut().filter(|(known, _)| known.ages) {
        *ready = (known.start)(place)?;
    }
    suite::across(place, ready.into_iter().map(|(_, ready)| ready).collect(), without.is_empty())?;
    match without {
        [] => Ok(Done::Passed),
        some => Ok(Done::Skipped(format!("passed, without {}", some.join(", ")))),
    }
}

/// Starts all servers but those in `without`, tells how to point tests at them, and keeps them until Ctrl-C.
pub(crate) fn keep(place: &Place, without: &[String]) -> anyhow::Result<()> {
    suite::build(place)?;
    let ready = start(place, without)?;
    println!("\nThe servers run until Ctrl-C. What the tests across servers read:");
    for (_, ready) in &ready {
        for (variable, value) in ready.more.iter().chain([&ready.address]) {
            println!("export {variable}='{value}'");
        }
    }
    for (known, ready) in &ready {
        println!("\nThe suite of {} on {}:", ready.suite, known.name);
        for (variable, value) in &ready.environment {
            println!("export {variable}='{value}'");
        }
    }
    loop {
        thread::park();
    }
}

/// The benchmark on the S3 servers, with these arguments.
pub(crate) fn bench(place: &Place, arguments: &[OsString]) -> anyhow::Result<()> {
    let bench = || Tool::cargo(place, ["bench", "--package", "memoseal-servers", "--bench", "servers"]);
    // Before the servers are there, so that a build keeps no one busy while times are taken.
    bench().arg("--no-run").run()?;
    // The benchmark leaves it out where it is not there, and says so.
    if let Err(error) = install::debian(place, &["rclone"], &["rclone"]) {
        println!("rclone takes no part: {error:#}");
    }
    let ready = start(place, &["azurite".to_owned(), "fake-gcs-server".to_owned()])?;
    let mut tool = bench().env("MEMOSEAL_TEST_REQUIRE_SERVERS", "1");
    for (_, ready) in &ready {
        tool = tool.env(ready.address.0, &ready.address.1);
    }
    tool.arg("--").args(arguments).run()
}

/// Starts all servers but those in `without`, from this thread: they live no longer than it does.
fn start(place: &Place, without: &[String]) -> anyhow::Result<Vec<(&'static Known, Ready)>> {
    if let Some(unknown) = without.iter().find(|name| ALL.iter().all(|known| known.name != **name)) {
        let names: Vec<_> = ALL.iter().map(|known| known.name).collect();
        bail!("there is no server `{unknown}`; the servers are {}", names.join(", "));
    }
    let wanted = ALL.iter().filter(|known| !without.iter().any(|name| name == known.name));
    wanted
        .map(|known| {
            let hint = || format!("cannot start {0}; `--without {0}` leaves it out", known.name);
            Ok((known, (known.start)(place).with_context(hint)?))
        })
        .collect()
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}
