//! What processes that were killed have left behind: files under the names that they were to be written under first.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::{Error, list::is_staging};

/// Removes half-written files below `folder` that were last written to more than `age` before `now`. Gives how many.
///
/// Symbolic links are not followed. What cannot be looked at or removed is told to the log and left.
pub(crate) fn remove(folder: &Path, age: Duration, now: SystemTime) -> Result<u64, Error> {
    let mut removed = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::io("read the folder", folder)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(Error::io("read the folder", &folder))?;
            match is_left_behind(&entry, age, now) {
                Ok(Found::Folder) => folders.push(entry.path()),
                Ok(Found::LeftBehind) => match fs::remove_file(entry.path()) {
                    Ok(()) => removed += 1,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => tracing::warn!("a half-written file cannot be removed: {error}"),
                },
                Ok(Found::Other) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => tracing::warn!("a file cannot be looked at: {error}"),
            }
        }
    }
    Ok(removed)
}

enum Found {
    Folder,
    LeftBehind,
    Other,
}

fn is_left_behind(entry: &fs::DirEntry, age: Duration, now: SystemTime) -> io::Result<Found> {
    let kind = entry.file_type()?;
    if kind.is_dir() {
        return Ok(Found::Folder);
    }
    if !kind.is_file() || !entry.file_name().to_str().is_some_and(is_staging) {
        return Ok(Found::Other);
    }
    let written = entry.metadata()?.modified()?;
    let is_old = now.duration_since(written).is_ok_and(|since| since > age);
    Ok(if is_old { Found::LeftBehind } else { Found::Other })
}
