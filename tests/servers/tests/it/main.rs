//! Integration tests: the real program on real servers, with a proxy in between.
//!
//! Each test that finds no server says so and passes, unless `MEMOSEAL_TEST_REQUIRE_SERVERS` is 1.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod conformance;
mod costs;
mod kills;
mod processes;
mod refused;
mod stream;
mod support;
