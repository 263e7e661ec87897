//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod profiles;
mod server;
mod settings;
