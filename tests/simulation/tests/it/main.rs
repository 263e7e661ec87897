//! Histories that must be right, bugs that must be found, and every state of the protocol.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing has failed")]

mod planted;
mod properties;
mod protocol;
mod seeds;
