//! A vault as a case sees it: through the public API, and below it object by object, as whoever has the bucket does.
//!
//! | module | what it holds |
//! |---|---|
//! | `commands` | the commands in short |
//! | `names` | what the name of an object says |
//! | `objects` | reading, changing and putting back objects |
//! | `clients` | the same bucket through clients that fail or lie when they are told to |

mod clients;
mod commands;
mod names;
mod objects;

use std::collections::BTreeMap;

use bytes::Bytes;
use memoseal_core::{Backend, Key, Store, Vault, VaultOptions, command::Reply};

pub(crate) use self::{
    clients::{Clients, Crash},
    commands::{create, delete, insert, put, rename, replace, view},
    names::{Name, commit_name, generation_name},
    objects::{Edits, Objects, difference},
};
use crate::{Failure, Place};

/// The files of a store: path and content.
pub(crate) type Files = BTreeMap<String, Bytes>;

/// The bytes of the key that every vault here is made with. They look like nothing else.
pub(crate) const KEY: [u8; 32] = *b"The raw key of the vault itself.";

/// A vault's place. Clones are the same place.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    backend: Backend,
}

impl Bucket {
    /// An empty place.
    pub(crate) async fn fresh(place: &dyn Place) -> Result<Self, Failure> {
        Ok(Self { backend: place.fresh().await? })
    }

    /// A place with a new vault in it.
    pub(crate) async fn with_vault(place: &dyn Place) -> Result<(Self, Vault), Failure> {
        let bucket = Self::fresh(place).await?;
        let vault = Vault::create(bucket.backend(), key(), VaultOptions::default()).await?;
        Ok((bucket, vault))
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend.clone()
    }

    /// The vault, as a process that starts now opens it.
    pub(crate) async fn open(&self) -> memoseal_core::Result<Vault> {
        self.open_with(VaultOptions::default()).await
    }

    pub(crate) async fn open_with(&self, options: VaultOptions) -> memoseal_core::Result<Vault> {
        Vault::open(self.backend(), key(), options).await
    }

    /// The files of a store, as a process that starts now reads them.
    pub(crate) async fn files(&self, user: &str) -> Result<Files, Failure> {
        Ok(files(&self.open().await?.user(user).store("default").open().await?).await?)
    }
}

pub(crate) fn key() -> Key {
    Key::raw(KEY)
}

/// The store `default` of a user.
pub(crate) async fn store(vault: &Vault, user: &str) -> memoseal_core::Result<Store> {
    vault.user(user).store("default").open().await
}

/// Every file of a store.
pub(crate) async fn files(store: &Store) -> memoseal_core::Result<Files> {
    let mut files = Files::new();
    for memory in store.memories().await? {
        let path = memory.path.to_string();
        let content = store.read(&path).await?;
        files.insert(path, content);
    }
    Ok(files)
}

/// Executes a command that has to succeed.
pub(crate) async fn ok(store: &Store, command: memoseal_core::command::Command) -> Result<(), Failure> {
    let shown = format!("{command:?}");
    match store.execute(command).await? {
        Reply::Text(_) => Ok(()),
        other => Err(Failure::new(format!("{shown} was answered with {other:?}"))),
    }
}
