//! `memoseal copy`.

use std::process::ExitCode;

use memoseal::{Copied, CopyOptions, Error};
use serde_json::json;

use super::init;
use crate::{
    args::{Common, Copy},
    exit,
    interrupt::Stopped,
    key::Prompt,
    output,
    progress::Progress,
};

pub(crate) async fn run(common: &Common, verb: &Copy) -> anyhow::Result<ExitCode> {
    for (inner, outer) in [(&verb.to, &verb.from), (&verb.from, &verb.to)] {
        if let Ok(folder) = memoseal::parse_url(inner)?.to_file_path()
            && init::is_inside(&folder.join("vault"), outer)?
        {
            let problem = format!("{inner} lies in {outer}, or is the same folder: choose a place of its own");
            return Err(Error::Invalid(problem).into());
        }
    }
    let vault = output::open_vault_at(common, &verb.from, Prompt::Once).await?;
    let mut options = CopyOptions::default();
    options.user.clone_from(&verb.only_user);
    options.dry_run = verb.dry_run;
    let progress = Progress::new("copying", "objects");
    let counter = progress.counter();
    let copying = memoseal::copy(&vault, &verb.to, &options, progress.into_fn());
    let copied = common.interrupt.unless_stopped(copying).await.ok_or_else(|| {
        Stopped(format!("{counter} objects were looked at, and what was copied stays: run it again for the rest"))
    })??;
    if common.json {
        output::line(json!({ "dry_run": verb.dry_run, "created": copied.created, "overwritten": copied.overwritten,
            "deleted": copied.deleted, "unchanged": copied.unchanged, "kept": copied.kept, "bytes": copied.bytes,
            "foreign": copied.foreign, "behind": copied.is_behind }))?;
    } else {
        print(verb, &copied)?;
    }
    let is_whole = !copied.is_behind && copied.kept == 0;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(exit::IN_PART) })
}

fn print(verb: &Copy, copied: &Copied) -> anyhow::Result<()> {
    output::line(format_args!(
        "{} {} ({}) to {}: {} new, {} overwritten with less; {} old checkpoints deleted, {} unchanged",
        if verb.dry_run { "would copy" } else { "copied" },
        output::count(copied.created + copied.overwritten, "object"),
        output::count(copied.bytes, "byte"),
        verb.to,
        copied.created,
        copied.overwritten,
        copied.deleted,
        copied.unchanged,
    ))?;
    if copied.kept > 0 {
        output::line(format_args!(
            "{} objects hold less at {} than at {}, and were left so: run `memoseal verify` on {}, and if something is lost \
             there, copy to an empty place",
            copied.kept, verb.to, verb.from, verb.to
        ))?;
    }
    if copied.foreign > 0 {
        output::line(format_args!(
            "{} objects at {} are not memoseal's, and were left out: `memoseal verify` names them",
            copied.foreign, verb.from
        ))?;
    }
    if copied.is_behind {
        output::line(format_args!("{} is still being changed: run it again when it is quiet", verb.from))?;
    }
    if !verb.dry_run {
        output::line("from now on write to one of the two only: they are the same vault, and would part")?;
    }
    Ok(())
}
