//! `memoseal completions` and `memoseal version`.

use std::{io::Write, process::ExitCode};

use anyhow::Context;
use clap::CommandFactory;
use serde_json::json;

use crate::{
    args::{Args, Common, Completions},
    output,
};

pub(crate) fn completions(verb: &Completions) -> anyhow::Result<ExitCode> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(verb.shell, &mut Args::command(), "memoseal", &mut script);
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&script).and_then(|()| stdout.flush()).context(output::STDOUT)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn version(common: &Common) -> anyhow::Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    let storage: &[&str] = &[
        #[cfg(feature = "local")]
        "file",
        #[cfg(feature = "s3")]
        "s3",
        #[cfg(feature = "gcs")]
        "gs",
        #[cfg(feature = "azure")]
        "az",
    ];
    if common.json {
        output::line(json!({ "name": "memoseal", "version": version, "storage": storage }))?;
    } else {
        output::line(format_args!("memoseal {version}; storage: {}", storage.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}
