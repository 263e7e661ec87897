//! `cargo xtask release`: whether everything that a release needs is there. It publishes nothing.

use anyhow::{Context, bail, ensure};

use crate::{
    check,
    place::Place,
    steps::{self, Done, Step},
    tool::Tool,
};

/// What every package holds.
const NEEDED: [&str; 2] = ["Cargo.toml", "Cargo.lock"];
/// What no package may hold: keys, results of builds and tests, editors' leftovers.
const REFUSED: [&str; 7] = [".key", ".pem", ".env", ".rej", ".pyc", ".profraw", "~"];

pub(crate) fn run(place: &Place) -> anyhow::Result<bool> {
    Ok(steps::run(vec![
        Step::new("tree", "nothing is uncommitted", || clean(place)),
        Step::new("lock", "Cargo.lock is up to date", || {
            Tool::cargo(place, ["metadata", "--locked", "--format-version", "1"]).read()?;
            Ok(Done::Passed)
        }),
        Step::new("versions", "all packages have one version", || versions(place)),
        Step::new("packages", "each package holds its sources and nothing else", || contents(place)),
        Step::new("docs", "the documentation builds without a warning", || {
            check::docs(place).run()?;
            Ok(Done::Passed)
        }),
    ]))
}

fn clean(place: &Place) -> anyhow::Result<Done> {
    let changes = Tool::new(place, "git").args(["status", "--porcelain"]).read()?;
    ensure!(changes.is_empty(), "the work tree is not clean:\n{changes}");
    Ok(Done::Passed)
}

fn versions(place: &Place) -> anyhow::Result<Done> {
    let packages = packages(place)?;
    let (first, version) = packages.first().context("the workspace has no package")?;
    for (name, other) in &packages {
        ensure!(other == version, "{name} has version {other}, {first} has {version}");
    }
    println!("{} packages, all {version}", packages.len());
    Ok(Done::Passed)
}

fn contents(place: &Place) -> anyhow::Result<Done> {
    for (name, _) in packages(place)? {
        let files = Tool::cargo(place, ["package", "--list", "--package", &name]).read()?;
        let files: Vec<_> = files.lines().collect();
        let has = |wanted: &str| files.contains(&wanted);
        if let Some(missing) = NEEDED.into_iter().find(|file| !has(file)) {
            bail!("{name} is packaged without {missing}");
        }
        ensure!(has("src/lib.rs") || has("src/main.rs"), "{name} is packaged without its sources");
        for file in &files {
            let refused = REFUSED.iter().any(|ending| file.ends_with(ending)) || file.starts_with("target/");
            ensure!(!refused, "{name} would be packaged with {file}");
        }
        println!("{name}: {} files", files.len());
    }
    Ok(Done::Passed)
}

/// The packages of the workspace with their versions.
fn packages(place: &Place) -> anyhow::Result<Vec<(String, String)>> {
    let tree = Tool::cargo(place, ["tree", "--workspace", "--depth", "0", "--prefix", "none"]).read()?;
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.trim_start_matches('v').to_owned()))
    };
    Ok(tree.lines().filter_map(package).collect())
}
