//! Local disk for memoseal: a vault in a folder.
//!
//! [`open`] turns a `file:///…` URL into the [`Backend`] that the engine works on, [`create`] does the same and makes
//! the folder first. Underneath is `object_store`'s `LocalFileSystem` with fsync, wrapped so that it keeps three
//! promises that the engine needs and a plain folder does not give:
//!
//! * **Listings come in order.** Names are yielded in lexicographic byte order, one folder read at a time, so that
//!   the newest thousand of a hundred thousand commits cost the reading of the folders that they lie in.
//! * **What was answered is on the disk**, also when another process made the folder a moment ago: before the first
//!   write into a folder this process makes sure that every folder on the way to it is durable.
//! * **A vault that has gone away is an error.** If its folder is deleted or unmounted under a running process,
//!   nothing is written beside it, and a missing key is not mistaken for "nothing new".
//!
//! Every `std::io::Error` stays in the `source()` chain of the `object_store::Error` that carries it, so that a full
//! or read-only disk can be told from an outcome that is unknown.
//!
//! Limits: names of up to 250 bytes a segment (file systems allow 255, and a file is staged under its name with `#`
//! and a number behind it); names that end in `#` and digits are refused. Deletes are not synced: a deleted object
//! may be back after a power cut. Made for POSIX file systems; elsewhere it works without syncing folders.
//!
//! ```
//! use object_store::{ObjectStoreExt, path::Path};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let parent = tempfile::tempdir()?;
//! let url = url::Url::from_directory_path(parent.path().join("memory")).unwrap();
//!
//! assert!(matches!(memoseal_local::open(&url), Err(memoseal_local::Error::Missing { .. })));
//! memoseal_local::create(&url)?;
//! let backend = memoseal_local::open(&url)?;
//! backend.rest().put(&Path::from("clock"), "tick".into()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `place` | from a URL to a folder to a backend |
//! | `root` | the vault's folder: is it still there, which folders below it are durable |
//! | `list` | the walk in order |
//! | `store` | the `ObjectStore` over these |
//! | `staging` | what processes that were killed have left behind |
//! | `doctor` | what the system knows of a folder |
//! | `error` | what can go wrong |
//!
//! [`Backend`]: memoseal_core::Backend

mod doctor;
mod error;
mod list;
mod place;
mod root;
mod staging;
mod store;

pub use doctor::Folder;
pub use error::Error;
pub use place::{create, inspect, open, remove_leftovers};
