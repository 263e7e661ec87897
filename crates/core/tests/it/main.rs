//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ambiguous;
mod blocks;
mod checkpoints;
mod command;
mod copy;
mod costs;
mod destroy;
mod first_use;
mod forge;
mod forged;
mod freshness;
mod golden;
mod history;
mod hostile;
mod key_services;
mod keys;
mod long_logs;
mod path;
mod promptly;
mod redaction;
mod scale;
mod scrubbing;
mod support;
mod tampering;
mod unused;
mod witness;
mod writers;
