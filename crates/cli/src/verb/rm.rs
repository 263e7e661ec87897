//! `memoseal rm`.

use std::process::ExitCode;

use memoseal::{
    Command, Error, Reply,
    core::{path::MemoryPath, state::Memory},
};
use serde_json::json;

use crate::{
    args::{Common, Rm},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Rm) -> anyhow::Result<ExitCode> {
    let paths = verb.paths.iter().map(|path| output::memory_path(path)).collect::<Result<Vec<_>, _>>()?;
    let store = output::open_store(common).await?;
    let memories = store.memories().await?;
    let paths = outermost(paths);
    let mut deleted = Vec::new();
    for path in &paths {
        deleted.extend(standing_at(&memories, path, verb.recursive)?.map(|memory| memory.path.to_string()));
    }
    if !verb.dry_run {
        common.interrupt.begin();
        let commands = paths.iter().map(|path| Command::Delete { path: path.to_string() }).collect();
        let answers = store.execute_turn(commands).await;
        store.settle().await;
        for answer in answers {
            if let Reply::Error(text) = answer? {
                return Err(output::refused(&text, "it was changed meanwhile; look around with `memoseal ls`").into());
            }
        }
    }
    if common.json {
        output::line(json!({ "dry_run": verb.dry_run, "deleted": deleted }))?;
    } else {
        let doing = if verb.dry_run { "would delete" } else { "deleted" };
        deleted.iter().try_for_each(|path| output::line(format_args!("{doing} {path}")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The paths, each once, without those that go with a directory that is named too.
fn outermost(mut paths: Vec<MemoryPath>) -> Vec<MemoryPath> {
    paths.sort();
    let mut outermost: Vec<MemoryPath> = Vec::new();
    for path in paths {
        if !outermost.iter().any(|above| *above == path || path.is_under(above)) {
            outermost.push(path);
        }
    }
    outermost
}

/// The file at `path`, or all that is in the directory there.
fn standing_at<'a>(
    memories: &'a [Memory],
    path: &'a MemoryPath,
    recursive: bool,
) -> Result<impl Iterator<Item = &'a Memory>, Error> {
    if path.is_root() {
        let problem = format!("{path} itself stays: delete all that is in it with `memoseal clear`");
        return Err(Error::Invalid(problem));
    }
    let is_file = memories.iter().any(|memory| memory.path == *path);
    let is_directory = memories.iter().any(|memory| memory.path.is_under(path));
    match (is_file, is_directory) {
        (false, false) => {
            Err(Error::NotFound { what: path.to_string(), hint: "look around with `memoseal ls`".into() })
        }
        (false, true) if !recursive => {
            Err(Error::Invalid(format!("{path} is a directory: give -r to delete all that is in it")))
        }
        _ => Ok(memories.iter().filter(move |memory| memory.path == *path || memory.path.is_under(path))),
    }
}
