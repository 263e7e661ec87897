//! What the crate promises.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod api;
mod disguises;
mod forms;
mod personal;
mod places;
mod properties;
mod rules;
