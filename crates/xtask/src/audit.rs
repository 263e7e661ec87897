//! `cargo xtask audit`: what the dependencies bring in.

use anyhow::bail;

use crate::{
    place::{Place, is_installed},
    steps::{self, Done, Step},
    tool::Tool,
};

pub(crate) fn run(place: &Place) -> anyhow::Result<bool> {
    if !is_installed("cargo-deny") {
        bail!("cargo-deny is not installed: cargo install cargo-deny --locked");
    }
    Ok(steps::run(vec![
        Step::new("duplicates", "crates that are built in more than one version", || {
            Tool::cargo(place, ["tree", "--duplicates", "--workspace", "--all-features"]).run()?;
            Ok(Done::Passed)
        }),
        Step::new("deny", "crates, licences and sources that deny.toml allows", || {
            Tool::cargo(place, ["deny", "check", "bans", "licenses", "sources"]).run()?;
            Ok(Done::Passed)
        }),
        Step::new("advisories", "known vulnerabilities", || advisories(place)),
    ]))
}

fn advisories(place: &Place) -> anyhow::Result<Done> {
    if let Err(error) = Tool::cargo(place, ["deny", "fetch", "db"]).run() {
        println!("{error:#}");
        return Ok(Done::Skipped(
            "NOT CHECKED: the advisory database is a git repository on the network, and could not be fetched".into(),
        ));
    }
    Tool::cargo(place, ["deny", "check", "--disable-fetch", "advisories"]).run()?;
    Ok(Done::Passed)
}
