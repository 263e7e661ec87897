//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod doctor;
mod server;
mod settings;
