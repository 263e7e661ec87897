//! `memoseal search`.

use std::process::ExitCode;

use memoseal::{Error, Store, core::path::MemoryPath};
use serde_json::json;

use crate::{
    args::{Common, Search},
    contents::Contents,
    exit::printable,
    output,
};

/// A line that holds the text.
struct Match {
    path: String,
    /// From 1.
    line: usize,
    text: String,
}

pub(crate) async fn run(common: &Common, verb: &Search) -> anyhow::Result<ExitCode> {
    if verb.text.is_empty() {
        return Err(Error::Invalid("an empty text stands in every line: give one to look for".into()).into());
    }
    let within = output::memory_path(&verb.path)?;
    let store = output::open_store(common).await?;
    let found = search(&store, &within, verb).await;
    store.settle().await;
    let found = found?;
    if common.json {
        let matches: Vec<_> =
            found.iter().map(|found| json!({ "path": found.path, "line": found.line, "text": found.text })).collect();
        output::line(json!({ "matches": matches }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_coloured = output::is_coloured(&std::io::stdout());
    for Match { path, line, text } in &found {
        let text = printable(text);
        if is_coloured {
            output::line(format_args!("\x1b[35m{path}\x1b[0m:\x1b[32m{line}\x1b[0m: {text}"))?;
        } else {
            output::line(format_args!("{path}:{line}: {text}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn search(store: &Store, within: &MemoryPath, verb: &Search) -> anyhow::Result<Vec<Match>> {
    let mut memories = store.memories().await?;
    memories.retain(|memory| within.is_root() || memory.path == *within || memory.path.is_under(within));
    if memories.is_empty() && !within.is_root() {
        let hint = "look around with `memoseal ls`".into();
        return Err(Error::NotFound { what: within.to_string(), hint }.into());
    }
    let sought = if verb.ignore_case { verb.text.to_lowercase() } else { verb.text.clone() };
    let mut found = Vec::new();
    let mut contents = Contents::of(store, memories);
    while let Some((memory, content)) = contents.next().await {
        let content = match content {
            Ok(content) => content,
            // It was removed from the log since it was listed.
            Err(Error::NotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        // What is not text is a picture.
        let Ok(text) = std::str::from_utf8(&content) else { continue };
        // Lines as `view` numbers them: only `\n` ends one.
        for (line, text) in (1..).zip(text.split('\n')) {
            let holds = if verb.ignore_case { text.to_lowercase().contains(&sought) } else { text.contains(&sought) };
            if holds {
                found.push(Match { path: memory.path.to_string(), line, text: text.to_owned() });
            }
        }
    }
    Ok(found)
}
