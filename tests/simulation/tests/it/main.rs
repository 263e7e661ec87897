//! Histories that must be right, bugs that must be found, and every state of the protocol.

mod planted;
mod properties;
mod protocol;
mod seeds;
