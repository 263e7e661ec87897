//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod doctor;
mod kms;
mod kms_server;
mod profiles;
mod server;
mod settings;
