//! `memoseal clear`.

use std::process::ExitCode;

use memoseal::{Command, Reply};
use serde_json::json;

use crate::{
    args::{Clear, Common},
    confirm::confirm,
    folder, output,
};

pub(crate) async fn run(common: &Common, verb: &Clear) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let files = store.memories().await?.len();
    let place = format!("user {}, store {}", common.user, common.store);
    if files > 0 && !verb.dry_run {
        let what = format!(
            "This deletes everything in {place}: {}. `memoseal history` shows them for as long as the store keeps \
             what was replaced.",
            folder::files(files)
        );
        confirm(&what, verb.yes)?;
        common.interrupt.begin();
        let reply = store.execute(Command::Clear).await?;
        store.settle().await;
        if let Reply::Error(text) = reply {
            return Err(output::refused(&text, "look around with `memoseal ls`").into());
        }
    }
    if common.json {
        return output::line(json!({ "dry_run": verb.dry_run, "user": common.user, "store": common.store,
            "files": files }))
        .map(|()| ExitCode::SUCCESS);
    }
    output::line(match (files, verb.dry_run) {
        (0, _) => format!("{place}: there are no files"),
        (number, true) => format!("{place}: would delete {}", folder::files(number)),
        (number, false) => format!("{place}: deleted {}", folder::files(number)),
    })?;
    Ok(ExitCode::SUCCESS)
}
