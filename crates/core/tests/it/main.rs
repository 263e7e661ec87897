//! Integration tests.

mod command;
mod path;
