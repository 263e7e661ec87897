//! `memoseal doctor`.

use std::process::ExitCode;

use memoseal::{Check, Grade};
use serde_json::{Value, json};

use crate::{
    args::{Common, Doctor},
    exit::{self, printable},
    interrupt::Stopped,
    output,
};

pub(crate) async fn run(common: &Common, verb: &Doctor) -> anyhow::Result<ExitCode> {
    let url = match &verb.url {
        Some(url) => url,
        None => output::vault_url(common)?,
    };
    let doctor = memoseal::doctor(url)?;
    let mut checks = Vec::new();
    let mut unheard = None;
    let mut tell = |check: Check| {
        if !common.json
            && let Err(error) = line(&check)
        {
            unheard.get_or_insert(error);
        }
        checks.push(check);
    };
    let ended = common.interrupt.unless_stopped(doctor.run(&mut tell)).await;
    // Whether it came to its end or not.
    tell(doctor.clean_up().await);
    if let Some(error) = unheard {
        return Err(error);
    }
    if ended.is_none() {
        let left = checks.last().filter(|check| check.grade != Grade::Good);
        let left = left.map_or_else(|| "what was written for it is deleted".to_owned(), |check| check.found.clone());
        return Err(Stopped(format!("not everything was looked at; {left}: run `memoseal doctor` again")).into());
    }
    let is_endangered = checks.iter().any(|check| check.grade == Grade::Danger);
    if common.json {
        let all: Vec<Value> = checks
            .iter()
            .map(|check| {
                json!({ "check": check.name, "result": check.grade.as_str(), "found": check.found, "todo": check.todo })
            })
            .collect();
        output::line(json!({ "checks": all, "endangered": is_endangered }))?;
    } else {
        let count = |grade| checks.iter().filter(|check| check.grade == grade).count();
        output::line(format_args!(
            "ok {}, warning {}, danger {}, not checked {}",
            count(Grade::Good),
            count(Grade::Warning),
            count(Grade::Danger),
            count(Grade::NotChecked)
        ))?;
    }
    Ok(if is_endangered { ExitCode::from(exit::DAMAGE) } else { ExitCode::SUCCESS })
}

fn line(check: &Check) -> anyhow::Result<()> {
    output::line(printable(&check.to_string()))
}
