//! The program `memoseal`.

#![forbid(unsafe_code)]

mod args;
mod config;
mod confirm;
mod contents;
mod exit;
mod folder;
mod interrupt;
mod json;
mod key;
mod key_file;
mod lines;
mod output;
mod progress;
#[cfg(feature = "scrub")]
mod rules;
mod taken_out;
mod verb;

use std::process::ExitCode;

use clap::ArgMatches;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::{
    filter::{LevelFilter, filter_fn},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use self::{
    args::{Args, Reach, Verb},
    config::Config,
    exit::failed,
};

fn main() -> ExitCode {
    let (mut args, matches) = match Args::read() {
        Ok(read) => read,
        Err(error) => return exit::usage(&error, std::env::args_os().any(|argument| argument == "--json")),
    };
    let as_json = args.common.json;
    let report = |args: &Args, error: anyhow::Error| exit::report(&error.context(args.verb.doing()), as_json);
    let runtime = match start(&mut args, &matches) {
        Ok(runtime) => runtime,
        Err(error) => return report(&args, error),
    };
    match runtime.block_on(run(&args)) {
        Ok(code) => code,
        // Before the runtime ends, which waits for what a disk is still doing.
        Err(error) => report(&args, error),
    }
}

/// Reads the settings, and gets ready.
fn start(args: &mut Args, matches: &ArgMatches) -> anyhow::Result<Runtime> {
    let reach = args.verb.reach();
    reach.check(matches)?;
    if reach != Reach::Nothing {
        Config::read(&mut args.common, matches)?;
    }
    let level = args.common.log_level.filter();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .with_target(false)
        .without_time()
        .with_ansi(output::is_coloured(&std::io::stderr()))
        .finish()
        .with(filter_fn(move |event| level >= LevelFilter::DEBUG || !is_told_again(event.target())))
        .init();
    args.common
        .interrupt
        .listen(args.common.json)
        .map_err(|error| failed("cannot listen for Ctrl-C", &error, "try again"))?;
    Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| failed("cannot start threads", &error, "end other programs, or raise the limit of this user"))
}

/// Whether our own errors tell in a line what this part of a library warns of with everything that it holds.
fn is_told_again(target: &str) -> bool {
    target.starts_with("aws_config::")
}

async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let common = &args.common;
    match &args.verb {
        Verb::Init(verb) => verb::init::run(common, verb).await,
        Verb::Tool(verb) => verb::tool::run(common, verb).await,
        Verb::Cat(verb) => verb::cat::run(common, verb).await,
        Verb::Put(verb) => verb::put::run(common, verb).await,
        Verb::Ls(verb) => verb::ls::run(common, verb).await,
        Verb::Rm(verb) => verb::rm::run(common, verb).await,
        Verb::Mv(verb) => verb::mv::run(common, verb).await,
        Verb::Search(verb) => verb::search::run(common, verb).await,
        Verb::Import(verb) => verb::import::run(common, verb).await,
        Verb::Export(verb) => verb::export::run(common, verb).await,
        Verb::Clear(verb) => verb::clear::run(common, verb).await,
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
        Verb::Copy(verb) => verb::copy::run(common, verb).await,
        Verb::Verify(verb) => verb::verify::run(common, verb).await,
        Verb::Doctor(verb) => verb::doctor::run(common, verb).await,
        Verb::Slot(verb) => verb::slot::run(common, verb).await,
        Verb::Rotate(verb) => verb::rotate::run(common, verb).await,
        #[cfg(feature = "conformance")]
        Verb::Conformance(verb) => verb::conformance::run(common, verb).await,
        #[cfg(feature = "scrub")]
        Verb::Policy(verb) => verb::policy::run(common, verb).await,
        #[cfg(feature = "scrub")]
        Verb::Scrub(verb) => verb::scrub::run(common, verb),
        Verb::Config => verb::config::run(common),
        Verb::Completions(verb) => verb::program::completions(verb),
        Verb::Version => verb::program::version(common),
        Verb::Demo => verb::demo::run(common).await,
    }
}
