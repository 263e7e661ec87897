//! One file memoseal.toml: settings, and never a secret.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use memoseal::Error;
use toml::{Table, Value};

use super::{KeyPlace, beside};

pub(super) const NAME: &str = "memoseal.toml";

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// What a file may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    Vault,
    User,
    Store,
    Actor,
    Rules,
    KeyFile,
    KeyEnv,
    PassphraseFile,
    PassphraseEnv,
    Kms,
}

const NAMES: [Name; 10] = [
    Name::Vault,
    Name::User,
    Name::Store,
    Name::Actor,
    Name::Rules,
    Name::KeyFile,
    Name::KeyEnv,
    Name::PassphraseFile,
    Name::PassphraseEnv,
    Name::Kms,
];

impl Name {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Vault => "vault",
            Self::User => "user",
            Self::Store => "store",
            Self::Actor => "actor",
            Self::Rules => "rules",
            Self::KeyFile => "key_file",
            Self::KeyEnv => "key_env",
            Self::PassphraseFile => "passphrase_file",
            Self::PassphraseEnv => "passphrase_env",
            Self::Kms => "kms",
        }
    }

    /// The option of the same meaning; empty where there is none.
    pub(super) const fn option(self) -> &'static str {
        match self {
            Self::Vault => "--vault",
            Self::User => "--user",
            Self::Store => "--store",
            Self::Actor => "--actor",
            Self::Rules => "--rules",
            Self::KeyFile => "--key-file",
            Self::PassphraseFile => "--passphrase-file",
            Self::Kms => "--kms",
            Self::KeyEnv | Self::PassphraseEnv => "",
        }
    }

    const fn is_variable(self) -> bool {
        matches!(self, Self::KeyEnv | Self::PassphraseEnv)
    }

    /// Whether it says where the key comes from.
    const fn is_key(self) -> bool {
        matches!(self, Self::KeyFile | Self::PassphraseFile | Self::Kms) || self.is_variable()
    }

    const fn is_path(self) -> bool {
        matches!(self, Self::KeyFile | Self::PassphraseFile | Self::Rules)
    }
}

/// A file that was found, and what it sets.
#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    values: BTreeMap<Name, String>,
}

impl File {
    /// Reads a file; nothing if there is none.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let failed = |error: io::Error| {
            Error::Invalid(format!("cannot read {}: {error}: make it readable, or remove it", path.display()))
        };
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        };
        let mut text = String::new();
        file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > MAX_FILE {
            return Err(failed(io::Error::other("it is larger than any file of settings")));
        }
        Self::parse(path, &text).map(Some)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        // What the parser says of a line may repeat it, and it may hold a secret that does not belong here.
        let table: Table = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Error::Invalid(format!(
                "cannot read {}: line {line} is not TOML: write each setting as name = \"value\"",
                path.display()
            ))
        })?;
        let mut values = BTreeMap::new();
        for (given, value) in &table {
            let (name, value) = setting(path, given, value)?;
            values.insert(name, value);
        }
        let keys: Vec<_> = values.keys().filter(|name| name.is_key()).collect();
        if let [one, other, ..] = keys.as_slice() {
            let (one, other) = (one.as_str(), other.as_str());
            let problem = format!("{} says twice where the key comes from: leave {one} or {other}", path.display());
            return Err(Error::Invalid(problem));
        }
        Ok(Self { path: path.to_owned(), values })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn get(&self, name: Name) -> Option<&str> {
        self.values.get(&name).map(String::as_str)
    }

    /// Where the key comes from, if the file says so.
    pub(super) fn key(&self) -> Option<KeyPlace> {
        let (name, place) = self.values.iter().find(|(name, _)| name.is_key())?;
        Some(KeyPlace { kind: name.as_str(), place: place.clone(), file: self.path.clone() })
    }
}

/// Checks one setting, and takes paths from the file's own folder.
fn setting(path: &Path, given: &str, value: &Value) -> Result<(Name, String), Error> {
    let shown = path.display();
    let Some(name) = NAMES.into_iter().find(|name| name.as_str() == given) else {
        if names_a_secret(given) {
            return Err(secret(path, given));
        }
        let names = NAMES.map(Name::as_str).join(", ");
        let given: String = given.chars().take(40).flat_map(char::escape_debug).collect();
        return Err(Error::Invalid(format!("{shown} sets `{given}`, which means nothing here: it may set {names}")));
    };
    let text = match value {
        Value::String(text) if !text.is_empty() => text,
        _ => {
            let problem = format!("{shown} sets {given} to what is no text: write it as {given} = \"value\"");
            return Err(Error::Invalid(problem));
        }
    };
    if (name.is_key() || name == Name::Vault) && is_key(text) {
        return Err(secret(path, given));
    }
    if name.is_variable() && !is_variable_name(text) {
        return Err(secret(path, given));
    }
    let is_url = text.contains("://");
    if name == Name::Vault && is_url && memoseal::parse_url(text).is_ok_and(|url| url.password().is_some()) {
        return Err(secret(path, given));
    }
    let text = match name {
        Name::Vault if is_url => text.clone(),
        name if name.is_path() || name == Name::Vault => beside(path, text).display().to_string(),
        _ => text.clone(),
    };
    Ok((name, text))
}

/// The refusal of a secret; it does not repeat it.
fn secret(path: &Path, name: &str) -> Error {
    Error::Invalid(format!(
        "{} holds what looks like a secret under `{name}`, and a file of settings never does: take it out, and say where \
         it lies with key_file, key_env, passphrase_file or passphrase_env",
        path.display()
    ))
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "pass", "secret", "token", "credential"].iter().any(|word| name.contains(word))
}

/// Whether this is a raw key, as base64 or in hex.
fn is_key(text: &str) -> bool {
    let text = text.trim();
    let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex || [STANDARD, URL_SAFE].iter().any(|engine| engine.decode(text).is_ok_and(|bytes| bytes.len() == 32))
}

fn is_variable_name(text: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    fn parse(text: &str) -> Result<File, String> {
        File::parse(Path::new("etc/memoseal.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn paths_count_from_the_folder_of_the_file() {
        let file = parse("vault = \"v\"\nkey_file = \"k\"\nuser = \"u\"\n").unwrap();
        assert_eq!(file.get(Name::Vault), Some("etc/v"));
        assert_eq!(file.get(Name::User), Some("u"));
        let key = file.key().unwrap();
        assert_eq!((key.kind, key.place.as_str()), ("key_file", "etc/k"));
        assert_eq!(parse("vault = \"file:///srv/v\"").unwrap().get(Name::Vault), Some("file:///srv/v"));
        assert_eq!(parse("vault = \"/srv/v\"").unwrap().get(Name::Vault), Some("/srv/v"));
        assert!(parse("# nothing\n").unwrap().key().is_none());
    }

    #[test]
    fn a_secret_is_refused_and_not_repeated() {
        let hex = "ab".repeat(32);
        for text in [
            format!("key = \"{KEY}\""),
            "passphrase = \"swordfish\"".to_owned(),
            "api_token = \"swordfish\"".to_owned(),
            format!("key_file = \"{KEY}\""),
            format!("key_env = \"{KEY}\""),
            format!("passphrase_file = \"{hex}\""),
            "passphrase_env = \"swordfish is my word\"".to_owned(),
            "vault = \"https://me:swordfish@example.com/v\"".to_owned(),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains("looks like a secret") && error.contains("key_file"), "{error}");
            assert!(!error.contains("swordfish") && !error.contains(KEY) && !error.contains(&hex), "{error}");
        }
        for text in ["user = swordfish", "passphrase = 'swordfish", "user = \"a\"\nuser = \"swordfish\""] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("is not TOML") && !error.contains("swordfish"), "{error}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (text, expected) in [
            ("user = 7", "to what is no text"),
            ("user = \"\"", "to what is no text"),
            ("usr = \"a\"", "it may set vault, user"),
            ("[user]\nname = \"a\"", "to what is no text"),
            ("key_file = \"a\"\nkey_env = \"B\"", "leave key_file or key_env"),
            ("user = \"a\"\nvault", "line 2 is not TOML"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
