//! The walk in order.
//!
//! Object names are ordered as byte strings with `/` as a byte like any other, and so is this walk: inside a folder,
//! a file sorts under its name and a folder under its name with `/` behind it. Since everything below a folder begins
//! with exactly that, going into each folder at its place gives the whole in order, and no more than one folder a
//! level is held in memory.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::{StreamExt as _, TryStreamExt as _, stream, stream::BoxStream};
use object_store::{ListResult, ObjectMeta, path::Path as Location};

use crate::{Error, root::Root, store::blocking};

/// How many objects are looked at before the first is handed out; each further batch is twice as large …
const FIRST_BATCH: usize = 64;
/// … up to this.
const LARGEST_BATCH: usize = 1_024;

/// The objects below `prefix`, in order, those after `offset` only.
pub(crate) fn objects(
    root: Arc<Root>,
    prefix: &Location,
    offset: Option<&Location>,
) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
    let walk = Walk::new(root, prefix, offset);
    stream::try_unfold(walk, |mut walk| async move {
        if walk.is_done() {
            return Ok(None);
        }
        let (batch, walk) = blocking(move || Ok((walk.next_batch()?, walk))).await?;
        Ok::<_, object_store::Error>(Some((stream::iter(batch.into_iter().map(Ok)), walk)))
    })
    .try_flatten()
    .boxed()
}

/// The objects straight below `prefix` and the folders there, each in order. Blocks.
pub(crate) fn folder(root: &Root, prefix: &Location) -> Result<ListResult, Error> {
    root.check()?;
    let mut result = ListResult { common_prefixes: Vec::new(), objects: Vec::new(), extensions: Default::default() };
    let frame = Frame::read(root, root.folder(prefix), below(prefix), None, &[])?;
    for name in frame.names.iter().rev() {
        let Some(location) = frame.location(name) else { continue };
        if name.ends_with('/') {
            result.common_prefixes.push(location);
        } else if let Some(object) = frame.object(root, name, location)? {
            result.objects.push(object);
        }
    }
    Ok(result)
}

/// What the names of all objects below `prefix` begin with.
fn below(prefix: &Location) -> String {
    if prefix.is_root() { String::new() } else { format!("{prefix}/") }
}

/// Where a walk stands: the folders from the prefix down to the one being walked, each with what is left of it.
struct Walk {
    root: Arc<Root>,
    offset: Option<String>,
    /// The prefix's folder before it is read.
    start: Option<(PathBuf, String)>,
    stack: Vec<Frame>,
    batch: usize,
}

impl Walk {
    fn new(root: Arc<Root>, prefix: &Location, offset: Option<&Location>) -> Self {
        let start = Some((root.folder(prefix), below(prefix)));
        let offset = offset.map(|offset| offset.as_ref().to_owned());
        Self { root, offset, start, stack: Vec::new(), batch: FIRST_BATCH }
    }

    fn is_done(&self) -> bool {
        self.start.is_none() && self.stack.is_empty()
    }

    /// The next objects. Ends early rather than read a further folder when there is something to hand out. Blocks.
    fn next_batch(&mut self) -> Result<Vec<ObjectMeta>, Error> {
        let mut batch = Vec::new();
        if let Some((folder, below)) = self.start.take() {
            self.root.check()?;
            self.descend(folder, below)?;
        }
        while let Some(frame) = self.stack.last_mut() {
            let Some(name) = frame.names.pop() else {
                self.stack.pop();
                continue;
            };
            let Some(location) = frame.location(&name) else { continue };
            if let Some(folder) = name.strip_suffix('/') {
                if !batch.is_empty() {
                    frame.names.push(name);
                    break;
                }
                let (folder, below) = (frame.folder.join(folder), frame.below.clone() + &name);
                self.descend(folder, below)?;
            } else if let Some(object) = frame.object(&self.root, &name, location)? {
                batch.push(object);
                if batch.len() >= self.batch {
                    break;
                }
            }
        }
        self.batch = LARGEST_BATCH.min(self.batch * 2);
        Ok(batch)
    }

    fn descend(&mut self, folder: PathBuf, below: String) -> Result<(), Error> {
        let frame = Frame::read(&self.root, folder, below, self.offset.as_deref(), &self.stack)?;
        self.stack.push(frame);
        Ok(())
    }
}

/// A folder and the names in it that are still to come.
struct Frame {
    folder: PathBuf,
    /// What the names of all objects in it begin with: empty, or ending in `/`.
    below: String,
    /// Folders end in `/`. The last is the next.
    names: Vec<String>,
}

impl Frame {
    /// Reads the names in `folder` that can be objects after `offset` or lead to some. `above` are the folders on
    /// the way to it. A folder that does not exist, or is a file, is empty.
    fn read(root: &Root, folder: PathBuf, below: String, offset: Option<&str>, above: &[Self]) -> Result<Self, Error> {
        let mut frame = Self { folder, below, names: Vec::new() };
        let entries = match fs::read_dir(&frame.folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                root.check()?;
                return Ok(frame);
            }
            Err(error) => return Err(Error::io("list the folder", &frame.folder)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(Error::io("list the folder", &frame.folder))?;
            // No object has a name that is not UTF-8.
            let Ok(mut name) = entry.file_name().into_string() else { continue };
            match kind_of(root, &entry, &frame.folder, above)? {
                Kind::Folder => name.push('/'),
                Kind::File if is_staging(&name) => continue,
                Kind::File => {}
                Kind::Neither => continue,
            }
            if offset.is_none_or(|offset| frame.reaches_beyond(&name, offset)) {
                frame.names.push(name);
            }
        }
        frame.names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(frame)
    }

    /// Whether `name` is an object after `offset`, or a folder in which there may be some.
    fn reaches_beyond(&self, name: &str, offset: &str) -> bool {
        let path = format!("{}{name}", self.below);
        path.as_str() > offset || (name.ends_with('/') && offset.starts_with(&path))
    }

    /// The location that `name` stands for, if it is one that an object can have.
    fn location(&self, name: &str) -> Option<Location> {
        Location::parse(format!("{}{name}", self.below)).ok()
    }

    /// What there is to know about the file `name`, or nothing if it has gone since the folder was read.
    fn object(&self, root: &Root, name: &str, location: Location) -> Result<Option<ObjectMeta>, Error> {
        let path = self.folder.join(name);
        let found = match fs::metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Deleted in between, unless it is the whole vault that is gone.
                root.check()?;
                return Ok(None);
            }
            Err(error) => return Err(Error::io("look at", path)(error)),
        };
        let modified = found.modified().map_err(Error::io("look at", path))?;
        Ok(Some(ObjectMeta { location, last_modified: modified.into(), size: found.len(), e_tag: None, version: None }))
    }
}

enum Kind {
    File,
    Folder,
    /// A device, a socket, a link that leads nowhere.
    Neither,
}

/// What `entry` of `folder` is. Symbolic links are followed, as reading an object follows them.
fn kind_of(root: &Root, entry: &fs::DirEntry, folder: &Path, above: &[Frame]) -> Result<Kind, Error> {
    let path = entry.path();
    let mut found = match entry.file_type() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kind::Neither),
        Err(error) => return Err(Error::io("look at", path)(error)),
    };
    if found.is_symlink() {
        found = match fs::metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                root.check()?;
                return Ok(Kind::Neither);
            }
            Err(error) => return Err(Error::io("follow the link", path)(error)),
        };
        if found.is_dir() {
            let real = |path: &Path| fs::canonicalize(path).map_err(Error::io("follow", path));
            let target = real(&path)?;
            for folder in above.iter().map(|frame| frame.folder.as_path()).chain([folder]) {
                if real(folder)? == target {
                    return Err(Error::Loop { path });
                }
            }
        }
    }
    Ok(match found {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Folder,
        _ => Kind::Neither,
    })
}

/// Whether `name` is one under which a file is written before it gets its own.
pub(crate) fn is_staging(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}
