//! `memoseal redact`.

use std::process::ExitCode;

use memoseal::VersionId;
use serde_json::json;

use crate::{
    args::{Common, Redact},
    confirm::confirm,
    output,
};

/// What a redaction cannot do.
const REACH: &str = "It cannot be undone. Bucket versions, backups, and whoever has read it keep what they have.";

pub(crate) async fn run(common: &Common, verb: &Redact) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let preview = store.preview_redaction(&verb.versions).await?;
    let (versions, shared) = (texts(&preview.versions), texts(&preview.still_shared_by));
    if verb.dry_run {
        if common.json {
            output::line(json!({ "dry_run": true, "versions": versions, "still_shared_by": shared }))?;
        } else {
            output::line(match versions.as_slice() {
                [] => "nothing to redact".to_owned(),
                versions => format!("would redact {}", versions.join(", ")),
            })?;
            tell_shared(&shared)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !versions.is_empty() {
        confirm(&format!("This redacts {}.\n{REACH}", versions.join(", ")), verb.yes)?;
    }
    common.interrupt.begin();
    let redacted = store.redact(&verb.versions).await;
    store.settle().await;
    let redacted = redacted?;
    let shared = texts(&redacted.still_shared_by);
    if common.json {
        output::line(json!({ "dry_run": false, "versions": versions, "still_shared_by": shared,
            "finished": redacted.unfinished.is_none() }))?;
    } else {
        output::line(match versions.as_slice() {
            [] => "nothing to redact".to_owned(),
            versions => format!("redacted {}", versions.join(", ")),
        })?;
        tell_shared(&shared)?;
    }
    match redacted.unfinished {
        None => Ok(ExitCode::SUCCESS),
        Some(error) => Err(anyhow::Error::new(error).context(
            "what was redacted is shown to nobody any more, but may still lie in the vault, sealed; run `memoseal \
             maintain`",
        )),
    }
}

fn tell_shared(shared: &[String]) -> anyhow::Result<()> {
    if shared.is_empty() {
        return Ok(());
    }
    output::line(format_args!("the content stays, because these versions share it: {}", shared.join(", ")))
}

fn texts(versions: &[VersionId]) -> Vec<String> {
    versions.iter().map(ToString::to_string).collect()
}
