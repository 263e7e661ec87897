//! The program `memoseal`.

#![forbid(unsafe_code)]

mod args;
mod confirm;
mod exit;
mod json;
mod key;
mod key_file;
mod lines;
mod output;
mod verb;

use std::process::ExitCode;

use clap::Parser;

use self::args::{Args, Verb};

fn main() -> ExitCode {
    let args = Args::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(args.common.log_level.filter())
        .with_target(false)
        .without_time()
        .with_ansi(output::is_coloured(&std::io::stderr()))
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&anyhow::Error::new(error).context("cannot start"), args.common.json),
    };
    match runtime.block_on(run(&args)) {
        Ok(code) => code,
        Err(error) => exit::report(&error, args.common.json),
    }
}

async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let common = &args.common;
    match &args.verb {
        Verb::Init(verb) => verb::init::run(common, verb).await,
        Verb::Tool(verb) => verb::tool::run(common, verb).await,
        Verb::Cat(verb) => verb::cat::run(common, verb).await,
        Verb::Put(verb) => verb::put::run(common, verb).await,
        Verb::Ls(verb) => verb::ls::run(common, verb).await,
        Verb::History(verb) => verb::history::run(common, verb).await,
        Verb::Show(verb) => verb::show::run(common, verb).await,
        Verb::Diff(verb) => verb::diff::run(common, verb).await,
        Verb::Restore(verb) => verb::restore::run(common, verb).await,
        Verb::Redact(verb) => verb::redact::run(common, verb).await,
        Verb::Retention(verb) => verb::retention::run(common, verb).await,
        Verb::Maintain(verb) => verb::maintain::run(common, verb).await,
        Verb::Info => verb::info::run(common).await,
        Verb::Users => verb::names::users(common).await,
        Verb::Stores => verb::names::stores(common).await,
        Verb::DestroyUser(verb) => verb::destroy::user(common, verb).await,
        Verb::DestroyStore(verb) => verb::destroy::store(common, verb).await,
        Verb::Verify(verb) => verb::verify::run(common, verb).await,
        Verb::Slot(verb) => verb::slot::run(common, verb).await,
        Verb::Rotate(verb) => verb::rotate::run(common, verb).await,
        Verb::Demo => verb::demo::run().await,
    }
}
