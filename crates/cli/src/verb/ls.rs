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

/// A row: a file, or a directory with the sum of what lies under it.
enum Row<'a> {
    File(&'a Memory),
    Directory { path: MemoryPath, bytes: u64, files: usize },
}

pub(crate) async fn run(common: &Common, verb: &Ls) -> anyhow::Result<ExitCode> {
    let given = output::tool_path(&verb.path);
    let directory = MemoryPath::parse(&given).map_err(Error::Invalid)?;
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
        for row in rows {
            output::line(match row {
                Row::File(memory) => memory.path.to_string(),
                Row::Directory { path, .. } => format!("{path}/"),
            })?;
        }
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
            Some(Row::Directory { path, bytes, files }) if *path == child => {
                *bytes += memory.size;
                *files += 1;
            }
            _ => rows.push(Row::Directory { path: child, bytes: memory.size, files: 1 }),
        }
    }
    rows
}

impl Row<'_> {
    fn json(&self) -> Value {
        match self {
            Self::File(memory) => json!({
                "type": "file",
                "path": memory.path.to_string(),
                "size": memory.size,
                "created_at_ms": memory.created_ms,
                "updated_at_ms": memory.updated_ms,
            }),
            Self::Directory { path, bytes, files } => {
                json!({ "type": "directory", "path": path.to_string(), "size": bytes, "files": files })
            }
        }
    }
}
