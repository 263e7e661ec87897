//! Where the key comes from: one of the options and variables, or a prompt.

use std::{io::IsTerminal, path::PathBuf};

use memoseal::{Error, Key, KeySource};
use zeroize::Zeroizing;

use crate::{args::Common, output};

/// Whether a passphrase may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// Once, to open a vault.
    Once,
    /// Twice, to make one.
    Twice,
    /// Not at all: stdin is not for people.
    Never,
}

/// The key that was given.
pub(crate) fn key(common: &Common, prompt: Prompt) -> Result<Key, Error> {
    let sources = sources(common)?;
    if sources.is_empty() && prompt != Prompt::Never && std::io::stdin().is_terminal() {
        return ask("Passphrase: ", prompt);
    }
    if sources.is_empty() {
        return Err(Error::Key(missing(prompt).into()));
    }
    Key::from_sources(sources)
}

/// That there is no key, and all the ways to give one.
fn missing(prompt: Prompt) -> &'static str {
    match prompt {
        Prompt::Twice => {
            "no key was given: give --generate-key FILE to make one, or name one that there is: --key-file FILE, \
             --passphrase-file FILE or --kms ARN, a variable (MEMOSEAL_KEY, MEMOSEAL_KEY_FILE, MEMOSEAL_PASSPHRASE, \
             MEMOSEAL_KMS), or memoseal.toml"
        }
        Prompt::Once | Prompt::Never => {
            "no key was given: give --key-file FILE, --passphrase-file FILE or --kms ARN, set a variable (MEMOSEAL_KEY, \
             MEMOSEAL_KEY_FILE, MEMOSEAL_PASSPHRASE, MEMOSEAL_KMS), or name it in memoseal.toml"
        }
    }
}

/// Why what opens a vault is no memory.
pub(crate) const STAYS_OUTSIDE: &str = "what opens the vault is not kept in it";

/// The files that the key, or the passphrase, is read from.
pub(crate) fn files(common: &Common) -> Result<Vec<PathBuf>, Error> {
    let file = |source| match source {
        KeySource::KeyFile(file) | KeySource::PassphraseFile(file) => Some(file),
        _ => None,
    };
    Ok(sources(common)?.into_iter().filter_map(file).collect())
}

/// The key of a new slot: what was given, or a passphrase that is asked for twice.
pub(crate) fn new_key(given: Option<KeySource>) -> Result<Key, Error> {
    match given {
        Some(source) => Key::from_sources(vec![source]),
        None if std::io::stdin().is_terminal() => ask("New passphrase: ", Prompt::Twice),
        None => Err(Error::Key(
            "no new key was given: give --generate-key FILE, --new-key-file FILE, --new-passphrase-file FILE or --new-kms ARN".into(),
        )),
    }
}

/// Every key that was given; where none was, the one that a file of settings names.
pub(crate) fn sources(common: &Common) -> Result<Vec<KeySource>, Error> {
    let given = given(common)?;
    match &common.config.key {
        Some(place) if given.is_empty() && place.kind == "kms" => Ok(vec![kms(common, &place.place)?]),
        Some(place) if given.is_empty() => Ok(vec![place.source()?]),
        _ => Ok(given),
    }
}

/// Every key that was given by option or variable.
pub(crate) fn given(common: &Common) -> Result<Vec<KeySource>, Error> {
    // The option --key-file and the variable MEMOSEAL_KEY_FILE are one source; the option wins.
    let lookup = |name: &str| match &common.key_file {
        Some(path) if name == "MEMOSEAL_KEY_FILE" => Some(path.clone().into_os_string()),
        _ => std::env::var_os(name),
    };
    let mut sources = KeySource::from_lookup(lookup)?;
    sources.extend(common.passphrase_file.clone().map(KeySource::PassphraseFile));
    if let Some(arn) = kms_given(common) {
        sources.push(kms(common, &arn)?);
    }
    Ok(sources)
}

/// The KMS key that was given by option or variable; the option wins.
pub(crate) fn kms_given(common: &Common) -> Option<String> {
    let variable = || std::env::var("MEMOSEAL_KMS").ok();
    let given = |arn: &String| !arn.is_empty();
    common.kms.clone().filter(given).or_else(variable).filter(given)
}

/// A key in KMS for the vault that was named.
pub(crate) fn kms(common: &Common, arn: &str) -> Result<KeySource, Error> {
    Ok(KeySource::Service(memoseal::kms(arn, output::vault_url(common)?)?))
}

fn ask(text: &str, prompt: Prompt) -> Result<Key, Error> {
    let read = |text: &str| {
        rpassword::prompt_password(text)
            .map(Zeroizing::new)
            .map_err(|error| Error::Key(format!("cannot read the passphrase: {error}: give --passphrase-file FILE")))
    };
    let passphrase = read(text)?;
    if passphrase.is_empty() {
        return Err(Error::Key("the passphrase is empty: type one".into()));
    }
    if prompt == Prompt::Twice && *read("Again: ")? != *passphrase {
        return Err(Error::Key("the two passphrases differ: nothing was made: try again".into()));
    }
    Ok(Key::Passphrase(passphrase))
}
