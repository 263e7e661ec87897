//! The folder that an export writes to: nothing outside it, nothing half written, nothing replaced unasked.

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use memoseal::core::path::MemoryPath;

use super::{MEMORIES, TEMPORARY};

/// Where the files go.
pub(crate) struct Target {
    /// The folder that was named.
    folder: PathBuf,
    /// Whether files that differ are replaced.
    overwrite: bool,
    /// Whether nothing is written at all.
    dry_run: bool,
    /// What this run has written, by its path in small letters: some disks do not tell capitals apart.
    written: HashMap<String, PathBuf>,
}

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    New,
    Replaced,
    /// It was there already.
    Unchanged,
}

/// Why a file was not written.
#[derive(Debug)]
pub(crate) enum NotWritten {
    /// This one cannot be; the others may.
    LeftOut(String),
    /// The disk does not work.
    Failed(PathBuf, io::Error),
}

impl Target {
    pub(crate) fn new(folder: &Path, overwrite: bool, dry_run: bool) -> Self {
        Self { folder: folder.to_owned(), overwrite, dry_run, written: HashMap::new() }
    }

    /// Writes one file, whole or not at all.
    pub(crate) fn write(&mut self, path: &MemoryPath, content: &[u8]) -> Result<Written, NotWritten> {
        let names = names(path).map_err(NotWritten::LeftOut)?;
        let Some((name, folders)) = names.split_last() else {
            return Err(NotWritten::LeftOut("it is the root".into()));
        };
        let folder = self.folder_for(folders)?;
        let file = folder.join(name);
        let small = path.as_str().to_lowercase();
        if let Some(other) = self.written.get(&small)
            && is_same(other, &file)
        {
            let why = format!("this disk does not tell its name from that of {}", other.display());
            return Err(NotWritten::LeftOut(why));
        }
        let failed = |error| NotWritten::Failed(file.clone(), error);
        let outcome = match fs::symlink_metadata(&file) {
            Err(error) if is_missing(&error) => Written::New,
            Err(error) => return Err(failed(error)),
            Ok(found) if found.is_dir() => return Err(NotWritten::LeftOut("a folder stands in its place".into())),
            Ok(found) if found.is_file() && found.len() == content.len() as u64 => {
                if fs::read(&file).map_err(failed)? == content { Written::Unchanged } else { Written::Replaced }
            }
            Ok(_) => Written::Replaced,
        };
        if outcome == Written::Replaced && !self.overwrite {
            let why = format!("{} is there and differs: give --overwrite to replace it", file.display());
            return Err(NotWritten::LeftOut(why));
        }
        if outcome != Written::Unchanged && !self.dry_run {
            put(&folder, &file, content, self.overwrite).map_err(failed)?;
        }
        self.written.insert(small, file);
        Ok(outcome)
    }

    /// The folder with these names below that of the root; made, unless this is a dry run. None on the way may be a link.
    fn folder_for(&self, names: &[&str]) -> Result<PathBuf, NotWritten> {
        let mut folder = self.folder.clone();
        if !self.dry_run {
            make(&folder, true).map_err(|error| NotWritten::Failed(folder.clone(), error))?;
        }
        for name in std::iter::once(&MEMORIES).chain(names) {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => {}
                Ok(found) => {
                    let what = if found.is_symlink() { "a symbolic link, which is not followed" } else { "no folder" };
                    return Err(NotWritten::LeftOut(format!("{} is {what}", folder.display())));
                }
                Err(error) if is_missing(&error) => {
                    if !self.dry_run {
                        make(&folder, false).map_err(|error| NotWritten::Failed(folder.clone(), error))?;
                    }
                }
                Err(error) => return Err(NotWritten::Failed(folder, error)),
            }
        }
        Ok(folder)
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Whether both names lead to one file that is there.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Makes a folder for its owner alone.
fn make(folder: &Path, with_parents: bool) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(with_parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file under another name first, so that under its own it is whole.
fn put(folder: &Path, file: &Path, content: &[u8], overwrite: bool) -> io::Result<()> {
    let (prefix, suffix) = TEMPORARY;
    let mut new = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile_in(folder)?;
    new.write_all(content)?;
    new.as_file().sync_all()?;
    if overwrite {
        new.persist(file)?
    } else {
        new.persist_noclobber(file)?
    };
    Ok(())
}

/// The names from the root to a file, each of which can be a name here; or why one cannot.
fn names(path: &MemoryPath) -> Result<Vec<&str>, String> {
    let names: Vec<&str> = path.as_str().split('/').skip(1).collect();
    for name in &names {
        let is_one = !matches!(*name, "" | "." | "..") && !name.contains(['/', '\0']);
        if !is_one || !is_name_here(name) {
            return Err(format!(
                "`{name}` cannot be a file's name here: rename it with `memoseal mv`, or export elsewhere"
            ));
        }
    }
    Ok(names)
}

#[cfg(not(windows))]
fn is_name_here(_name: &str) -> bool {
    true
}

#[cfg(windows)]
fn is_name_here(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (stem.len() == 4
            && (stem.starts_with("COM") || stem.starts_with("LPT"))
            && stem.ends_with(|digit: char| digit.is_ascii_digit()));
    !is_device && !name.ends_with(['.', ' ']) && !name.contains(['<', '>', ':', '"', '|', '?', '*', '\\'])
}
