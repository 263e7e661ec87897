//! The shared suite of memoseal: named cases that any backend can run.
//!
//! A backend is fit for memoseal if every case passes on it. There are no capability flags and nothing to skip: what
//! a case asks for, the format needs. The cases neither panic nor print; a program can run them on a customer's own
//! bucket and show a table.
//!
//! A backend's tests give the suite a [`Place`] and get one test a case, with the names of the cases:
//!
//! ```
//! use std::sync::Arc;
//! use memoseal_conformance::{Failure, Place};
//! use memoseal_core::Backend;
//! use object_store::memory::InMemory;
//!
//! struct Memory;
//!
//! #[async_trait::async_trait]
//! impl Place for Memory {
//!     async fn fresh(&self) -> Result<Backend, Failure> {
//!         Ok(Backend::single(Arc::new(InMemory::new())))
//!     }
//! }
//!
//! mod memory {
//!     use super::*;
//!     memoseal_conformance::suite!(Memory);
//! }
//!
//! // Or all of them, or some, by hand:
//! # #[tokio::main(flavor = "multi_thread")]
//! # async fn main() {
//! for case in memoseal_conformance::cases().iter().filter(|case| case.group == "objects") {
//!     if let Err(failure) = case.run(&Memory).await {
//!         println!("{case}: {failure}");
//!     }
//! }
//! # }
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `list` | the one list of all cases; [`suite!`] |
//! | `case` | [`Case`], [`Place`], [`cases`], [`run`] |
//! | `server` | [`Server`], a place on a server that the environment names |
//! | `check` | [`Failure`], [`check!`], [`check_eq!`] |
//! | `objects` | group *objects*: what the format asks of an object store |
//! | `tool` | group *tool*: what the model asks and reads |
//! | `tampering` | group *tampering*: what somebody with the bucket and without the key can do |
//! | `durability` | group *durability*: what was answered stays, however a process ends |
//! | `bucket` | a vault through the public API and object by object, for these groups |
//!
//! To add a case: write it in its group's folder, and its name into `list`. To add a group: a folder, and a line in
//! `list`. A case that is written and not listed is dead code, which the build refuses; a name that is listed and not
//! written does not compile.

mod bucket;
mod case;
mod check;
mod durability;
mod list;
mod objects;
mod server;
mod tampering;
mod tool;

pub use case::{Case, Place, cases, run};
pub use check::Failure;
#[doc(hidden)]
pub use check::{unequal, untrue};
pub use server::Server;
