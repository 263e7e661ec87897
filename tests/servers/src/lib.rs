//! What tests of the real program on real servers need.
//!
//! The tests themselves are in `tests/it`; `cargo xtask test --only servers` starts the servers and runs them.
//!
//! | module | what it holds |
//! |---|---|
//! | `server` | [`Server`]: which there are, and how to reach one through a proxy |
//! | `program` | [`Program`], [`Tool`]: the real program on a vault there |

#![forbid(unsafe_code)]

mod program;
mod server;

pub use program::{Ended, Program, Tool, text};
pub use server::{Server, variable_of};
