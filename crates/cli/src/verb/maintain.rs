//! `memoseal maintain`.

use std::{process::ExitCode, time::Duration};

use memoseal::{Error, MaintainOptions, Maintained, Vault};
use serde_json::{Value, json};

use crate::{
    args::{Common, Maintain},
    exit,
    interrupt::Stopped,
    key::Prompt,
    output,
    progress::Progress,
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
    loop {
        // Whatever was begun goes on where it was left, in the next run of anybody.
        let run = common.interrupt.unless_stopped(again(common, verb, &vault, &options, every));
        let Some(ran) = run.await else { return Ok(ExitCode::SUCCESS) };
        ran?;
    }
}

/// One of many runs, and the wait after it. What went wrong in it may be right in the next.
async fn again(
    common: &Common,
    verb: &Maintain,
    vault: &Vault,
    options: &MaintainOptions,
    every: Duration,
) -> anyhow::Result<()> {
    let done = async {
        vault.refresh().await?;
        once(common, verb, vault, options).await
    };
    match done.await {
        Err(error) if error.downcast_ref::<Error>().is_none() && error.downcast_ref::<Stopped>().is_none() => {
            return Err(error);
        }
        Err(error) => tracing::warn!("{error:#}; it is tried again in {} s", every.as_secs()),
        Ok(_) => {}
    }
    tokio::time::sleep(every).await;
    Ok(())
}

async fn once(common: &Common, verb: &Maintain, vault: &Vault, options: &MaintainOptions) -> anyhow::Result<ExitCode> {
    if verb.only_store {
        let store = output::store_of(vault, common).await?;
        let outcome = common.interrupt.unless_stopped(store.maintain(options)).await;
        let outcome = Ok(outcome.ok_or_else(|| stopped("what was removed until then"))??);
        let line = Line { user: common.user.clone(), store: common.store.clone(), outcome };
        return report(common, &[line], &Rest::default());
    }
    let progress = Progress::new("maintaining", "users");
    let counter = progress.counter();
    let done = common.interrupt.unless_stopped(vault.maintain(options, progress.into_fn())).await;
    let done = done.ok_or_else(|| stopped(&format!("{counter} users are done; what was removed until then")))??;
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
    let swept = Some((done.emptied, done.deleted));
    report(common, &lines, &Rest { resealed: Some(done.keyrings.resealed), leftovers: Some(leftovers), swept })
}

/// Every step of maintenance is whole by itself, and a later run does what is left.
fn stopped(done: &str) -> Stopped {
    Stopped(format!("{done} is gone, and nothing else was changed: run `memoseal maintain` again"))
}

/// What was done besides the stores.
#[derive(Default)]
struct Rest {
    /// Keyrings that were sealed anew.
    resealed: Option<u64>,
    /// Half-written files that were removed.
    leftovers: Option<u64>,
    /// Objects of what was destroyed that were overwritten, and names of such that were deleted.
    swept: Option<(u64, u64)>,
}

fn report(common: &Common, lines: &[Line], rest: &Rest) -> anyhow::Result<ExitCode> {
    if common.json {
        let stores: Vec<Value> = lines.iter().map(to_json).collect();
        output::line(json!({ "stores": stores, "keyrings_resealed": rest.resealed,
            "leftovers_removed": rest.leftovers, "destroyed_emptied": rest.swept.map(|(emptied, _)| emptied),
            "destroyed_names_deleted": rest.swept.map(|(_, deleted)| deleted) }))?;
    } else {
        for line in lines {
            output::line(to_text(line))?;
            for path in line.outcome.iter().flat_map(|done| &done.unused) {
                output::line(format_args!("  not used: {path}"))?;
            }
        }
        if let Some(resealed @ 1..) = rest.resealed {
            output::line(format_args!("{} sealed anew", output::count(resealed, "keyring")))?;
        }
        if let Some((emptied, deleted)) = rest.swept.filter(|swept| *swept != (0, 0)) {
            output::line(format_args!(
                "of what was destroyed, {} overwritten and {} deleted",
                output::count(emptied, "object"),
                output::count(deleted, "name")
            ))?;
        }
        if let Some(leftovers @ 1..) = rest.leftovers {
            output::line(format_args!("{} removed", output::count(leftovers, "half-written file")))?;
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
            "{place}: {} not used, {} expired, {} overwritten, {} to look at again in a day",
            output::count(done.unused.len(), "file"),
            output::count(done.expired, "version"),
            output::count(done.stripped, "object"),
            output::count(done.pending, "version")
        ),
        Err(error) => format!("{place}: {error}"),
    }
}
