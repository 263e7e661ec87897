//! `memoseal maintain`.

use std::process::ExitCode;

use anyhow::Context;
use memoseal::{Error, MaintainOptions, Maintained, Vault};
use serde_json::{Value, json};

use super::verify;
use crate::{
    args::{Common, Maintain},
    exit,
    key::Prompt,
    output,
};

/// A store, and what became of it.
struct Line {
    user: String,
    store: String,
    outcome: Result<Maintained, Error>,
}

pub(crate) async fn run(common: &Common, verb: &Maintain) -> anyhow::Result<ExitCode> {
    let mut options = MaintainOptions::default();
    (options.unused_days, options.dry_run) = (verb.expire_unused, verb.dry_run);
    let vault = output::open_vault(common, Prompt::Once).await?;
    let Some(every) = verb.every else {
        return once(common, verb, &vault, &options).await;
    };
    let stop = tokio::signal::ctrl_c();
    let mut stop = std::pin::pin!(stop);
    loop {
        let run = async {
            let done = async {
                vault.refresh().await?;
                once(common, verb, &vault, &options).await
            };
            if let Err(error) = done.await {
                if error.downcast_ref::<Error>().is_none() {
                    return Err(error);
                }
                tracing::warn!("{error:#}; it is tried again in {}", humanly(every));
            }
            tokio::time::sleep(every).await;
            Ok(())
        };
        // Whatever was begun goes on where it was left, in the next run of anybody.
        tokio::select! {
            stopped = &mut stop => {
                stopped.context("cannot wait for Ctrl-C")?;
                return Ok(ExitCode::SUCCESS);
            }
            ran = run => ran?,
        }
    }
}

fn humanly(time: std::time::Duration) -> String {
    format!("{} s", time.as_secs())
}

async fn once(common: &Common, verb: &Maintain, vault: &Vault, options: &MaintainOptions) -> anyhow::Result<ExitCode> {
    if verb.only_store {
        let outcome = Ok(output::store_of(vault, common).await?.maintain(options).await?);
        let line = Line { user: common.user.clone(), store: common.store.clone(), outcome };
        return report(common, &[line], &Rest::default());
    }
    let done = vault.maintain(options, verify::progress_of("maintaining", "users")).await?;
    let url = output::vault_url(common)?.to_owned();
    let leftovers = if options.dry_run {
        0
    } else {
        tokio::task::spawn_blocking(move || memoseal::remove_leftovers(&url)).await??
    };
    let stores = done.stores.into_iter();
    let lines: Vec<Line> =
        stores.map(|store| Line { user: store.user, store: store.store, outcome: store.outcome }).collect();
    let damaged = done.keyrings.damaged.into_iter();
    let damaged = damaged.map(|(user, error)| Line { user, store: String::new(), outcome: Err(error) });
    let lines: Vec<Line> = lines.into_iter().chain(damaged).collect();
    report(common, &lines, &Rest { resealed: Some(done.keyrings.resealed), leftovers: Some(leftovers) })
}

/// What was done besides the stores.
#[derive(Default)]
struct Rest {
    /// Keyrings that were sealed anew.
    resealed: Option<u64>,
    /// Half-written files that were removed.
    leftovers: Option<u64>,
}

fn report(common: &Common, lines: &[Line], rest: &Rest) -> anyhow::Result<ExitCode> {
    if common.json {
        let stores: Vec<Value> = lines.iter().map(to_json).collect();
        output::line(json!({ "stores": stores, "keyrings_resealed": rest.resealed,
            "leftovers_removed": rest.leftovers }))?;
    } else {
        for line in lines {
            output::line(to_text(line))?;
            for path in line.outcome.iter().flat_map(|done| &done.unused) {
                output::line(format_args!("  not used: {path}"))?;
            }
        }
        if let Some(resealed @ 1..) = rest.resealed {
            output::line(format_args!("{resealed} keyrings sealed anew"))?;
        }
        if let Some(leftovers @ 1..) = rest.leftovers {
            output::line(format_args!("{leftovers} half-written files removed"))?;
        }
    }
    let is_fine = lines.iter().all(|line| line.outcome.is_ok());
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(exit::DAMAGE) })
}

fn to_json(line: &Line) -> Value {
    match &line.outcome {
        Ok(done) => json!({ "user": line.user, "store": line.store, "expired": done.expired,
            "stripped": done.stripped, "pending": done.pending, "blocks": done.blocks,
            "unused": done.unused.iter().map(ToString::to_string).collect::<Vec<_>>() }),
        Err(error) => json!({ "user": line.user, "store": line.store, "error": error.to_string() }),
    }
}

fn to_text(line: &Line) -> String {
    let place = format!("user {}, store {}", line.user, line.store);
    match &line.outcome {
        Ok(Maintained { expired: 0, stripped: 0, pending: 0, unused, .. }) if unused.is_empty() => {
            format!("{place}: nothing to do")
        }
        Ok(done) => format!(
            "{place}: {} files not used, {} versions expired, {} objects overwritten, {} versions to look at again in a day",
            done.unused.len(),
            done.expired,
            done.stripped,
            done.pending
        ),
        Err(error) => format!("{place}: {error}"),
    }
}
