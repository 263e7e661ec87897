//! `memoseal demo`.

use std::process::ExitCode;

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
