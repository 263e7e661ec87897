//! How the program ends.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use memoseal::Error;
use serde_json::json;

use crate::{
    interrupt::Stopped,
    output::{Disk, Stream},
};

pub(crate) const DAMAGE: u8 = 1;
const USAGE: u8 = 2;
const KEY: u8 = 3;
const NOT_FOUND: u8 = 4;
const BACKEND: u8 = 5;
const UNKNOWN: u8 = 6;
/// Done, but for what was listed.
pub(crate) const IN_PART: u8 = 7;
/// As shells have it: 128 and the number of SIGINT.
const STOPPED: u8 = 130;

/// Prints an error, with all its causes on one line, and gives the exit code that it stands for.
///
/// Nothing is said to who has stopped reading.
pub(crate) fn report(error: &anyhow::Error, as_json: bool) -> ExitCode {
    let io_kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    if is_stream(error) && io_kinds.into_iter().any(|kind| kind == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let code = code(error);
    let advice = if is_stream(error) {
        Some("make sure that somebody is at its other end, and that there is room")
    } else {
        error.chain().find_map(|cause| cause.downcast_ref::<Error>()).and_then(advice)
    };
    let text = match advice {
        Some(advice) => format!("{error:#}: {advice}"),
        None => format!("{error:#}"),
    };
    say(&text, code, as_json);
    ExitCode::from(code)
}

/// Prints what is wrong with the command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error, as_json: bool) -> ExitCode {
    if !error.use_stderr() || !as_json {
        // Help that nobody reads, and an error that cannot be told, are no reason for another error.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE));
    }
    // What clap says, without the synopsis and the pointer to the help after it.
    let text = error.render().to_string();
    let said = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<&str> = said.filter(|line| !line.is_empty() && !line.starts_with("For more information")).collect();
    let said = said.join("; ");
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    say(&format!("reading the command line: {said}: see `memoseal --help`"), USAGE, true);
    ExitCode::from(USAGE)
}

/// Does `first`, and says on stderr what is neither an error nor an answer. What others say because of it comes after.
pub(crate) fn tell_after(first: impl FnOnce(), text: &str, as_json: bool) {
    let mut stderr = io::stderr().lock();
    first();
    // Who does not listen misses nothing that was asked for.
    let _ = if as_json {
        writeln!(stderr, "{}", json!({ "notice": text }))
    } else {
        writeln!(stderr, "memoseal: {}", printable(text))
    };
}

/// Ends the program from beside its work, on Ctrl-C.
pub(crate) fn end_at_once(text: &str, as_json: bool) -> ! {
    say(text, STOPPED, as_json);
    std::process::exit(i32::from(STOPPED))
}

fn say(text: &str, code: u8, as_json: bool) {
    // There is nowhere to say that stderr does not work.
    let mut stderr = io::stderr();
    let _ = if as_json {
        writeln!(stderr, "{}", json!({ "error": text, "exit_code": code }))
    } else {
        writeln!(stderr, "memoseal: {}", printable(text))
    };
}

/// An error of the system in three parts: what was tried, what it said, what to do.
pub(crate) fn failed(tried: impl std::fmt::Display, error: &io::Error, advice: &str) -> anyhow::Error {
    anyhow::anyhow!("{tried}: {error}: {advice}")
}

/// A text without what a terminal would take for commands.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// What to do, for errors of the engine that do not say it themselves.
fn advice(error: &Error) -> Option<&'static str> {
    match error {
        Error::Damaged { .. } => {
            Some("run `memoseal verify` to see what else is, and put the objects back from a backup")
        }
        Error::Unsuitable(_) => Some("keep the vault somewhere else"),
        Error::NoRandomness => Some("try again, or on another machine"),
        Error::Backend { hint: "", .. } => Some("check that the storage can be reached, and try again"),
        _ => None,
    }
}

/// Whether it is a stream of this process that failed.
fn is_stream(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Stream>().is_some()
}

fn code(error: &anyhow::Error) -> u8 {
    if error.chain().any(|cause| cause.downcast_ref::<Stopped>().is_some()) {
        return STOPPED;
    }
    if is_stream(error) || error.chain().any(|cause| cause.downcast_ref::<Disk>().is_some()) {
        return BACKEND;
    }
    let Some(error) = error.chain().find_map(|cause| cause.downcast_ref::<Error>()) else { return USAGE };
    match error {
        Error::Damaged { .. } | Error::NewerFormat { .. } | Error::RolledBack { .. } => DAMAGE,
        Error::Key(_) | Error::WrongKey => KEY,
        Error::NotFound { .. } => NOT_FOUND,
        Error::OutcomeUnknown { .. } => UNKNOWN,
        Error::Invalid(_) | Error::AlreadyExists { .. } | Error::Diverged { .. } => USAGE,
        error if error.is_unauthenticated() => KEY,
        _ => BACKEND,
    }
}
