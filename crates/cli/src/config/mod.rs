//! What is in force: the command line wins over the environment, that over a file, and that over what is built in.

mod file;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, parser::ValueSource};
use memoseal::{Error, KeySource};
use zeroize::Zeroizing;

use self::file::{File, Name};
use crate::args::Common;

/// What the files say, and where every value comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The files that were found, the one that wins first.
    pub(crate) files: Vec<PathBuf>,
    /// Every setting but the key, in the order in which people read them.
    pub(crate) settings: Vec<Setting>,
    /// Where a file says that the key comes from.
    pub(crate) key: Option<KeyPlace>,
}

/// One setting that is in force.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) value: Option<String>,
    pub(crate) origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Option(&'static str),
    Variable(&'static str),
    File(PathBuf),
    BuiltIn,
    /// Nobody has given one.
    Nowhere,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(name) | Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::BuiltIn => f.write_str("built in"),
            Self::Nowhere => f.write_str("not set"),
        }
    }
}

/// Where a key comes from, as a file says it. Never a key.
#[derive(Clone, Debug)]
pub(crate) struct KeyPlace {
    /// As the file calls it: `key_file`, `key_env`, `passphrase_file`, `passphrase_env` or `kms`.
    pub(crate) kind: &'static str,
    /// A path, the name of a variable, or an ARN.
    pub(crate) place: String,
    /// The file that says so.
    pub(crate) file: PathBuf,
}

impl Config {
    /// Reads the files that there are, and puts into `common` what the command line and the environment leave open.
    pub(crate) fn read(common: &mut Common, matches: &ArgMatches) -> Result<(), Error> {
        let mut files = Vec::new();
        for path in places(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)) {
            files.extend(File::read(&path)?);
        }
        let find = |name: Name| files.iter().find_map(|file| Some((file.get(name)?, file.path())));
        let mut settings = Vec::new();
        let mut settle = |name: Name, id: &str, variable: &'static str, value: &mut Option<String>| {
            let given = match matches.value_source(id) {
                Some(ValueSource::CommandLine) => Some(Origin::Option(name.option())),
                // An empty variable is one that is not set.
                Some(ValueSource::EnvVariable) if value.as_deref() != Some("") => Some(Origin::Variable(variable)),
                _ => None,
            };
            let origin = match (given, find(name)) {
                (Some(origin), _) => origin,
                (None, Some((found, file))) => {
                    *value = Some(found.to_owned());
                    Origin::File(file.to_owned())
                }
                (None, None) if value.is_some() => Origin::BuiltIn,
                (None, None) => Origin::Nowhere,
            };
            settings.push(Setting { name: name.as_str(), value: value.clone(), origin });
        };
        settle(Name::Vault, "vault", "MEMOSEAL_VAULT", &mut common.vault);
        for (name, id, variable, value) in [
            (Name::User, "user", "MEMOSEAL_USER", &mut common.user),
            (Name::Store, "store", "MEMOSEAL_STORE", &mut common.store),
            (Name::Actor, "actor", "MEMOSEAL_ACTOR", &mut common.actor),
        ] {
            let mut found = Some(value.clone());
            settle(name, id, variable, &mut found);
            *value = found.unwrap_or_default();
        }
        #[cfg(feature = "scrub")]
        settle(Name::Rules, "rules", "MEMOSEAL_RULES", &mut common.rules);
        #[cfg(not(feature = "scrub"))]
        if let Some((_, file)) = find(Name::Rules) {
            let file = file.display();
            let problem =
                format!("{file} names rules, and this program has no scrubber: build it with its feature `scrub`");
            return Err(Error::Invalid(problem));
        }
        let key = files.iter().find_map(File::key);
        let files = files.iter().map(|file| file.path().to_owned()).collect();
        common.config = Self { files, settings, key };
        Ok(())
    }
}

impl KeyPlace {
    /// The key source that is meant, where it is not one in KMS.
    pub(crate) fn source(&self) -> Result<KeySource, Error> {
        let text = |name: &str| {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty());
            value.map(Zeroizing::new).ok_or_else(|| {
                let (kind, file) = (self.kind, self.file.display());
                Error::Key(format!("no key: {kind} in {file} names the variable {name}, which is not set: set it"))
            })
        };
        Ok(match self.kind {
            "key_file" => KeySource::KeyFile(self.place.clone().into()),
            "passphrase_file" => KeySource::PassphraseFile(self.place.clone().into()),
            "key_env" => KeySource::Key(text(&self.place)?),
            _ => KeySource::Passphrase(text(&self.place)?),
        })
    }
}

/// Where a file may lie, the one that wins first: this folder, then the user's configuration folder.
fn places(folder: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let own = folder("XDG_CONFIG_HOME")
        .or_else(|| folder("APPDATA").filter(|_| cfg!(windows)))
        .or_else(|| folder("HOME").map(|home| home.join(".config")));
    let mut places = vec![PathBuf::from(file::NAME)];
    places.extend(own.map(|own| own.join("memoseal").join(file::NAME)));
    places
}

/// A path of a file's setting, which counts from the folder that the file lies in.
fn beside(file: &Path, value: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(value)
}
