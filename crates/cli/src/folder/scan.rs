//! What a folder holds that could be imported.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use memoseal::{Error, Limits, core::path::MemoryPath};

use super::{LeftOut, MEMORIES, TEMPORARY, shown};

/// A file, and where it goes.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) file: PathBuf,
    pub(crate) path: MemoryPath,
}

/// The files of a folder in the order of paths, and what can be nobody's memory.
#[derive(Debug)]
pub(crate) struct Scan {
    /// The folder that stands for the root.
    pub(crate) root: PathBuf,
    pub(crate) files: Vec<Found>,
    pub(crate) left_out: Vec<LeftOut>,
}

impl Scan {
    /// Walks a folder. Symbolic links in it are not followed, and what is `apart` is passed over: files and folders,
    /// each with the reason.
    pub(crate) fn of(folder: &Path, apart: &[(PathBuf, &'static str)]) -> Result<Self, Error> {
        let root = root(folder)?;
        // Under its own name each, since a folder can be named in many ways. What does not exist is in no folder.
        let apart = apart.iter().filter_map(|(path, why)| Some((fs::canonicalize(path).ok()?, *why))).collect();
        let mut walk = Walk { apart, files: BTreeMap::new(), left_out: Vec::new(), folders: Vec::new() };
        walk.folder(&root, &MemoryPath::root()).map_err(|error| {
            Error::Invalid(format!("cannot read {}: {error}: name a folder that you may read", root.display()))
        })?;
        while let Some((folder, path)) = walk.folders.pop() {
            if let Err(error) = walk.folder(&folder, &path) {
                walk.leave_out(&folder, format_args!("cannot be read: {error}"));
            }
        }
        let files = walk.files.into_iter().map(|(path, file)| Found { file, path }).collect();
        walk.left_out.sort_by(|a, b| a.what.cmp(&b.what));
        Ok(Self { root, files, left_out: walk.left_out })
    }
}

/// The folder that stands for /memories: `folder/memories` if that is all it holds, else the folder itself.
fn root(folder: &Path) -> Result<PathBuf, Error> {
    let inner = folder.join(MEMORIES);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if folder.file_name().is_some_and(|name| name == MEMORIES) || !is_folder(&inner) {
        return Ok(folder.to_owned());
    }
    let mut others = fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.file_name() != MEMORIES);
    match others.next() {
        None => Ok(inner),
        Some(other) => Err(Error::Invalid(format!(
            "{} holds a folder `{MEMORIES}`, and beside it {}: name {} to import that folder alone, or give the other \
             things a place of their own",
            folder.display(),
            other.file_name().to_string_lossy(),
            inner.display()
        ))),
    }
}

struct Walk {
    apart: Vec<(PathBuf, &'static str)>,
    files: BTreeMap<MemoryPath, PathBuf>,
    left_out: Vec<LeftOut>,
    /// Folders that are still to be looked at.
    folders: Vec<(PathBuf, MemoryPath)>,
}

impl Walk {
    fn folder(&mut self, folder: &Path, path: &MemoryPath) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let file = entry.path();
            if let Err(why) = self.entry(&entry, path) {
                self.leave_out(&file, why);
            }
        }
        Ok(())
    }

    /// Takes one entry; an error is why it cannot be taken.
    fn entry(&mut self, entry: &fs::DirEntry, above: &MemoryPath) -> Result<(), String> {
        let kind = entry.file_type().map_err(|error| format!("cannot be looked at: {error}"))?;
        if kind.is_symlink() {
            return Err("a symbolic link, which is not followed".into());
        }
        if !kind.is_dir() && !kind.is_file() {
            return Err("neither a file nor a folder".into());
        }
        if let Some((_, why)) = self.apart.iter().find(|(apart, _)| is_at(&entry.path(), apart)) {
            return Err((*why).into());
        }
        let name = entry.file_name().into_string().map_err(|_| "its name is not UTF-8".to_owned())?;
        if kind.is_file() && is_temporary(&name) {
            return Err("what a program that broke off has left of a file".into());
        }
        let path = MemoryPath::parse(&format!("{above}/{name}")).map_err(|text| without_label(&text))?;
        if kind.is_dir() {
            self.folders.push((entry.path(), path));
        } else if let Some(other) = self.files.get(&path) {
            return Err(format!("its name is that of {} once both are in NFC", shown(other)));
        } else {
            self.files.insert(path, entry.path());
        }
        Ok(())
    }

    fn leave_out(&mut self, file: &Path, why: impl std::fmt::Display) {
        self.left_out.push(LeftOut::new(shown(file), why));
    }
}

/// Whether `path` leads to `place`, which is written as the disk does.
fn is_at(path: &Path, place: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path == place)
}

/// Whether a file was being written when its writer ended: by an export, or by an SDK's `.tmp-PID-UUID`.
fn is_temporary(name: &str) -> bool {
    let (prefix, suffix) = TEMPORARY;
    let ours = name.strip_prefix(prefix).is_some_and(|rest| rest.ends_with(suffix));
    let sdk = name.strip_prefix(".tmp-").and_then(|rest| rest.split_once('-')).is_some_and(|(pid, uuid)| {
        let is_number = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
        is_number && uuid.len() == 36 && uuid.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    });
    ours || sdk
}

fn without_label(text: &str) -> String {
    text.strip_prefix("Error: ").unwrap_or(text).to_owned()
}

impl Found {
    /// What the file holds. An error is why it cannot be taken; a file that no limit allows is not read to the end.
    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        let limits = Limits::default();
        let most = limits.file_bytes.max(limits.image_bytes);
        let failed = |error: io::Error| format!("cannot be read: {error}");
        let too_large = |size: u64| format!("it holds {size} bytes, and the largest image may hold {most}");
        // What was a file when the folder was read may be something else by now, which might never end.
        let found = fs::symlink_metadata(&self.file).map_err(failed)?;
        if !found.is_file() {
            return Err("it is no file any more".into());
        }
        if found.len() > most {
            return Err(too_large(found.len()));
        }
        let mut content = Vec::new();
        let file = fs::File::open(&self.file).map_err(failed)?;
        file.take(most + 1).read_to_end(&mut content).map_err(failed)?;
        if content.len() as u64 > most {
            return Err(too_large(content.len() as u64));
        }
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_left_behind_is_known_by_its_name() {
        for name in [".tmp-4711-123e4567-e89b-12d3-a456-426614174000", ".memoseal-Ab12.tmp"] {
            assert!(is_temporary(name), "{name}");
        }
        for name in
            [".tmp-notes", ".tmp-4711-notes", "x.tmp", ".memoseal", ".tmp-a-123e4567-e89b-12d3-a456-426614174000"]
        {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
