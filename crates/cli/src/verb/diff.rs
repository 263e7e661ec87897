//! `memoseal diff`.

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use memoseal::{Error, Store, VersionId};
use serde_json::json;
use similar::TextDiff;

use super::show::shown;
use crate::{
    args::{Common, Diff},
    output,
};

/// One of the two sides.
struct Side {
    version: VersionId,
    path: String,
    content: Vec<u8>,
}

impl Side {
    async fn of(store: &Store, id: VersionId) -> Result<Self, Error> {
        let (version, content) = shown(store, id).await?;
        Ok(Self { version: id, path: version.path.map_or_else(String::new, |path| path.to_string()), content })
    }

    fn title(&self) -> String {
        format!("{}\t{}", self.path, self.version)
    }
}

pub(crate) async fn run(common: &Common, verb: &Diff) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let sides = sides(&store, verb).await;
    store.settle().await;
    let (from, to) = sides?;
    let difference = match (std::str::from_utf8(&from.content), std::str::from_utf8(&to.content)) {
        _ if from.content == to.content => String::new(),
        (Ok(old), Ok(new)) => {
            TextDiff::from_lines(old, new).unified_diff().header(&from.title(), &to.title()).to_string()
        }
        _ => format!("binary contents differ: {} and {}\n", from.title(), to.title()),
    };
    if common.json {
        let side = |side: &Side| json!({ "version": side.version.to_string(), "path": side.path });
        output::line(json!({ "from": side(&from), "to": side(&to), "same": from.content == to.content,
            "diff": difference }))?;
    } else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(difference.as_bytes()).and_then(|()| stdout.flush()).context(output::STDOUT)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn sides(store: &Store, verb: &Diff) -> Result<(Side, Side), Error> {
    let from = Side::of(store, verb.from).await?;
    let to = match verb.to {
        Some(to) => to,
        None => current(store, verb.from).await?,
    };
    Ok((from, Side::of(store, to).await?))
}

/// The version that the memory of this one is now.
async fn current(store: &Store, of: VersionId) -> Result<VersionId, Error> {
    let memory = store.version(of).await?.memory;
    let now = store.memories().await?.into_iter().find(|standing| standing.id == memory);
    now.map(|memory| memory.version).ok_or_else(|| Error::NotFound {
        what: format!("the file of version {of}"),
        hint: "it was deleted; name a second version".into(),
    })
}
