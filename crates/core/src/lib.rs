//! The engine of memoseal.

#![forbid(unsafe_code)]

pub mod backend;
mod codec;
pub mod command;
pub mod env;
mod error;
mod handle;
mod log;
pub mod path;
pub mod state;

pub use self::{
    backend::Backend,
    codec::Actor,
    error::{Error, Result},
    handle::{
        Depth, Finding, Inspection, Key, KeySource, Store, StoreBuilder, StoreInspection, StoreOptions, User,
        UserInspection, Vault, VaultOptions, tool_definition,
    },
    log::Patience,
};
pub use memoseal_crypto::to_hex as hex;
