//! The program as its users run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod demo;
mod destroy;
mod disks;
mod history;
mod keys;
mod kill;
mod maintain;
mod processes;
mod redact;
mod stream;
mod support;
mod verbs;
