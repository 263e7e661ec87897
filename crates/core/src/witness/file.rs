//! A witness in files: one a log, in a folder of this machine's user.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{HeadWitness, LogId, Seen};
use crate::{Error, Result};

/// Keeps what was seen in small text files under a folder. Several processes may use one folder.
///
/// A file is replaced as a whole, under a lock; it is not synced, since one that lags behind does no harm.
#[derive(Clone, Debug)]
pub struct FileWitness {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Text {
    user_life: u64,
    store_life: u64,
    seq: u64,
    chain: String,
}

impl FileWitness {
    /// A witness in `folder`, which is made when something is noted.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where a program of this user keeps it: `MEMOSEAL_STATE_DIR`, or `memoseal` in `XDG_STATE_HOME`, or
    /// `.local/state/memoseal` in `HOME`; none where nothing of that is set.
    pub fn default_folder(lookup: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        set("MEMOSEAL_STATE_DIR")
            .or_else(|| set("XDG_STATE_HOME").map(|folder| folder.join("memoseal")))
            .or_else(|| set("HOME").map(|folder| folder.join(".local/state/memoseal")))
            .map(|folder| folder.join("witness"))
    }

    fn file(&self, log: &LogId) -> PathBuf {
        self.folder.join(log.to_string())
    }

    async fn blocking<T: Send + 'static>(
        &self,
        file: PathBuf,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let name = file.display().to_string();
        let failed = |error: io::Error| Error::Witness { file: name.clone(), problem: error.to_string() };
        match tokio::task::spawn_blocking(move || work(&file)).await {
            Ok(done) => done.map_err(failed),
            Err(stopped) => Err(failed(io::Error::other(stopped))),
        }
    }
}

#[async_trait]
impl HeadWitness for FileWitness {
    async fn read(&self, log: &LogId) -> Result<Option<Seen>> {
        self.blocking(self.file(log), read).await
    }

    async fn logs(&self, vault: &[u8; 16]) -> Result<Vec<LogId>> {
        let vault = *vault;
        self.blocking(self.folder.clone(), move |folder| {
            let entries = match fs::read_dir(folder) {
                Ok(entries) => entries,
                // Nothing was ever noted.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(error),
            };
            let mut logs = Vec::new();
            for entry in entries {
                // Others are the lock, and files on their way to their names.
                let log = entry?.file_name().to_str().and_then(|name| name.parse::<LogId>().ok());
                logs.extend(log.filter(|log| log.vault == vault));
            }
            Ok(logs)
        })
        .await
    }

    async fn advance(&self, log: &LogId, seen: &Seen) -> Result<()> {
        let seen = *seen;
        self.blocking(self.file(log), move |file| {
            locked(file, || match read(file)? {
                Some(noted) if noted.position() >= seen.position() => Ok(()),
                _ => write(file, &seen),
            })
        })
        .await
    }

    async fn rebase(&self, log: &LogId, seen: Option<&Seen>) -> Result<()> {
        let seen = seen.copied();
        self.blocking(self.file(log), move |file| {
            locked(file, || match &seen {
                Some(seen) => write(file, seen),
                None => fs::remove_file(file).or_else(not_found_is_fine),
            })
        })
        .await
    }
}

fn not_found_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn read(file: &Path) -> io::Result<Option<Seen>> {
    let text = match fs::read_to_string(file) {
        // A power cut may leave an empty file: that is a witness that was lost.
        Ok(text) if text.is_empty() => return Ok(None),
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text: Text = serde_json::from_str(&text).map_err(io::Error::other)?;
    let chain =
        memoseal_crypto::from_hex(text.chain.as_bytes()).ok_or_else(|| io::Error::other("not a chain value"))?;
    Ok(Some(Seen { user_life: text.user_life, store_life: text.store_life, seq: text.seq, chain }))
}

/// Replaces the file as a whole: whoever reads sees the old text or the new.
fn write(file: &Path, seen: &Seen) -> io::Result<()> {
    let chain = memoseal_crypto::to_hex(&seen.chain);
    let text = Text { user_life: seen.user_life, store_life: seen.store_life, seq: seen.seq, chain };
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    fs::write(&new, serde_json::to_vec(&text)?)?;
    fs::rename(new, file)
}

/// Does `work` while no other process works on the folder.
fn locked<T>(file: &Path, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let folder = file.parent().ok_or_else(|| io::Error::other("no folder"))?;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let lock = fs::File::create(folder.join("lock"))?;
    lock.lock()?;
    let done = work();
    lock.unlock()?;
    done
}
