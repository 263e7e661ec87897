//! `memoseal retention`.

use std::process::ExitCode;

use memoseal::Retention;
use serde_json::json;

use crate::{
    args::{Common, RetentionArgs},
    output,
};

pub(crate) async fn run(common: &Common, verb: &RetentionArgs) -> anyhow::Result<ExitCode> {
    let store = output::open_store(common).await?;
    let (retention, changed) = match verb.keep {
        None => (store.retention().await?, false),
        Some(retention) => {
            common.interrupt.begin();
            let changed = store.set_retention(retention).await;
            store.settle().await;
            (retention, changed?)
        }
    };
    if common.json {
        output::line(json!({ "days": retention.days(), "changed": changed }))?;
    } else {
        output::line(match retention {
            Retention::Days(0) => "versions that are replaced go within a minute, or before the program that replaced them ends; older ones at the \
                 next maintenance"
                .to_owned(),
            Retention::Days(1) => "versions that were replaced are kept for 1 day".to_owned(),
            Retention::Days(days) => format!("versions that were replaced are kept for {days} days"),
            _ => "versions that were replaced are kept for good".to_owned(),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
