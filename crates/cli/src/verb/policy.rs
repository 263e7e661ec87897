//! `memoseal policy`.

use std::process::ExitCode;

use memoseal::{
    Error,
    core::env::{OsRandom, Random},
    scrub::{Allowed, Level, Mode, Policy, from_log, to_log},
};
use serde_json::json;

use crate::{
    args::{Common, PolicyArgs, PolicyLevel},
    exit::failed,
    output, rules,
};

pub(crate) async fn run(common: &Common, verb: &PolicyArgs) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let (policy, changed) = match verb.level {
        None => {
            let held = store.scrub_policy().await?.map(|held| from_log(&held)).transpose().map_err(Error::Invalid)?;
            (held.unwrap_or_else(Policy::off), false)
        }
        Some(level) => {
            rules::check_off(&verb.off, rules::read(common)?.as_ref())?;
            let policy = policy(level, verb)?;
            common.interrupt.begin();
            let changed = store.set_scrub_policy(to_log(&policy)).await;
            store.settle().await;
            (policy, changed?)
        }
    };
    if common.json {
        output::line(json!({ "policy": policy, "changed": changed }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(match policy.level {
        Level::Off if policy.modes.is_empty() => "nothing is taken out of what is written",
        Level::Off => "only the kinds below are taken out of what is written",
        Level::Secrets => "secrets are taken out of what is written",
        Level::All => "secrets and personal data are taken out of what is written",
    })?;
    for (kind, mode) in &policy.modes {
        output::line(format_args!(
            "  {kind}: {}",
            match mode {
                Mode::Redact => "taken out",
                Mode::Reject => "what holds it is refused",
                Mode::Off => "left alone",
            }
        ))?;
    }
    if policy.no_default_allowlist {
        output::line("  documented sample keys and addresses of reserved domains too")?;
    }
    for pattern in policy.allowed.patterns() {
        output::line(format_args!("  but for what matches {pattern}"))?;
    }
    match policy.allowed.values() {
        0 => Ok(()),
        1 => output::line("  but for 1 value of your own, kept as a keyed hash"),
        values => output::line(format_args!("  but for {values} values of your own, kept as keyed hashes")),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn policy(level: PolicyLevel, verb: &PolicyArgs) -> anyhow::Result<Policy> {
    let modes = [(&verb.redact, Mode::Redact), (&verb.reject, Mode::Reject), (&verb.off, Mode::Off)];
    let modes = modes.into_iter().flat_map(|(kinds, mode)| kinds.iter().map(move |kind| (kind.clone(), mode)));
    let mut allowed = Allowed::default();
    if let Some(file) = &verb.allow_values {
        let values = std::fs::read_to_string(file).map_err(|error| {
            failed(format_args!("cannot read {}", file.display()), &error, "name a text file with a value in each line")
        })?;
        let mut key = [0; 32];
        OsRandom.fill(&mut key).map_err(|_| Error::NoRandomness)?;
        let values = values.lines().filter(|value| !value.trim().is_empty());
        allowed = values.fold(Allowed::new(key), |allowed, value| allowed.value(value));
    }
    Ok(Policy {
        level: match level {
            PolicyLevel::Off => Level::Off,
            PolicyLevel::Secrets => Level::Secrets,
            PolicyLevel::All => Level::All,
        },
        modes: modes.collect(),
        no_default_allowlist: verb.no_default_allowlist,
        allowed: verb.allow.iter().fold(allowed, |allowed, pattern| allowed.pattern(pattern)),
    })
}
