//! `memoseal mv`.

use std::process::ExitCode;

use memoseal::{Command, Error, Reply};
use serde_json::json;

use crate::{
    args::{Common, Mv},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Mv) -> anyhow::Result<ExitCode> {
    let (old_path, new_path) = (output::tool_path(&verb.old_path), output::tool_path(&verb.new_path));
    let old = output::memory_path(&verb.old_path)?;
    output::memory_path(&verb.new_path)?;
    let store = output::open_store(common).await?;
    common.interrupt.begin();
    let rename = Command::Rename { old_path: old_path.clone(), new_path: new_path.clone() };
    let reply = store.execute(rename).await?;
    store.settle().await;
    if let Reply::Error(text) = reply {
        // What does not exist is told apart from what cannot be done.
        let memories = store.memories().await?;
        let exists = memories.iter().any(|memory| memory.path == old || memory.path.is_under(&old));
        if !exists && !old.is_root() {
            let hint = "look around with `memoseal ls`".into();
            return Err(Error::NotFound { what: old.to_string(), hint }.into());
        }
        return Err(output::refused(&text, "name a path that is free, where a file can stand").into());
    }
    if common.json {
        output::line(json!({ "old_path": old_path, "new_path": new_path }))?;
    } else {
        output::line(format_args!("moved {old_path} to {new_path}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
