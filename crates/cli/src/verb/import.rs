//! `memoseal import`.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::Context;
use bytes::Bytes;
use memoseal::{
    Command, Error, Limits, Reply, Store,
    core::{
        command::{self, Contents, Edit},
        path::MemoryPath,
        scrub::Scrubbing,
        state::{Memory, MemoryId, Overlay, State, VersionId},
    },
};
use serde_json::{Value, json};

use crate::{
    args::{Common, Import},
    exit,
    folder::{Found, LeftOut, Scan, files},
    interrupt::Stopped,
    key, output,
    progress::Progress,
};

/// A commit takes this many files …
const MOST_FILES: usize = 256;
/// … or this many bytes of content, and at least one file.
const MOST_BYTES: usize = 1024 * 1024;

/// What came of an import.
#[derive(Debug, Default)]
struct Report {
    /// The folder that stands for the root.
    root: PathBuf,
    new: usize,
    replaced: usize,
    unchanged: usize,
    left_out: Vec<LeftOut>,
    /// How many values of each kind were taken out of what is imported.
    taken_out: BTreeMap<String, u64>,
    /// How many files were to be imported.
    planned: usize,
}

/// A file that is to be imported, and whether it replaces another content.
struct Planned {
    found: Found,
    replaces: bool,
}

pub(crate) async fn run(common: &Common, verb: &Import) -> anyhow::Result<ExitCode> {
    let scan = Scan::of(&verb.folder, &apart(common)?)?;
    let store = output::open_store_to_change(common).await?;
    let mut report = Report { root: scan.root, left_out: scan.left_out, ..Report::default() };
    let scrubbing = store.scrubbing().await?;
    let planned = plan(store.memories().await?, scan.files, verb.overwrite, &scrubbing, &mut report);
    report.planned = planned.len();
    let is_refused = verb.strict && !report.left_out.is_empty();
    let done = if verb.dry_run || is_refused {
        report.replaced = planned.iter().filter(|planned| planned.replaces).count();
        report.new = planned.len() - report.replaced;
        Ok(())
    } else {
        import(common, verb, &store, planned, &mut report).await
    };
    store.settle().await;
    report.print(common, verb, is_refused, done.is_ok())?;
    done?;
    if is_refused {
        let problem = format!(
            "nothing was changed: {} would be left out: mend what is listed, or leave --strict out",
            report.left_out.len()
        );
        return Err(Error::Invalid(problem).into());
    }
    Ok(if report.left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::IN_PART) })
}

/// What is not imported wherever it lies: what the vault consists of, and what opens it.
fn apart(common: &Common) -> Result<Vec<(PathBuf, &'static str)>, Error> {
    let mut apart = Vec::new();
    if let Ok(vault) = memoseal::parse_url(output::vault_url(common)?)?.to_file_path() {
        apart.push((vault, "the vault's own folder"));
    }
    apart.extend(key::files(common)?.into_iter().map(|file| (file, key::STAYS_OUTSIDE)));
    Ok(apart)
}

/// What would be imported if nobody changed anything meanwhile: the tool's own rules, on what the store holds now.
fn plan(
    memories: Vec<Memory>,
    files: Vec<Found>,
    overwrite: bool,
    scrubbing: &Scrubbing,
    report: &mut Report,
) -> Vec<Planned> {
    let state: State = memories.into_iter().collect();
    let mut tree = Overlay::new(&state);
    let limits = Limits::default();
    let mut planned = Vec::new();
    for (number, found) in (1..).zip(files) {
        let content = match found.read() {
            Ok(content) => content,
            Err(why) => {
                report.leave_out(&found, why);
                continue;
            }
        };
        let replaces = tree.get(&found.path).is_some();
        // To write a whole file nothing has to be read.
        let Ok(outcome) = command::run(&put(&found.path, content, true), &tree, &limits, &Nothing, scrubbing) else {
            continue;
        };
        if let Reply::Error(text) = &outcome.reply {
            report.leave_out(&found, without_label(text));
            continue;
        }
        if outcome.edits.is_empty() {
            report.unchanged += 1;
            continue;
        }
        if replaces && !overwrite {
            report.leave_out(&found, format_args!("{} differs: give --overwrite to replace it", found.path));
            continue;
        }
        for finding in outcome.found {
            *report.taken_out.entry(finding.kind).or_default() += 1;
        }
        for edit in &outcome.edits {
            apply(&mut tree, edit, number);
        }
        planned.push(Planned { replaces, found });
    }
    planned
}

/// Lays one edit down as the change of a commit that is only thought of.
fn apply(tree: &mut Overlay<'_>, edit: &Edit, number: u32) {
    let id = MemoryId::from_bytes(u128::from(number).to_be_bytes());
    tree.apply(edit, id, VersionId { seq: u64::MAX, index: number }, 0);
}

struct Nothing;

impl Contents for Nothing {
    fn get(&self, _memory: &Memory) -> Option<Bytes> {
        None
    }
}

fn put(path: &MemoryPath, content: Vec<u8>, overwrite: bool) -> Command {
    let (path, content) = (path.to_string(), content.into());
    if overwrite { Command::Put { path, content } } else { Command::PutNew { path, content } }
}

fn without_label(text: &str) -> &str {
    text.strip_prefix("Error: ").unwrap_or(text)
}

/// Imports in commits of many files. What was imported stays, whatever happens after it.
async fn import(
    common: &Common,
    verb: &Import,
    store: &Store,
    planned: Vec<Planned>,
    report: &mut Report,
) -> anyhow::Result<()> {
    common.interrupt.begin();
    let total = planned.len() as u64;
    let mut progress = Progress::new("importing", "files");
    let mut files = planned.into_iter().peekable();
    let mut done = 0;
    while files.peek().is_some() {
        if common.interrupt.is_stopped() {
            return Err(Stopped(format!("{}: run it again for the rest", report.so_far())).into());
        }
        let (mut batch, mut commands, mut bytes) = (Vec::new(), Vec::new(), 0);
        while batch.len() < MOST_FILES
            && bytes < MOST_BYTES
            && let Some(file) = files.next()
        {
            done += 1;
            match file.found.read() {
                Ok(content) => {
                    bytes += content.len();
                    commands.push(put(&file.found.path, content, verb.overwrite));
                    batch.push(file);
                }
                Err(why) => report.leave_out(&file.found, why),
            }
        }
        let refused = report.left_out.len();
        for (file, reply) in batch.iter().zip(store.execute_turn(commands).await) {
            match reply.with_context(|| report.so_far())? {
                Reply::Error(text) => report.leave_out(&file.found, without_label(&text)),
                _ => {
                    let count = if file.replaces { &mut report.replaced } else { &mut report.new };
                    *count += 1;
                    if verb.verbose && !common.json {
                        output::line(format_args!("imported {}", file.found.path))?;
                    }
                }
            }
        }
        progress.set(done, total);
        if verb.strict && report.left_out.len() > refused {
            let problem = "the store or the folder was changed meanwhile, so that something was left out: run it again";
            return Err(Error::Invalid(problem.into())).with_context(|| report.so_far());
        }
    }
    Ok(())
}

impl Report {
    fn leave_out(&mut self, found: &Found, why: impl std::fmt::Display) {
        self.left_out.push(LeftOut::new(found.file.display(), why));
    }

    fn so_far(&self) -> String {
        format!("{} of {} were imported, and stay", self.new + self.replaced, files(self.planned))
    }

    fn print(&self, common: &Common, verb: &Import, is_refused: bool, is_finished: bool) -> anyhow::Result<()> {
        let is_done = !verb.dry_run && !is_refused;
        if common.json {
            let left_out: Vec<Value> = self.left_out.iter().map(LeftOut::json).collect();
            return output::line(
                json!({ "folder": self.root.display().to_string(), "dry_run": !is_done, "finished": is_finished && is_done,
                "imported": self.new + self.replaced, "replaced": self.replaced, "unchanged": self.unchanged,
                "left_out": left_out, "taken_out": self.taken_out }),
            );
        }
        self.left_out.iter().try_for_each(LeftOut::print)?;
        for (kind, values) in &self.taken_out {
            let doing = if is_done { "taken out" } else { "would be taken out" };
            output::line(format_args!("{doing}: {kind}, {}", output::count(*values, "time")))?;
        }
        output::line(format_args!(
            "{} {} from {} ({} replaced), {} unchanged, {} left out",
            if is_done { "imported" } else { "would import" },
            files(self.new + self.replaced),
            self.root.display(),
            self.replaced,
            self.unchanged,
            self.left_out.len()
        ))
    }
}
