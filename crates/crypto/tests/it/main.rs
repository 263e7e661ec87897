//! Behaviour of the crate, from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod context;
mod header;
mod hostile_header;
mod keyring;
mod known_answers;
mod next_generation;
mod padding;
mod prelude;
mod seal;
mod secret;
mod service;
mod support;
mod vectors;
