//! From a URL to a folder to a backend.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use memoseal_core::Backend;
use url::Url;

use crate::{
    Error, Folder,
    root::{Root, sync_folder},
    staging,
    store::LocalStore,
};

/// Opens the folder that `url` names, such as `file:///srv/memory`, as a place for a vault.
///
/// The vault's root is the folder itself: the backend's prefix is empty, and both of its stores are the same one.
/// The folder is held open as long as a store over it lives. A few system calls are made on the calling thread.
///
/// # Errors
///
/// [`Error::WrongScheme`] or [`Error::BadUrl`] if `url` does not name a folder of this machine, [`Error::Missing`] if
/// nothing is there, [`Error::NotAFolder`] if something else is, [`Error::Io`] if it cannot be read.
pub fn open(url: &Url) -> Result<Backend, Error> {
    open_folder(&folder(url)?)
}

/// Opens the folder that `url` names like [`open`], for who looks whether it can hold a vault.
///
/// # Errors
///
/// Those of [`open`].
pub fn inspect(url: &Url) -> Result<(Backend, Folder), Error> {
    let folder = folder(url)?;
    Ok((open_folder(&folder)?, Folder::new(folder)))
}

/// Opens the folder that `url` names like [`open`], and makes it first if it does not exist.
///
/// It and its missing parents are made with mode 0700 and synced, up to the first folder that was there before. A
/// folder that exists is left as it is, whatever it holds.
///
/// # Errors
///
/// Those of [`open`], and [`Error::Io`] if a folder cannot be made or synced.
pub fn create(url: &Url) -> Result<Backend, Error> {
    let folder = folder(url)?;
    make(&folder)?;
    open_folder(&folder)
}

/// How long a file may be on its way: longer than any write takes.
const ON_ITS_WAY: Duration = Duration::from_secs(60 * 60);

/// Removes the files that processes which were killed left half-written in the folder that `url` names, if they are
/// more than an hour old. Gives how many. Reads every folder of the vault, on the calling thread.
///
/// # Errors
///
/// Those of [`open`]. A file that cannot be removed is none: it is told to the log.
pub fn remove_leftovers(url: &Url) -> Result<u64, Error> {
    let root = Root::open(&folder(url)?)?;
    staging::remove(root.path(), ON_ITS_WAY, SystemTime::now())
}

fn open_folder(folder: &Path) -> Result<Backend, Error> {
    let store = LocalStore::new(Root::open(folder)?)?;
    Ok(Backend::single(Arc::new(store)))
}

/// The folder that `url` names.
fn folder(url: &Url) -> Result<PathBuf, Error> {
    if url.scheme() != "file" {
        return Err(Error::WrongScheme { scheme: url.scheme().to_owned() });
    }
    // `file://localhost/srv` is parsed to `file:///srv`.
    if url.host().is_some() {
        return Err(Error::BadUrl { what: "a host" });
    }
    if url.query().is_some() {
        return Err(Error::BadUrl { what: "a query" });
    }
    if url.fragment().is_some() {
        return Err(Error::BadUrl { what: "a fragment" });
    }
    let path = url.to_file_path().map_err(|()| Error::BadUrl { what: "a path that this system cannot have" })?;
    // Without the slash at the end.
    Ok(path.components().collect())
}

/// Makes `folder` and its missing parents, and syncs them.
fn make(folder: &Path) -> Result<(), Error> {
    let mut missing = Vec::new();
    for ancestor in folder.ancestors() {
        match fs::metadata(ancestor) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => return Err(Error::NotAFolder { path: ancestor.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(ancestor),
            // A file stands further up; the turn of that ancestor comes.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => missing.push(ancestor),
            Err(error) => return Err(Error::io("look at", ancestor)(error)),
        }
    }
    for new in missing.into_iter().rev() {
        match builder().create(new) {
            Ok(()) => {}
            // Somebody else was quicker, or it is a link to nowhere.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => drop(Root::open(new)?),
            Err(error) => return Err(Error::io("create the folder", new)(error)),
        }
        sync_folder(new)?;
        if let Some(parent) = new.parent() {
            sync_folder(parent)?;
        }
    }
    Ok(())
}

fn builder() -> fs::DirBuilder {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
