//! `memoseal restore`.

use std::process::ExitCode;

use memoseal::Error;
use serde_json::json;

use crate::{
    args::{Common, Restore},
    output, taken_out,
};

pub(crate) async fn run(common: &Common, verb: &Restore) -> anyhow::Result<ExitCode> {
    for given in verb.path.iter().chain(&verb.to) {
        output::memory_path(given)?;
    }
    let restore = memoseal::Restore {
        path: verb.path.as_deref().map(output::tool_path),
        version: verb.version,
        to: verb.to.as_deref().map(output::tool_path),
    };
    let store = output::open_store(common).await?;
    let restored = if verb.dry_run {
        store.preview_restore(restore).await
    } else {
        common.interrupt.begin();
        store.restore(restore).await
    };
    store.settle().await;
    let restored = restored.map_err(|error| match error {
        Error::Invalid(text) => {
            output::refused(&text, "look for another version with `memoseal history`, or name another place with --to")
        }
        other => other,
    })?;
    let (version, path) = (restored.version, &restored.path);
    if common.json {
        let made = restored.current.filter(|_| restored.changed && !verb.dry_run);
        output::line(json!({ "version": version.to_string(), "new_version": made.map(|made| made.to_string()),
            "path": path.to_string(), "changed": restored.changed, "dry_run": verb.dry_run,
            "taken_out": taken_out::counts(&restored.found) }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !restored.changed {
        output::line(format_args!("{path} is what it was in version {version}: nothing to do"))?;
    } else if verb.dry_run {
        output::line(format_args!("would restore {path} from version {version}"))?;
        taken_out::print("would be taken out", &restored.found)?;
    } else {
        output::line(format_args!("restored {path} from version {version}"))?;
        taken_out::print("taken out", &restored.found)?;
    }
    Ok(ExitCode::SUCCESS)
}
