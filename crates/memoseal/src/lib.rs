//! Memory of Claude agents in your own bucket, sealed.
//!
//! Claude's memory tool (`memory_20250818`) asks an application for file operations under `/memories`. memoseal answers
//! them from a vault: a bucket or a folder that holds only sealed objects, where one user's key never opens another
//! user's memory, every command is atomic, and a command on an open store costs one round trip.
//!
//! ```
//! use memoseal::Key;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = format!("file://{}", folder.path().display());
//! // Once: memoseal::create(url, key). In a program the key comes from `Key::from_env()`.
//! memoseal::create(&url, Key::raw([7; 32])).await?;
//!
//! let vault = memoseal::open(&url, Key::raw([7; 32])).await?;
//! let memory = vault.user("alice").store("default").open().await?;
//! let block = memory
//!     .handle(&json!({
//!         "type": "tool_use", "id": "toolu_01", "name": "memory",
//!         "input": { "command": "create", "path": "/memories/tea.md", "file_text": "likes it green\n" },
//!     }))
//!     .await;
//! assert_eq!(block["content"], "File created successfully at: /memories/tea.md");
//! # Ok(())
//! # }
//! ```
//!
//! # Backends
//!
//! | feature | URLs | |
//! |---|---|---|
//! | `local` (default) | `file:///srv/memory`, or a plain path | a folder on local disk |
//! | `s3` | `s3://bucket/prefix?region=eu-central-1` | Amazon S3, and stores that speak its protocol |
//! | `gcs` | `gs://bucket/prefix` | Google Cloud Storage |
//! | `azure` | `az://container/prefix?account=name` | Azure Blob Storage |
//!
//! The feature `scrub` takes secrets, and personal data where a store's policy wants it, out of what is written ([`scrub`]
//! holds the policies). A store that was written to with it is not written to without it.
//!
//! The crates `memoseal-s3`, `memoseal-gcs` and `memoseal-azure` list the options in the URLs, and where credentials come
//! from: the environment, never the URL.
//!
//! # Map
//!
//! [`create`] and [`open`] give a [`Vault`]; [`Vault::user`] and [`User::store`] lead to a [`Store`], which answers
//! `tool_use` blocks ([`Store::handle`]) and commands ([`Store::execute`]). [`core`] is the engine for who needs more,
//! such as a backend of their own.

#![forbid(unsafe_code)]

mod doctor;
mod kms;
mod place;
#[cfg(feature = "scrub")]
pub mod scrub;

use std::sync::{Arc, Once};

pub use memoseal_core as core;
pub use memoseal_core::{
    Actor, Copied, CopyOptions, DEFAULT_STORE, Depth, Destroyed, Destruction, Error, Finding, HistoryPage,
    HistoryQuery, Inspection, Key, KeySource, MaintainOptions, Maintained, Operation, Patience, Redacted, Redaction,
    RedactionPreview, Resealed, Result, Rotation, Slot, Store, StoreBuilder, StoreInspection, StoreMaintained,
    StoreOptions, User, UserInspection, Vault, VaultMaintained, VaultOptions, Version,
    command::{Command, Limits, Reply, Restore, Restored},
    key_service::KeyService,
    state::{MemoryId, Retention, VersionId},
    tool_definition,
    witness::{FileWitness, HeadWitness},
};

use self::place::{Purpose, backend};
pub use memoseal_doctor::{Check, Grade};

pub use self::{
    doctor::{Doctor, doctor},
    kms::kms,
    place::parse_url,
};

/// Makes a vault at `url`, with one slot for `key`. A folder that does not exist is made.
///
/// # Errors
/// [`Error::AlreadyExists`] if a vault is there; [`Error::Invalid`] for a URL that no backend of this build serves;
/// [`Error::Backend`]; [`Error::Unsuitable`] if the place cannot keep the engine's promises.
pub async fn create(url: &str, key: Key) -> Result<Vault> {
    create_with(url, key, default_options()).await
}

/// As [`create`], with options.
///
/// # Errors
/// As [`create`].
pub async fn create_with(url: &str, key: Key, options: VaultOptions) -> Result<Vault> {
    Vault::create(backend(&parse_url(url)?, Purpose::Create)?, key, options).await
}

/// Opens the vault at `url`, with [`default_options`].
///
/// # Errors
/// [`Error::NotFound`] if there is none; [`Error::WrongKey`]; [`Error::Damaged`]; [`Error::NewerFormat`];
/// [`Error::Invalid`] for a URL that no backend of this build serves; [`Error::Backend`].
pub async fn open(url: &str, key: Key) -> Result<Vault> {
    open_with(url, key, default_options()).await
}

/// As [`open`], with options.
///
/// # Errors
/// As [`open`].
pub async fn open_with(url: &str, key: Key, options: VaultOptions) -> Result<Vault> {
    Vault::open(backend(&parse_url(url)?, Purpose::Open)?, key, options).await
}

/// Copies the sealed objects of an open vault to the place at `url`, see [`Vault::copy_to`]. A folder that does not exist
/// is made, but for a dry run.
///
/// # Errors
/// As [`Vault::copy_to`]; [`Error::Invalid`] for a URL that no backend of this build serves.
pub async fn copy(
    vault: &Vault,
    url: &str,
    options: &CopyOptions,
    progress: impl FnMut(u64, u64) + Send,
) -> Result<Copied> {
    let url = parse_url(url)?;
    let target = if options.dry_run { place::or_nothing(&url)? } else { backend(&url, Purpose::Create)? };
    vault.copy_to(&target, options, progress).await
}

/// The place at `url` itself, for who looks at or tries out the storage and not a vault. A folder that does not exist is
/// made.
///
/// # Errors
/// [`Error::Invalid`] for a URL that no backend of this build serves; [`Error::Backend`].
pub fn place(url: &str) -> Result<core::Backend> {
    backend(&parse_url(url)?, Purpose::Create)
}

/// Removes from the place at `url` what processes that were killed left half-written, if it is more than an hour old.
/// Gives how many files that were. Only on local disk anything is left so. Works on the calling thread.
///
/// # Errors
/// [`Error::NotFound`] if nothing is there; [`Error::Invalid`] for no URL; [`Error::Backend`].
pub fn remove_leftovers(url: &str) -> Result<u64> {
    place::remove_leftovers(&parse_url(url)?)
}

/// The options that [`open`] takes: the defaults, and a witness in the user's state folder, so that an older copy of a
/// vault put in place of a newer one is noticed on this machine. It holds the numbers of commits and no names.
///
/// The folder is `MEMOSEAL_STATE_DIR`, or `memoseal` in `XDG_STATE_HOME`, or `.local/state/memoseal` in `HOME`; where
/// none of these is set there is no witness, and a warning (`tracing`) says so, once a process.
///
/// With the feature `scrub`, a scrubber: secrets are taken out of what is written, unless the store's policy says otherwise.
pub fn default_options() -> VaultOptions {
    let mut options = VaultOptions::default();
    let folder = FileWitness::default_folder(|name| std::env::var(name).ok());
    if folder.is_none() {
        static WARNED: Once = Once::new();
        WARNED.call_once(|| {
            tracing::warn!(
                "an older copy of a vault in its place would not be noticed, since there is no folder to remember in: set \
                 MEMOSEAL_STATE_DIR to one that stays"
            );
        });
    }
    options.witness = folder.map(|folder| Arc::new(FileWitness::new(folder)) as Arc<dyn HeadWitness>);
    #[cfg(feature = "scrub")]
    {
        options.scrubber = Some(Arc::new(scrub::Scrubber::default()));
    }
    options
}
