//! The bytes of a log: how a commit is laid out, sealed and opened. No I/O.
//!
//! `docs/format.md` describes the same for a reader in another language.

mod base64;
mod block;
mod chain;
mod change;
mod checkpoint;
mod commit;
mod header;
mod layout;
mod ledger;
mod meta;
mod sealed_header;
mod strip;

pub use self::header::Actor;
pub(crate) use self::{
    block::{Block, COMMITS, MAX_BLOCK},
    chain::{Chain, ChainValue},
    change::{Change, MemoryChange, What},
    checkpoint::{Checkpoint, SealedCheckpoint},
    commit::{Commit, MAX_COMMIT, SealedCommit, open_content, seal},
    header::Op,
    ledger::StoreFields,
    sealed_header::{SealedHeader, VersionLink},
    strip::{Missing, Stripping, common},
};

use std::sync::Arc;

use memoseal_crypto::{Context, Keyring, Kind};

/// What the objects of one store's log are sealed under: the user's key, and the ids and lives that bind them.
#[derive(Clone, Debug)]
pub(crate) struct StoreKeys {
    keyring: Arc<Keyring>,
    vault: [u8; 16],
    store: [u8; 16],
    store_life: u64,
}

impl StoreKeys {
    pub(crate) fn new(keyring: Arc<Keyring>, vault: [u8; 16], store: [u8; 16], store_life: u64) -> Self {
        Self { keyring, vault, store, store_life }
    }

    pub(crate) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    pub(crate) fn shared_keyring(&self) -> Arc<Keyring> {
        Arc::clone(&self.keyring)
    }

    /// The context of one section of one object of the log.
    fn context(&self, kind: Kind, seq: u64, section: u32) -> Context {
        Context {
            kind,
            vault: self.vault,
            user: self.keyring.id(),
            store: self.store,
            user_life: self.keyring.life(),
            store_life: self.store_life,
            seq,
            section,
        }
    }

    /// The chain value before the first commit.
    pub(crate) fn genesis(&self) -> ChainValue {
        Chain::genesis(self.vault, self.keyring.id(), self.store, self.keyring.life(), self.store_life)
    }
}
