//! The program as its users run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod copy;
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
#[cfg(feature = "scrub")]
mod policy;
mod processes;
mod readme;
mod redact;
#[cfg(feature = "scrub")]
mod scrub;
mod settings;
mod stream;
mod support;
mod usage;
mod verbs;
