//! `memoseal init`.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use memoseal::{Error, Key, KeySource, core::env};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    args::{Common, Init},
    key::{self, Prompt},
    output,
};

pub(crate) async fn run(common: &Common, verb: &Init) -> anyhow::Result<ExitCode> {
    let url = output::vault_url(common)?;
    let (vault, key_file) = match &verb.generate_key {
        None => (memoseal::create(url, key::key(common, Prompt::Twice)?).await?, None),
        Some(path) => (with_new_key(common, url, path).await?, Some(path)),
    };
    let id = memoseal::core::hex(&vault.id());
    if common.json {
        let key_file = key_file.map(|path| path.display().to_string());
        output::line(json!({ "vault": id, "url": memoseal::parse_url(url)?.as_str(), "key_file": key_file }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(format_args!("made vault {id} at {url}"))?;
    if let Some(path) = key_file {
        output::line(format_args!(
            "its key is in {}: keep a copy elsewhere, since without it nobody can read the vault",
            path.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a new key, then makes the vault. The file goes again if no vault came of it.
async fn with_new_key(common: &Common, url: &str, path: &Path) -> anyhow::Result<memoseal::Vault> {
    let other = |source: &KeySource| !matches!(source, KeySource::KeyFile(file) if file == path);
    if key::sources(common).iter().any(other) {
        let problem = "--generate-key makes the vault's key, but another key was given too: leave one";
        return Err(Error::Key(problem.into()).into());
    }
    let mut secret = Zeroizing::new([0; 32]);
    env::Random::fill(&env::OsRandom, secret.as_mut_slice()).map_err(|_| Error::NoRandomness)?;
    let file = NewFile::write(path, &STANDARD.encode(secret.as_slice()))?;
    match memoseal::create(url, Key::raw(*secret)).await {
        Ok(vault) => {
            file.keep();
            Ok(vault)
        }
        Err(error) => {
            if matches!(error, Error::OutcomeUnknown { .. }) {
                // The header may have landed, and this is its only key.
                file.keep();
            }
            Err(error.into())
        }
    }
}

/// A file that goes again unless it is kept.
struct NewFile(Option<PathBuf>);

impl NewFile {
    fn write(path: &Path, key: &str) -> anyhow::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options
            .open(path)
            .with_context(|| format!("cannot make the key file {}: choose a new name", path.display()))?;
        let new = Self(Some(path.to_owned()));
        let text = Zeroizing::new(format!(
            "# The key of a memoseal vault. Whoever has it can read the vault; without it nobody can.\n{key}\n"
        ));
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .with_context(|| format!("cannot write the key file {}", path.display()))?;
        Ok(new)
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!("cannot remove {}: {error}", path.display());
        }
    }
}
