//! `memoseal export`.

use std::{path::Path, process::ExitCode};

use anyhow::Context;
use memoseal::{Error, Store};
use serde_json::{Value, json};

use super::init;
use crate::{
    args::{Common, Export},
    contents::Contents,
    exit,
    folder::{LeftOut, NotWritten, Target, Written, files},
    interrupt::Stopped,
    output,
    progress::Progress,
};

/// What came of an export.
#[derive(Debug, Default)]
struct Report {
    new: usize,
    replaced: usize,
    unchanged: usize,
    left_out: Vec<LeftOut>,
    /// How many files the store holds.
    total: usize,
}

pub(crate) async fn run(common: &Common, verb: &Export) -> anyhow::Result<ExitCode> {
    let folder = &verb.folder;
    if init::is_inside(&folder.join("memories"), output::vault_url(common)?)? {
        let problem = format!(
            "{} lies in the vault's own folder, where plain files would lie beside what is sealed: choose another place",
            folder.display()
        );
        return Err(Error::Invalid(problem).into());
    }
    if folder.exists() && !folder.is_dir() {
        let problem = format!("{} is no folder: name a folder, or a new name", folder.display());
        return Err(Error::Invalid(problem).into());
    }
    let store = output::open_store(common).await?;
    let mut report = Report::default();
    let done = export(common, verb, &store, &mut report).await;
    store.settle().await;
    report.print(common, verb, done.is_ok())?;
    done?;
    Ok(if report.left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::IN_PART) })
}

/// Writes one file after another. What was written stays, whatever happens after it.
async fn export(common: &Common, verb: &Export, store: &Store, report: &mut Report) -> anyhow::Result<()> {
    let memories = store.memories().await?;
    report.total = memories.len();
    let mut target = Target::new(&verb.folder, verb.overwrite, verb.dry_run);
    let mut progress = Progress::new("exporting", "files");
    let mut contents = Contents::of(store, memories);
    common.interrupt.begin();
    let mut done = 0;
    while let Some((memory, content)) = contents.next().await {
        if common.interrupt.is_stopped() {
            return Err(Stopped(format!("{}: run it again for the rest", report.so_far())).into());
        }
        let written = match content {
            Ok(content) => target.write(&memory.path, &content),
            // It was removed from the log since it was listed.
            Err(error @ Error::NotFound { .. }) => Err(NotWritten::LeftOut(error.to_string())),
            Err(error) => return Err(error).with_context(|| report.so_far()),
        };
        match written {
            Ok(Written::Unchanged) => report.unchanged += 1,
            Ok(outcome) => {
                let count = if outcome == Written::New { &mut report.new } else { &mut report.replaced };
                *count += 1;
                if verb.verbose && !common.json {
                    let doing = if verb.dry_run { "would write" } else { "wrote" };
                    output::line(format_args!("{doing} {}", memory.path))?;
                }
            }
            Err(NotWritten::LeftOut(why)) => report.left_out.push(LeftOut::new(&memory.path, why)),
            Err(NotWritten::Failed(file, error)) => return Err(failed(&file, error)).with_context(|| report.so_far()),
        }
        done += 1;
        progress.set(done, report.total as u64);
    }
    Ok(())
}

fn failed(file: &Path, error: std::io::Error) -> anyhow::Error {
    let what = format!("cannot write {}: {error}: mend that and run it again for the rest", file.display());
    anyhow::Error::new(output::Disk(what))
}

impl Report {
    fn so_far(&self) -> String {
        let written = self.new + self.replaced;
        format!("{written} of {} were written, and stay", files(self.total))
    }

    fn print(&self, common: &Common, verb: &Export, is_finished: bool) -> anyhow::Result<()> {
        if common.json {
            let left_out: Vec<Value> = self.left_out.iter().map(LeftOut::json).collect();
            return output::line(json!({ "dry_run": verb.dry_run, "finished": is_finished && !verb.dry_run,
                "exported": self.new + self.replaced, "replaced": self.replaced, "unchanged": self.unchanged,
                "left_out": left_out }));
        }
        self.left_out.iter().try_for_each(LeftOut::print)?;
        output::line(format_args!(
            "{} {} to {} ({} replaced), {} unchanged, {} left out",
            if verb.dry_run { "would export" } else { "exported" },
            files(self.new + self.replaced),
            verb.folder.display(),
            self.replaced,
            self.unchanged,
            self.left_out.len()
        ))
    }
}
