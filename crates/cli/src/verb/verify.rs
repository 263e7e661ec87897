//! `memoseal verify`.

use std::process::ExitCode;

use memoseal::Depth;
use serde_json::{Value, json};

use crate::{
    args::{Common, Verify},
    exit,
    interrupt::Stopped,
    key::Prompt,
    output,
    progress::Progress,
};

pub(crate) async fn run(common: &Common, verb: &Verify) -> anyhow::Result<ExitCode> {
    let vault = output::open_vault(common, Prompt::Once).await?;
    let depth = if verb.read_data { Depth::Contents } else { Depth::Sections };
    let progress = Progress::new("verifying", "commits");
    let counter = progress.counter();
    let inspected = common.interrupt.unless_stopped(vault.inspect(depth, progress.into_fn())).await;
    let inspection = inspected.ok_or_else(|| {
        Stopped(format!("{counter} commits were read; of the rest nothing is known: run `memoseal verify` again"))
    })??;
    let stores = inspection.users.iter().flat_map(|user| &user.stores);
    let commits: u64 = stores.clone().map(|store| store.commits).sum();
    if common.json {
        let findings: Vec<Value> = inspection
            .findings
            .iter()
            .map(|finding| {
                json!({ "place": finding.place, "problem": finding.problem, "advice": finding.advice,
                "damage": finding.is_damage })
            })
            .collect();
        output::line(json!({ "objects": inspection.objects, "commits": commits, "read_data": verb.read_data,
            "users": super::info::users(&inspection), "findings": findings }))?;
    } else {
        for finding in &inspection.findings {
            output::line(format_args!("{}: {}\n  {}", finding.place, finding.problem, finding.advice))?;
        }
        let missing: u64 = stores.clone().map(|store| store.missing_blocks).sum();
        if missing > 0 {
            output::line(format_args!(
                "not written yet: {} of history; `memoseal maintain` does it",
                output::count(missing, "block")
            ))?;
        }
        output::line(format_args!(
            "{}, {}, {}, {}: {}",
            output::count(inspection.objects, "object"),
            output::count(inspection.users.len(), "user"),
            output::count(stores.count(), "store"),
            output::count(commits, "commit"),
            match inspection.findings.len() {
                0 => "no damage found".to_owned(),
                findings => output::count(findings, "finding"),
            }
        ))?;
    }
    let is_damaged = inspection.findings.iter().any(|finding| finding.is_damage);
    Ok(if !is_damaged { ExitCode::SUCCESS } else { ExitCode::from(exit::DAMAGE) })
}
