//! The vault's folder: is it still there, and which folders below it are durable.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use object_store::path::Path as Location;

use crate::Error;

/// How many folders are remembered as durable. Beyond that all are forgotten, which costs a few syncs.
const REMEMBERED: usize = 8_192;

/// The folder that a vault lies in.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    identity: Identity,
    durable: Mutex<HashSet<PathBuf>>,
}

impl Root {
    /// Opens the folder `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let path = fs::canonicalize(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Error::Missing { path: path.to_owned(), source },
            io::ErrorKind::NotADirectory => Error::NotAFolder { path: path.to_owned() },
            _ => Error::io("open the folder", path)(source),
        })?;
        let found = fs::metadata(&path).map_err(Error::io("look at", &path))?;
        if !found.is_dir() {
            return Err(Error::NotAFolder { path });
        }
        let identity = Identity::of(&path).map_err(Error::io("open the folder", &path))?;
        Ok(Self { path, identity, durable: Mutex::default() })
    }

    /// The folder, absolute and without symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that stands for the objects below `prefix`.
    pub(crate) fn folder(&self, prefix: &Location) -> PathBuf {
        let mut folder = self.path.clone();
        folder.extend(prefix.parts().map(|part| part.as_ref().to_owned()));
        folder
    }

    /// The folder in which the file of the object `location` lies.
    pub(crate) fn folder_of(&self, location: &Location) -> PathBuf {
        self.folder(&location.parent().unwrap_or_default())
    }

    /// Fails if the folder that was opened does not stand at its path any more.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let gone = |source| Error::Gone { path: self.path.clone(), source };
        let found = fs::metadata(&self.path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => gone(source),
            _ => Error::io("look at the vault's folder", &self.path)(source),
        })?;
        if self.identity.is(&found) {
            return Ok(());
        }
        Err(gone(io::Error::new(io::ErrorKind::NotFound, "something else stands in its place")))
    }

    /// Fails if nothing lies at `location`, as far as that can be told at once. The most frequent question of all is
    /// whether there is a next commit, and mostly there is none: the kernel knows that by heart, in less time than it
    /// takes to ask another thread.
    pub(crate) fn check_is_there(&self, location: &Location) -> object_store::Result<()> {
        // Such a name stands for another one on disk.
        if location.as_ref().contains('%') {
            return Ok(());
        }
        match fs::symlink_metadata(self.folder(location)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.check()?;
                Err(object_store::Error::NotFound { path: location.to_string(), source: error.into() })
            }
            // Whatever else there is, and whatever else is wrong, is told by who reads it.
            _ => Ok(()),
        }
    }

    /// Whether `folder` was made durable before.
    pub(crate) fn is_durable(&self, folder: &Path) -> bool {
        folder == self.path || self.durable.lock().unwrap_or_else(PoisonError::into_inner).contains(folder)
    }

    /// Makes `folder`, which lies below this one, and every folder on the way, and syncs them, unless that was done
    /// before.
    ///
    /// `LocalFileSystem` syncs the folders that it makes. That is not enough: if another process has made the folder
    /// and not yet synced its parent, a file in it would be lost in a power cut although both were told that theirs
    /// is safe.
    pub(crate) fn make_durable(&self, folder: &Path) -> Result<(), Error> {
        let todo: Vec<&Path> = {
            let durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
            folder.ancestors().take_while(|at| *at != self.path && !durable.contains(*at)).collect()
        };
        for folder in todo.iter().rev() {
            make_if_missing(folder)?;
            if let Some(parent) = folder.parent() {
                sync_folder(parent)?;
            }
        }
        if !todo.is_empty() {
            let mut durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
            if durable.len() + todo.len() > REMEMBERED {
                durable.clear();
            }
            durable.extend(todo.into_iter().map(Path::to_owned));
        }
        Ok(())
    }
}

fn make_if_missing(folder: &Path) -> Result<(), Error> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => return Err(Error::NotAFolder { path: folder.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("look at", folder)(error)),
    }
    match fs::create_dir(folder) {
        // Made by somebody else in between: just as good, and synced below.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done.map_err(Error::io("create the folder", folder)),
    }
}

/// Makes the entries of `folder` durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        let open = fs::File::open(folder).map_err(Error::io("open the folder", folder))?;
        open.sync_all().map_err(Error::io("sync the folder", folder))
    }
    // Elsewhere a folder cannot be opened and synced portably.
    #[cfg(not(unix))]
    {
        let _ = folder;
        Ok(())
    }
}

/// Which folder it is that was opened, whatever stands at its path later.
#[cfg(unix)]
#[derive(Debug)]
struct Identity {
    /// Held open so that the inode number is not given to another folder, and the disk is not unmounted when idle.
    _open: fs::File,
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let open = fs::File::open(path)?;
        let found = open.metadata()?;
        Ok(Self { _open: open, device: found.dev(), inode: found.ino() })
    }

    fn is(&self, found: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        (self.device, self.inode) == (found.dev(), found.ino())
    }
}

/// Which folder it is that was opened: not known on this system, so any folder will do.
#[cfg(not(unix))]
#[derive(Debug)]
struct Identity;

#[cfg(not(unix))]
impl Identity {
    fn of(_path: &Path) -> io::Result<Self> {
        Ok(Self)
    }

    fn is(&self, found: &fs::Metadata) -> bool {
        found.is_dir()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_every_folder_on_the_way_and_not_without_bound() {
        let temp = tempfile::tempdir().unwrap();
        let root = Root::open(temp.path()).unwrap();
        root.make_durable(root.path()).unwrap();
        assert_eq!(root.durable.lock().unwrap().len(), 0);
        root.make_durable(&root.folder(&Location::from("user/life/log/0123456789abc"))).unwrap();
        assert_eq!(root.durable.lock().unwrap().len(), 4);
        assert!(temp.path().join("user/life/log/0123456789abc").is_dir());

        root.durable.lock().unwrap().extend((0..REMEMBERED).map(|n| PathBuf::from(n.to_string())));
        root.make_durable(&root.folder(&Location::from("user/other"))).unwrap();
        assert_eq!(root.durable.lock().unwrap().len(), 1);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("log"), "").unwrap();
        let root = Root::open(temp.path()).unwrap();
        let error = root.make_durable(&root.folder(&Location::from("log/fff"))).unwrap_err();
        assert!(matches!(error, Error::NotAFolder { path } if path.ends_with("log")));
    }
}
