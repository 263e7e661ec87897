//! The engine of memoseal: the memory tool's commands over a sealed log in an object store.
//!
//! Applications use the façade `memoseal`, which turns a URL into a backend. This crate is for who brings an
//! [`object_store::ObjectStore`] of their own, and for the crates of backends.
//!
//! ```
//! use std::sync::Arc;
//!
//! use memoseal_core::{Backend, Key, Vault, VaultOptions};
//! use object_store::memory::InMemory;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> memoseal_core::Result<()> {
//! let backend = Backend::single(Arc::new(InMemory::new()));
//! let vault = Vault::create(backend, Key::raw([7; 32]), VaultOptions::default()).await?;
//! let memory = vault.user("alice").store("default").open().await?;
//!
//! let input = json!({ "command": "create", "path": "/memories/tea.md", "file_text": "likes it green\n" });
//! let answer = memory.handle_input(&input).await;
//! assert_eq!(answer["content"], "File created successfully at: /memories/tea.md");
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | [`path`] | the rules for paths |
//! | [`command`] | the six commands, as pure functions over a state; every text that the model reads |
//! | [`state`] | the tree of memories at a commit, and edits laid over it |
//! | [`history`] | versions of memories, and pages of them |
//! | `codec` | the bytes of a commit: layout, sealing, opening |
//! | `log` | names, put-if-absent decided whatever the answer was, listings |
//! | `handle` | [`Vault`], [`User`], [`Store`]; the writer; the front door |
//! | [`mod@env`] | clock and randomness |
//! | [`scrub`] | what takes secrets out of texts before they are sealed |
//! | [`key_service`] | keys that never leave the service that holds them |
//! | [`witness`] | what this machine has seen of a log |
//! | [`backend`] | what a backend crate hands over |
//!
//! The way of a change to the bucket: [`Store::execute`] queues it, `handle/writer.rs` runs and seals it (`try_commit`),
//! `log/create.rs` puts it and finds out what became of it.

#![forbid(unsafe_code)]

pub mod backend;
mod codec;
pub mod command;
pub mod env;
mod error;
mod handle;
pub mod history;
pub mod key_service;
mod log;
pub mod path;
pub mod scrub;
#[cfg(feature = "simulation")]
#[doc(hidden)]
pub mod simulation;
pub mod state;
pub mod witness;

pub use self::{
    backend::Backend,
    codec::Actor,
    error::{Error, Result},
    handle::{
        Copied, CopyOptions, DEFAULT_STORE, Depth, Destroyed, Destruction, Finding, Inspection, Key, KeySource,
        MaintainOptions, Maintained, Redacted, RedactionPreview, Resealed, Rotation, Slot, Store, StoreBuilder,
        StoreInspection, StoreMaintained, StoreOptions, User, UserInspection, Vault, VaultMaintained, VaultOptions,
        tool_definition,
    },
    history::{HistoryPage, HistoryQuery, Operation, Redaction, Version},
    log::Patience,
};
pub use memoseal_crypto::to_hex as hex;
