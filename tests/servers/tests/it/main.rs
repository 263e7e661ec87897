//! Integration tests: the real program on real servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
