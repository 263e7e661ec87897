//! `memoseal init`.

use std::{path::Path, process::ExitCode};

use memoseal::{Error, KeySource};
use serde_json::json;

use crate::{
    args::{Common, Init},
    key::{self, Prompt},
    key_file::NewKeyFile,
    output,
};

pub(crate) async fn run(common: &Common, verb: &Init) -> anyhow::Result<ExitCode> {
    let url = output::vault_url(common)?;
    let (vault, key_file) = match &verb.generate_key {
        None => {
            let key = key::key(common, Prompt::Twice)?;
            common.interrupt.begin();
            (memoseal::create(url, key).await?, None)
        }
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
    if let Some(other) = key::given(common)?.iter().find(|source| other(source)) {
        let problem =
            format!("--generate-key makes the vault's key, but another was given too, {}: leave one", other.name());
        return Err(Error::Key(problem).into());
    }
    if is_inside(path, url)? {
        let problem = "the key file would lie in the vault's own folder, beside what it opens: choose another place";
        return Err(Error::Invalid(problem.into()).into());
    }
    common.interrupt.begin();
    let (file, key) = NewKeyFile::generate(path)?;
    Ok(file.keep_unless_failed(memoseal::create(url, key).await)?)
}

/// Whether a file would lie in the folder of a vault, if that is a folder.
pub(super) fn is_inside(file: &Path, url: &str) -> anyhow::Result<bool> {
    let Ok(vault) = memoseal::parse_url(url)?.to_file_path() else { return Ok(false) };
    let absolute = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(absolute(folder)?.starts_with(absolute(&vault)?))
}
