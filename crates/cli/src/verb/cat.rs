//! `memoseal cat`.

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use crate::{
    args::{Cat, Common},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Cat) -> anyhow::Result<ExitCode> {
    let path = output::tool_path(&verb.path);
    let store = output::open_store(common).await?;
    let content = store.read(&path).await?;
    store.settle().await;
    if common.json {
        let size = content.len();
        output::line(match std::str::from_utf8(&content) {
            Ok(text) => json!({ "path": path, "size": size, "content": text }),
            Err(_) => json!({ "path": path, "size": size, "content_base64": STANDARD.encode(&content) }),
        })?;
    } else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&content).and_then(|()| stdout.flush()).context(output::STDOUT)?;
    }
    Ok(ExitCode::SUCCESS)
}
