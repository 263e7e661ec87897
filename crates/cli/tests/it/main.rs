//! The program as its users run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod demo;
mod destroy;
mod disks;
mod doctor;
mod files;
mod folders;
mod history;
mod interrupts;
mod keys;
mod kill;
mod kms;
mod maintain;
mod processes;
mod readme;
mod redact;
mod settings;
mod stream;
mod support;
mod usage;
mod verbs;
