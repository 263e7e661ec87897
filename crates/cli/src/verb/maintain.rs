//! `memoseal maintain`.

use std::process::ExitCode;

use memoseal::{Error, MaintainOptions, Maintained};
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
    let options = MaintainOptions::default();
    if verb.only_store {
        let store = output::open_store(common).await?;
        let outcome = common.interrupt.unless_stopped(store.maintain(&options)).await;
        let outcome = Ok(outcome.ok_or_else(|| stopped("what was removed until then"))??);
        let line = Line { user: common.user.clone(), store: common.store.clone(), outcome };
        return report(common, &[line], None);
    }
    let vault = output::open_vault(common, Prompt::Once).await?;
    let progress = Progress::new("maintaining", "users");
    let counter = progress.counter();
    let done = common.interrupt.unless_stopped(vault.maintain(&options, progress.into_fn())).await;
    let done = done.ok_or_else(|| stopped(&format!("{counter} users are done; what was removed until then")))??;
    let stores = done.stores.into_iter();
    let lines: Vec<Line> =
        stores.map(|store| Line { user: store.user, store: store.store, outcome: store.outcome }).collect();
    let damaged = done.keyrings.damaged.into_iter();
    let damaged = damaged.map(|(user, error)| Line { user, store: String::new(), outcome: Err(error) });
    let lines: Vec<Line> = lines.into_iter().chain(damaged).collect();
    report(common, &lines, Some(done.keyrings.resealed))
}

/// Every step of maintenance is whole by itself, and a later run does what is left.
fn stopped(done: &str) -> Stopped {
    Stopped(format!("{done} is gone, and nothing else was changed: run `memoseal maintain` again"))
}

fn report(common: &Common, lines: &[Line], resealed: Option<u64>) -> anyhow::Result<ExitCode> {
    if common.json {
        let stores: Vec<Value> = lines.iter().map(to_json).collect();
        output::line(json!({ "stores": stores, "keyrings_resealed": resealed }))?;
    } else {
        for line in lines {
            output::line(to_text(line))?;
        }
        if let Some(resealed @ 1..) = resealed {
            output::line(format_args!("{resealed} keyrings sealed anew"))?;
        }
    }
    let is_fine = lines.iter().all(|line| line.outcome.is_ok());
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(exit::DAMAGE) })
}

fn to_json(line: &Line) -> Value {
    match &line.outcome {
        Ok(done) => json!({ "user": line.user, "store": line.store, "expired": done.expired,
            "stripped": done.stripped, "pending": done.pending }),
        Err(error) => json!({ "user": line.user, "store": line.store, "error": error.to_string() }),
    }
}

fn to_text(line: &Line) -> String {
    let place = format!("user {}, store {}", line.user, line.store);
    match &line.outcome {
        Ok(Maintained { expired: 0, stripped: 0, pending: 0, .. }) => format!("{place}: nothing to do"),
        Ok(done) => format!(
            "{place}: {} versions expired, {} objects overwritten, {} versions to look at again in a day",
            done.expired, done.stripped, done.pending
        ),
        Err(error) => format!("{place}: {error}"),
    }
}
