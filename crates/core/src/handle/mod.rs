//! What a caller holds: a vault, a user in it, a store of that user.

mod blocks;
mod cache;
mod catalogue;
mod checkpoints;
mod clock;
mod copy;
mod destroy;
mod directory;
mod ending;
mod freshness;
mod front_door;
mod header;
mod history;
mod inspect;
mod key;
mod keyrings;
mod maintain;
mod maintain_vault;
mod opening;
mod order;
mod pages;
mod plan;
mod probe;
mod promptly;
mod reads;
mod redact;
mod replica;
mod reseal;
mod rotation;
mod scrubbing;
mod slots;
mod store;
mod strip;
mod sweep;
mod tail;
mod user;
mod vault;
mod versions;
mod witnessing;
mod writer;

pub use self::{
    copy::{Copied, CopyOptions},
    destroy::{Destroyed, Destruction},
    front_door::tool_definition,
    inspect::{Depth, Finding, Inspection, StoreInspection, UserInspection},
    key::{Key, KeySource},
    maintain::{MaintainOptions, Maintained},
    maintain_vault::{StoreMaintained, VaultMaintained},
    redact::{Redacted, RedactionPreview},
    reseal::Resealed,
    rotation::Rotation,
    slots::Slot,
    store::{Store, StoreOptions},
    user::{DEFAULT_STORE, StoreBuilder, User},
    vault::{Vault, VaultOptions},
};
