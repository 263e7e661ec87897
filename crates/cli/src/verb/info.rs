//! `memoseal info`.

use std::process::ExitCode;

use memoseal::{Depth, Inspection};
use serde_json::{Value, json};

use crate::{
    args::Common,
    key::Prompt,
    output::{self, count},
    progress::Progress,
};

pub(crate) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let vault = output::open_vault(common, Prompt::Once).await?;
    let inspection = vault.inspect(Depth::Sections, Progress::new("reading", "commits").into_fn()).await?;
    let id = memoseal::core::hex(&vault.id());
    if common.json {
        output::line(json!({ "vault": id, "objects": inspection.objects, "bytes": inspection.bytes,
            "users": users(&inspection), "findings": inspection.findings.len() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(format_args!(
        "vault {id}: {}, {}",
        count(inspection.objects, "object"),
        count(inspection.bytes, "byte")
    ))?;
    for user in &inspection.users {
        output::line(format_args!("user {}", user.name))?;
        for store in &user.stores {
            output::line(format_args!(
                "  store {}: {}, {} of content; {}, {}, {} stored",
                store.name,
                count(store.files, "file"),
                count(store.content_bytes, "byte"),
                count(store.commits, "commit"),
                count(store.changes, "change"),
                count(store.stored_bytes, "byte")
            ))?;
            if store.taken_out > 0 {
                output::line(format_args!(
                    "    {} {} taken out before anything was saved: see `memoseal history --findings`",
                    count(store.taken_out, "value"),
                    if store.taken_out == 1 { "was" } else { "were" }
                ))?;
            }
        }
    }
    if !inspection.findings.is_empty() {
        output::line(format_args!("{}: run `memoseal verify`", count(inspection.findings.len(), "finding")))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn users(inspection: &Inspection) -> Vec<Value> {
    let stores = |user: &memoseal::UserInspection| -> Vec<Value> {
        user.stores
            .iter()
            .map(|store| {
                json!({
                    "name": store.name, "files": store.files, "content_bytes": store.content_bytes,
                    "commits": store.commits, "changes": store.changes, "stored_bytes": store.stored_bytes,
                    "taken_out": store.taken_out,
                })
            })
            .collect()
    };
    inspection.users.iter().map(|user| json!({ "name": user.name, "stores": stores(user) })).collect()
}
