//! What opens a vault, and where it comes from.

use std::{ffi::OsString, fmt, fs, io::Read, path::PathBuf, sync::Arc, time::Duration};

use ::base64::{Engine, engine::general_purpose::STANDARD};
use memoseal_crypto::{Argon2Params, NewSlot, Random, RawKey, Unlock};
use zeroize::Zeroizing;

use crate::{
    Error, Result,
    key_service::{Fresh, KeyService},
};

/// The largest file that a key or passphrase is read from, in bytes.
const MAX_KEY_FILE: u64 = 64 * 1024;

/// What opens a vault.
#[non_exhaustive]
pub enum Key {
    /// The 32 bytes of a raw key.
    Raw(RawKey),
    /// A passphrase. It is used as its UTF-8 bytes are, without normalisation.
    Passphrase(Zeroizing<String>),
    /// A key in a key service, such as AWS KMS.
    Service(Arc<dyn KeyService>),
}

/// One place that a key can come from.
#[non_exhaustive]
pub enum KeySource {
    /// A raw key as base64 (RFC 4648 section 4); what `MEMOSEAL_KEY` holds.
    Key(Zeroizing<String>),
    /// A file with a raw key: text, `#` comments, one line of base64; what `MEMOSEAL_KEY_FILE` names.
    KeyFile(PathBuf),
    /// A passphrase; what `MEMOSEAL_PASSPHRASE` holds.
    Passphrase(Zeroizing<String>),
    /// A file with a passphrase; one newline at its end is not part of it.
    PassphraseFile(PathBuf),
    /// A key in a key service, such as AWS KMS.
    Service(Arc<dyn KeyService>),
}

impl Key {
    /// A raw key.
    pub fn raw(bytes: [u8; 32]) -> Self {
        Self::Raw(RawKey::from_bytes(bytes))
    }

    /// A passphrase.
    pub fn passphrase(passphrase: impl Into<String>) -> Self {
        Self::Passphrase(Zeroizing::new(passphrase.into()))
    }

    /// The key that the environment gives: exactly one of `MEMOSEAL_KEY`, `MEMOSEAL_KEY_FILE` and
    /// `MEMOSEAL_PASSPHRASE`.
    ///
    /// # Errors
    /// [`Error::Key`] if there is none, more than one, or one that cannot be read.
    pub fn from_env() -> Result<Self> {
        Self::from_sources(KeySource::from_lookup(|name| std::env::var_os(name))?)
    }

    /// The key of the one source given.
    ///
    /// # Errors
    /// [`Error::Key`] if there is none, more than one, or one that cannot be read.
    pub fn from_sources(sources: Vec<KeySource>) -> Result<Self> {
        let names: Vec<_> = sources.iter().map(KeySource::name).collect();
        let mut sources = sources.into_iter();
        match (sources.next(), sources.next()) {
            (None, _) => Err(Error::Key(
                "no key was given: set MEMOSEAL_KEY_FILE to the file with the key, or set MEMOSEAL_KEY or \
                 MEMOSEAL_PASSPHRASE"
                    .into(),
            )),
            (Some(source), None) => source.read(),
            (Some(_), Some(_)) => {
                Err(Error::Key(format!("more than one key was given ({}): leave one", names.join(", "))))
            }
        }
    }

    /// A second copy, for who opens a vault with a key and needs it again, to rotate. Not `Clone`, so that no key is
    /// copied unseen.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        match self {
            Self::Raw(key) => Self::raw(*key.expose()),
            Self::Passphrase(passphrase) => Self::Passphrase(passphrase.clone()),
            Self::Service(service) => Self::Service(Arc::clone(service)),
        }
    }

    /// The key, ready, or the service that has to be asked first.
    pub(super) fn ready(self) -> Result<Ready, Arc<dyn KeyService>> {
        match self {
            Self::Raw(key) => Ok(Ready::Raw(key)),
            Self::Passphrase(passphrase) => Ok(Ready::Passphrase(passphrase)),
            Self::Service(service) => Err(service),
        }
    }
}

/// A key for which nobody has to be asked any more: sealing itself asks nobody.
pub(super) enum Ready {
    Raw(RawKey),
    Passphrase(Zeroizing<String>),
    /// A fresh secret that a key service has wrapped, for a slot that is made or renewed.
    Wrapped(Fresh),
}

impl Ready {
    /// To make a slot of it, or to renew one. A key service wraps a fresh secret for that, which is one call.
    pub(super) async fn to_make(key: Key, vault: &[u8; 16], random: &dyn Random, limit: Duration) -> Result<Self> {
        match key.ready() {
            Ok(ready) => Ok(ready),
            Err(service) => Fresh::new(&service, vault, random, limit).await.map(Self::Wrapped),
        }
    }

    /// What opens the slots of this key; that of a service the slot that is made of it.
    pub(super) fn as_unlock(&self) -> Unlock<'_> {
        match self {
            Self::Raw(key) => Unlock::Raw(key),
            Self::Passphrase(passphrase) => Unlock::Passphrase(passphrase.as_bytes()),
            Self::Wrapped(Fresh { wrapped, secret }) => Unlock::Service { wrapped, secret },
        }
    }

    pub(super) fn as_slot(&self) -> NewSlot<'_> {
        match self {
            Self::Raw(key) => NewSlot::Raw(key),
            Self::Passphrase(passphrase) => {
                NewSlot::Passphrase { passphrase: passphrase.as_bytes(), params: Argon2Params::default() }
            }
            Self::Wrapped(Fresh { wrapped, secret }) => NewSlot::Service { wrapped, secret },
        }
    }
}

impl KeySource {
    /// The sources that the variables `MEMOSEAL_KEY`, `MEMOSEAL_KEY_FILE` and `MEMOSEAL_PASSPHRASE` name. An empty
    /// variable is one that is not set.
    ///
    /// # Errors
    /// [`Error::Key`] if the key or the passphrase is not UTF-8.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Vec<Self>> {
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let text = |name: &str| {
            let text = set(name).map(OsString::into_string).transpose();
            text.map(|text| text.map(Zeroizing::new))
                .map_err(|_| Error::Key(format!("{name} is not UTF-8: set it to text, or name a file instead")))
        };
        let key = text("MEMOSEAL_KEY")?.map(Self::Key);
        let file = set("MEMOSEAL_KEY_FILE").map(|path| Self::KeyFile(path.into()));
        let passphrase = text("MEMOSEAL_PASSPHRASE")?.map(Self::Passphrase);
        Ok([key, file, passphrase].into_iter().flatten().collect())
    }

    /// Which source it is, in words without a secret: a variable, a file or a service with its name.
    pub fn name(&self) -> String {
        match self {
            Self::Key(_) => "MEMOSEAL_KEY".into(),
            Self::KeyFile(path) => format!("the key file {}", path.display()),
            Self::Passphrase(_) => "MEMOSEAL_PASSPHRASE".into(),
            Self::PassphraseFile(path) => format!("the passphrase file {}", path.display()),
            Self::Service(service) => format!("the key {}", service.key()),
        }
    }

    fn read(self) -> Result<Key> {
        match self {
            Self::Key(text) => decode(text.trim())
                .ok_or_else(|| Error::Key("MEMOSEAL_KEY is not a key: it has to be 32 bytes in base64".into())),
            Self::KeyFile(path) => {
                let text = read_file("key file", &path)?;
                let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                let key = match (lines.next(), lines.next()) {
                    (Some(line), None) => decode(line),
                    _ => None,
                };
                key.ok_or_else(|| {
                    let path = path.display();
                    Error::Key(format!(
                        "{path} is not a key file: besides # comments it has to hold one line, 32 bytes in base64"
                    ))
                })
            }
            Self::Passphrase(text) => passphrase(text),
            Self::PassphraseFile(path) => {
                let text = read_file("passphrase file", &path)?;
                let line =
                    text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
                passphrase(Zeroizing::new(line.to_owned()))
            }
            Self::Service(service) => Ok(Key::Service(service)),
        }
    }
}

fn decode(text: &str) -> Option<Key> {
    let bytes = Zeroizing::new(STANDARD.decode(text).ok()?);
    let key = Zeroizing::new(<[u8; 32]>::try_from(bytes.as_slice()).ok()?);
    Some(Key::raw(*key))
}

fn passphrase(text: Zeroizing<String>) -> Result<Key> {
    if text.is_empty() {
        Err(Error::Key("the passphrase is empty: give the one that the vault was made with".into()))
    } else {
        Ok(Key::Passphrase(text))
    }
}

fn read_file(what: &str, path: &std::path::Path) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = fs::File::open(path).and_then(|file| file.take(MAX_KEY_FILE + 1).read_to_string(&mut text));
    match read {
        Ok(len) if len as u64 <= MAX_KEY_FILE => Ok(text),
        Ok(_) => Err(Error::Key(format!(
            "the {what} {} is larger than any: name one that `memoseal init --generate-key` made",
            path.display()
        ))),
        Err(error) => Err(Error::Key(format!(
            "cannot read the {what} {}: {error}: name a file that you may read",
            path.display()
        ))),
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raw(_) => "Key::Raw(..)",
            Self::Passphrase(_) => "Key::Passphrase(..)",
            Self::Service(_) => "Key::Service(..)",
        })
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySource({})", self.name())
    }
}
