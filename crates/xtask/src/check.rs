//! `cargo xtask test`: everything that has to hold before a change is in.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use clap::Args;

use crate::{
    place::{Place, is_installed},
    python, servers,
    steps::{self, Done, Step},
    tool::Tool,
};

/// The crates that choose their backends by features, and these features; each has to build alone.
const FEATURED: [&str; 2] = ["memoseal", "memoseal-cli"];
const BACKENDS: [&str; 4] = ["local", "s3", "gcs", "azure"];
/// What a crate's name begins with that a backend brings along, and that nobody else may: (backend, names).
const BROUGHT: [(&str, &[&str]); 4] = [
    ("local", &["memoseal-local "]),
    ("s3", &["memoseal-s3 ", "aws-config ", "aws-credential", "aws-runtime ", "aws-sdk-", "aws-sigv4 ", "aws-smithy-"]),
    ("gcs", &["memoseal-gcs "]),
    ("azure", &["memoseal-azure "]),
];
/// What no backend for buckets may bring in where there is none.
const HTTP: [&str; 3] = ["hyper ", "reqwest ", "rustls "];

/// What `--quick` runs.
const QUICK: [&str; 3] = ["fmt", "clippy", "tests"];

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only the format, the lints and the tests
    #[arg(long, conflicts_with = "only")]
    quick: bool,
    /// Only this step and what it needs; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Leave out this server; may be given several times
    #[arg(long, value_name = "SERVER")]
    without: Vec<String>,
    /// Print the names of the steps
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(place: &Place, options: &Options) -> anyhow::Result<bool> {
    let mut steps = all(place, &options.without);
    if options.list {
        for step in steps {
            println!("{:12}  {}", step.name, step.about);
        }
        return Ok(true);
    }
    if let Some(unknown) = options.only.iter().find(|name| steps.iter().all(|step| step.name != **name)) {
        let names: Vec<_> = steps.iter().map(|step| step.name).collect();
        bail!("there is no step `{unknown}`; the steps are {}", names.join(", "));
    }
    if options.quick {
        steps.retain(|step| QUICK.contains(&step.name));
    } else if !options.only.is_empty() {
        let wanted: BTreeSet<_> = options.only.iter().flat_map(|name| with_needs(name)).collect();
        steps.retain(|step| wanted.contains(step.name));
    }
    Ok(steps::run(steps))
}

/// A step and those that have to run before it.
fn with_needs(name: &str) -> Vec<&str> {
    match name {
        "demo" => vec!["program", name],
        "differential" | "example" | "recover" => vec!["program", "venv", name],
        _ => vec![name],
    }
}

fn all<'a>(place: &'a Place, without: &'a [String]) -> Vec<Step<'a>> {
    vec![
        Step::new("fmt", "the format of all sources", || passed(Tool::cargo(place, ["fmt", "--all", "--", "--check"]))),
        Step::new("clippy", "the lints, all features", || {
            passed(clippy(place, ["--workspace", "--all-targets", "--all-features"]))
        }),
        Step::new(
            "features",
            "the lints: no feature, scrubbing alone, each backend alone and without the others' crates",
            || features(place),
        ),
        Step::new("tests", "unit and integration tests", || passed(tests(place))),
        Step::new("simulation", "two minutes of histories under every fault", || {
            passed(simulation(place, SIMULATION_SECONDS, first_seed()))
        }),
        Step::new("doctests", "the examples in the documentation", || {
            passed(Tool::cargo(place, ["test", "--workspace", "--all-features", "--doc"]))
        }),
        Step::new("docs", "the documentation builds without a warning", || passed(docs(place))),
        Step::new("deny", "crates, licences and sources that deny.toml allows", || deny(place)),
        Step::new("program", "the program, as it is released", || {
            passed(Tool::cargo(place, ["build", "--release", "--package", "memoseal-cli"]))
        }),
        Step::new("demo", "`memoseal demo` ends well", || demo(place)),
        Step::new("venv", "the official Python SDK, and what the Python tests need", || {
            python::venv(place).map(|python| {
                println!("{}", python.display());
                Done::Passed
            })
        }),
        Step::new("differential", "the same answers as the official memory tool", || {
            passed(script(place, "tests/python/differential.py")?)
        }),
        Step::new("example", "examples/python under the official tool runner", || {
            passed(script(place, "tests/python/example_test.py")?)
        }),
        Step::new("recover", "examples/python/recover.py reads what the program wrote", || {
            passed(script(place, "tests/python/recover_test.py")?)
        }),
        Step::new("servers", "the suite on LocalStack, Ceph, Azurite and fake-gcs-server, which it installs", || {
            servers::run(place, without)
        }),
    ]
}

fn passed(tool: Tool) -> anyhow::Result<Done> {
    tool.run()?;
    Ok(Done::Passed)
}

fn clippy<'a>(place: &Place, what: impl IntoIterator<Item = &'a str>) -> Tool {
    Tool::cargo(place, ["clippy"]).args(what).args(["--", "-D", "warnings"])
}

fn features(place: &Place) -> anyhow::Result<Done> {
    for package in FEATURED {
        let alone = ["--package", package, "--all-targets", "--no-default-features"];
        clippy(place, alone).run()?;
        clippy(place, alone.into_iter().chain(["--features", "scrub"])).run()?;
        for backend in BACKENDS {
            clippy(place, alone.into_iter().chain(["--features", backend])).run()?;
            apart(place, package, backend)?;
        }
    }
    Ok(Done::Passed)
}

/// Whether a backend is built without what the others bring along.
fn apart(place: &Place, package: &str, backend: &str) -> anyhow::Result<()> {
    let tree = Tool::cargo(place, ["tree", "--package", package, "--no-default-features", "--features", backend])
        .args(["--edges", "normal,build", "--prefix", "none"])
        .read()?;
    let brings = |name: &&str| tree.lines().any(|line| line.starts_with(name));
    let others = BROUGHT.iter().filter(|(other, _)| *other != backend).flat_map(|(_, names)| *names).copied();
    let http = HTTP.into_iter().filter(|_| backend == "local");
    let found: Vec<_> = others.chain(http).filter(brings).collect();
    ensure!(found.is_empty(), "{package} with the feature `{backend}` alone brings in {}", found.join(", "));
    // A name that nothing has would never be found.
    let own = BROUGHT.iter().filter(|(own, _)| *own == backend).flat_map(|(_, names)| *names).copied();
    let missing: Vec<_> = own.filter(|name| !brings(name)).collect();
    ensure!(missing.is_empty(), "{package} with the feature `{backend}` no longer brings in {}", missing.join(", "));
    Ok(())
}

/// How long `cargo xtask test` simulates.
const SIMULATION_SECONDS: u64 = 120;

/// Histories of one seed after another, from `seed` on.
pub(crate) fn simulation(place: &Place, seconds: u64, seed: u64) -> Tool {
    Tool::cargo(place, ["run", "--release", "--package", "memoseal-simulation", "--"])
        .args([seconds.to_string(), seed.to_string()])
}

/// Other seeds every time; a seed that finds something is printed.
pub(crate) fn first_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs() * 1_000)
}

fn tests(place: &Place) -> Tool {
    match is_installed("cargo-nextest") {
        true => Tool::cargo(place, ["nextest", "run", "--workspace", "--all-features"]),
        false => Tool::cargo(place, ["test", "--workspace", "--all-features", "--lib", "--bins", "--tests"]),
    }
}

pub(crate) fn docs(place: &Place) -> Tool {
    Tool::cargo(place, ["doc", "--no-deps", "--workspace", "--all-features"]).flags("RUSTDOCFLAGS", "-D warnings")
}

fn deny(place: &Place) -> anyhow::Result<Done> {
    if !is_installed("cargo-deny") {
        return Ok(Done::Skipped("cargo-deny is not installed (cargo install cargo-deny --locked)".into()));
    }
    passed(Tool::cargo(place, ["deny", "check", "bans", "licenses", "sources"]))
}

fn demo(place: &Place) -> anyhow::Result<Done> {
    let output = scratch_file(place, "demo.txt")?;
    let result = Tool::new(place, place.memoseal()).arg("demo").run_into(&output);
    if result.is_err() {
        print!("{}", fs::read_to_string(&output).unwrap_or_default());
    }
    result.map(|()| Done::Passed)
}

fn scratch_file(place: &Place, name: &str) -> anyhow::Result<PathBuf> {
    let folder = place.scratch();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.join(name))
}

fn script(place: &Place, script: &str) -> anyhow::Result<Tool> {
    let python = python::venv(place)?;
    Ok(Tool::new(place, python).arg(Path::new(script)).env("MEMOSEAL_BIN", place.memoseal()))
}
