//! `memoseal show`.

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use memoseal::{Error, Store, Version, VersionId};

use super::history;
use crate::{
    args::{Common, Show},
    output,
};

/// A version and its content.
pub(super) async fn shown(store: &Store, id: VersionId) -> Result<(Version, Vec<u8>), Error> {
    let content = store.read_version(id).await?;
    Ok((store.version(id).await?, content.to_vec()))
}

pub(crate) async fn run(common: &Common, verb: &Show) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let shown = shown(&store, verb.version).await;
    store.settle().await;
    let (version, content) = shown?;
    if common.json {
        let mut shown = history::json(&version)?;
        match std::str::from_utf8(&content) {
            Ok(text) => shown["content"] = text.into(),
            Err(_) => shown["content_base64"] = STANDARD.encode(&content).into(),
        }
        output::line(shown)?;
    } else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&content).and_then(|()| stdout.flush()).context(output::STDOUT)?;
    }
    Ok(ExitCode::SUCCESS)
}
