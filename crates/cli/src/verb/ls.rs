//! `memoseal ls`.

use std::process::ExitCode;

use memoseal::{
    Error,
    core::{path::MemoryPath, state::Memory},
};
use serde_json::{Value, json};

use crate::{
    args::{Common, Ls},
    output,
};

/// A row: a file, or a directory with the sum of what lies under it, and the time of the last change there.
enum Row<'a> {
    File(&'a Memory),
    Directory { path: MemoryPath, bytes: u64, files: usize, updated_ms: i64 },
}

pub(crate) async fn run(common: &Common, verb: &Ls) -> anyhow::Result<ExitCode> {
    let directory = output::memory_path(&verb.path)?;
    let store = output::open_store(common).await?;
    let memories = store.memories().await?;
    store.settle().await;
    let rows = rows(&memories, &directory, verb.recursive);
    if rows.is_empty() && !directory.is_root() {
        let hint = "look around with `memoseal ls`".into();
        return Err(Error::NotFound { what: directory.to_string(), hint }.into());
    }
    if common.json {
        let entries: Vec<Value> = rows.iter().map(Row::json).collect();
        output::line(json!({ "path": directory.to_string(), "entries": entries }))?;
    } else {
        let lines = if verb.long { long(&rows) } else { rows.iter().map(Row::name).collect() };
        lines.iter().try_for_each(output::line)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rows<'a>(memories: &'a [Memory], directory: &MemoryPath, recursive: bool) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    // Paths are sorted so that what lies under a directory stands together.
    for memory in memories {
        if memory.path == *directory {
            return vec![Row::File(memory)];
        }
        let Some(child) = memory.path.child_under(directory) else { continue };
        if recursive || child == memory.path {
            rows.push(Row::File(memory));
            continue;
        }
        match rows.last_mut() {
            Some(Row::Directory { path, bytes, files, updated_ms }) if *path == child => {
                *bytes += memory.size;
                *files += 1;
                *updated_ms = memory.updated_ms.max(*updated_ms);
            }
            _ => {
                let (bytes, updated_ms) = (memory.size, memory.updated_ms);
                rows.push(Row::Directory { path: child, bytes, files: 1, updated_ms });
            }
        }
    }
    rows
}

/// Size, time, version and name, in columns.
fn long(rows: &[Row<'_>]) -> Vec<String> {
    let cells = rows.iter().map(|row| {
        let (size, at_ms, version) = match row {
            Row::File(memory) => (memory.size, memory.updated_ms, memory.version.to_string()),
            Row::Directory { bytes, updated_ms, .. } => (*bytes, *updated_ms, "-".to_owned()),
        };
        (size.to_string(), output::time(at_ms, 0), version, row.name())
    });
    let cells: Vec<_> = cells.collect();
    let sizes = cells.iter().map(|(size, ..)| size.len()).max().unwrap_or(0);
    let versions = cells.iter().map(|(_, _, version, _)| version.len()).max().unwrap_or(0);
    cells
        .iter()
        .map(|(size, time, version, name)| format!("{size:>sizes$}  {time}  {version:<versions$}  {name}"))
        .collect()
}

impl Row<'_> {
    fn name(&self) -> String {
        match self {
            Self::File(memory) => memory.path.to_string(),
            Self::Directory { path, .. } => format!("{path}/"),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::File(memory) => json!({
                "type": "file",
                "path": memory.path.to_string(),
                "size": memory.size,
                "version": memory.version.to_string(),
                "memory": memory.id.to_string(),
                "created_time": output::time(memory.created_ms, 3),
                "time": output::time(memory.updated_ms, 3),
            }),
            Self::Directory { path, bytes, files, updated_ms } => json!({
                "type": "directory",
                "path": path.to_string(),
                "size": bytes,
                "files": files,
                "time": output::time(*updated_ms, 3),
            }),
        }
    }
}
