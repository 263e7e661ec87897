//! A file with a new key.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use memoseal::{Error, Key, core::env};
use zeroize::Zeroizing;

use crate::exit::failed;

/// A file with a new raw key, which only its owner can read. It goes again unless it is kept.
pub(crate) struct NewKeyFile(Option<PathBuf>);

impl NewKeyFile {
    /// Makes a key and writes it to a file that must not exist.
    pub(crate) fn generate(path: &Path) -> anyhow::Result<(Self, Key)> {
        let mut secret = Zeroizing::new([0; 32]);
        env::Random::fill(&env::OsRandom, secret.as_mut_slice()).map_err(|_| Error::NoRandomness)?;
        let file = Self::write(path, &Zeroizing::new(STANDARD.encode(secret.as_slice())))?;
        Ok((file, Key::raw(*secret)))
    }

    fn write(path: &Path, key: &str) -> anyhow::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(|error| {
            let tried = format!("cannot make the key file {}", path.display());
            failed(tried, &error, "choose a new name, in a folder that you may write to")
        })?;
        let new = Self(Some(path.to_owned()));
        let text = Zeroizing::new(format!(
            "# The key of a memoseal vault. Whoever has it can read the vault; without it nobody can.\n{key}\n"
        ));
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| sync_folder_of(path)).map_err(
            |error| {
                let tried = format!("cannot write the key file {}", path.display());
                failed(tried, &error, "free some space, or choose another disk")
            },
        )?;
        Ok(new)
    }

    /// Keeps the file if what its key is for was made, or may have been: then it may be the only one that opens it.
    pub(crate) fn keep_unless_failed<T>(mut self, outcome: Result<T, Error>) -> Result<T, Error> {
        let nothing_was_made = matches!(
            outcome,
            Err(Error::AlreadyExists { .. }
                | Error::Backend { .. }
                | Error::Invalid(_)
                | Error::Key(_)
                | Error::NotFound { .. }
                | Error::WrongKey)
        );
        if !nothing_was_made {
            self.0 = None;
        }
        outcome
    }
}

/// A key must not be lost in a power cut that its vault survives.
fn sync_folder_of(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Drop for NewKeyFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!("cannot remove {}: {error}", path.display());
        }
    }
}
