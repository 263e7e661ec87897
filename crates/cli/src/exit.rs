//! How the program ends.

use std::{io, process::ExitCode};

use memoseal::Error;
use serde_json::json;

use crate::output::Stream;

pub(crate) const DAMAGE: u8 = 1;
const USAGE: u8 = 2;
const KEY: u8 = 3;
const NOT_FOUND: u8 = 4;
const BACKEND: u8 = 5;
const UNKNOWN: u8 = 6;

/// Prints an error, with all its causes on one line, and gives the exit code that it stands for.
///
/// Nothing is said to who has stopped reading.
pub(crate) fn report(error: &anyhow::Error, as_json: bool) -> ExitCode {
    let io_kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    if is_stream(error) && io_kinds.into_iter().any(|kind| kind == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let code = code(error);
    if as_json {
        eprintln!("{}", json!({ "error": format!("{error:#}"), "exit_code": code }));
    } else {
        eprintln!("memoseal: {error:#}");
    }
    ExitCode::from(code)
}

/// Whether it is a stream of this process that failed.
fn is_stream(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Stream>().is_some()
}

fn code(error: &anyhow::Error) -> u8 {
    if is_stream(error) {
        return BACKEND;
    }
    let Some(error) = error.chain().find_map(|cause| cause.downcast_ref::<Error>()) else { return USAGE };
    match error {
        Error::Damaged { .. } | Error::NewerFormat { .. } | Error::RolledBack { .. } => DAMAGE,
        Error::Key(_) | Error::WrongKey => KEY,
        Error::NotFound { .. } => NOT_FOUND,
        Error::OutcomeUnknown { .. } => UNKNOWN,
        Error::Invalid(_) | Error::AlreadyExists { .. } => USAGE,
        error if error.is_unauthenticated() => KEY,
        _ => BACKEND,
    }
}
