//! The command line: what stands before and after every verb here, the verbs in a file each family.

#[cfg(feature = "conformance")]
mod conformance;
mod files;
mod folders;
mod program;
mod reach;
#[cfg(feature = "scrub")]
mod scrub;
mod vault;
mod versions;

use std::path::PathBuf;

use clap::{ArgMatches, Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use tracing_subscriber::filter::LevelFilter;

#[cfg(feature = "conformance")]
pub(crate) use self::conformance::Conformance;
#[cfg(feature = "scrub")]
pub(crate) use self::scrub::{Only, PolicyArgs, PolicyLevel, Scrub};
pub(crate) use self::{
    files::{Cat, Ls, Mv, Put, Rm, Search, Tool},
    folders::{Clear, Export, Import},
    program::Completions,
    reach::Reach,
    vault::{
        Copy, DestroyStore, DestroyUser, Destroying, Doctor, Init, Maintain, Rotate, SlotAdd, SlotRemove, SlotVerb,
        Verify,
    },
    versions::{Diff, History, Redact, Restore, RetentionArgs, Show},
};
use crate::{config::Config, interrupt::Interrupt};

const ABOUT: &str = "Memory of Claude agents in your own bucket, sealed";

const EXAMPLES: &str = "\
Examples:
  memoseal init --vault /srv/memory --generate-key memory.key
  export MEMOSEAL_VAULT=/srv/memory MEMOSEAL_KEY_FILE=memory.key
  echo '{\"command\":\"view\",\"path\":\"/memories\"}' | memoseal tool --user alice
  memoseal put notes/today.md today.md --user alice
  memoseal ls -l --user alice
  memoseal history notes/today.md --user alice
  memoseal verify --read-data

An option wins over a variable, and both over memoseal.toml, first the one in this folder, then the
one in your configuration folder; see `memoseal config --help`.

Exit codes:
  0    done
  1    damage, a rollback or a newer format was found, or what was looked for was:
       a finding of scrub --check, a case of conformance that failed, a danger of doctor
  2    wrong usage, refused or declined, or a file that was named cannot be read;
       nothing was changed
  3    no key, more than one, a wrong key, or refused credentials
  4    the vault, or what was asked for in it, does not exist
  5    the backend failed and nothing was changed; or a file could not be written,
       or stdin or stdout failed
  6    it is not known whether a change was saved
  7    done, but for what is listed
  130  stopped by Ctrl-C; what was done until then is told (0 of maintain --every, which ends so)";

#[derive(Debug, Parser)]
#[command(name = "memoseal", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten, next_help_heading = "Global options")]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Args {
    /// Reads the command line, and keeps where each value came from.
    pub(crate) fn read() -> Result<(Self, ArgMatches), clap::Error> {
        let matches = Self::command().try_get_matches()?;
        let args = Self::from_arg_matches(&matches)?;
        Ok((args, matches))
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Common {
    /// The vault: a URL such as file:///srv/memory, or a path
    #[arg(long, global = true, env = "MEMOSEAL_VAULT", value_name = "URL")]
    pub(crate) vault: Option<String>,
    /// Whose memory
    #[arg(long, global = true, env = "MEMOSEAL_USER", default_value = "default", value_name = "NAME")]
    pub(crate) user: String,
    /// Which store of that user
    #[arg(long, global = true, env = "MEMOSEAL_STORE", default_value = "default", value_name = "NAME")]
    pub(crate) store: String,
    /// Who is named in the log for what is changed
    #[arg(long, global = true, env = "MEMOSEAL_ACTOR", default_value = "memoseal", value_name = "NAME")]
    pub(crate) actor: String,
    /// A file with the vault's raw key, or MEMOSEAL_KEY_FILE; MEMOSEAL_KEY holds the key itself, as base64
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// A file with the vault's passphrase; MEMOSEAL_PASSPHRASE holds the passphrase itself
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// A key in AWS KMS that opens the vault, by its ARN, or MEMOSEAL_KMS
    #[arg(long, global = true, value_name = "ARN")]
    pub(crate) kms: Option<String>,
    /// Rules of your own for what is taken out of what is written, in the format of gitleaks' configuration, beside those
    /// that come with the program
    #[cfg(feature = "scrub")]
    #[arg(long, global = true, env = "MEMOSEAL_RULES", value_name = "FILE")]
    pub(crate) rules: Option<String>,
    /// Accept a store as it is, even if older than this machine has seen: after restoring a backup. `verify` does it
    /// for the whole vault
    #[arg(long, global = true)]
    pub(crate) accept_rollback: bool,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Lowest level of log messages on stderr
    #[arg(long, global = true, value_enum, default_value_t = LogLevel::Warn, value_name = "LEVEL")]
    pub(crate) log_level: LogLevel,
    /// What is in force besides the command line, and from where
    #[arg(skip)]
    pub(crate) config: Config,
    /// Whether somebody has pressed Ctrl-C
    #[arg(skip)]
    pub(crate) interrupt: Interrupt,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    pub(crate) fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a vault in a new or empty folder
    Init(Init),
    /// Serve Claude's memory tool: JSON lines in, JSON lines out
    Tool(Tool),
    /// Print a file's bytes
    Cat(Cat),
    /// Write a file (text or image), replacing any existing one
    Put(Put),
    /// List a directory
    Ls(Ls),
    /// Delete files and directories
    Rm(Rm),
    /// Move or rename a file or a directory
    Mv(Mv),
    /// Find the lines that hold a text
    Search(Search),
    /// Take a folder of plain files into a store
    Import(Import),
    /// Write the files of a store to a folder, as plain files
    Export(Export),
    /// Delete every file of a store
    Clear(Clear),
    /// List versions, newest first: who changed what, and when
    History(History),
    /// Print the bytes of a version
    Show(Show),
    /// Compare two versions of a text, or one with what the file holds now
    Diff(Diff),
    /// Bring back an earlier version of a file, or a file that was deleted
    Restore(Restore),
    /// Remove what versions held, for good: path and content; who changed what, and when, stays
    Redact(Redact),
    /// Tell or set how long a store keeps versions that were replaced
    Retention(RetentionArgs),
    /// Tell or set what is taken out of what is written to a store: secrets, personal data
    #[cfg(feature = "scrub")]
    Policy(PolicyArgs),
    /// Remove what is too old, look whether what was removed is gone, and write what is due
    Maintain(Maintain),
    /// Show users, stores and sizes, without content
    #[command(after_help = "Examples:\n  memoseal info\n  memoseal info --json")]
    Info,
    /// Name the users of the vault
    #[command(after_help = "Examples:\n  memoseal users\n  memoseal users --json")]
    Users,
    /// Name the stores of the user
    #[command(after_help = "Example:\n  memoseal stores --user alice")]
    Stores,
    /// Destroy a user: the key, and every store of it
    DestroyUser(DestroyUser),
    /// Destroy one store of the user
    DestroyStore(DestroyStore),
    /// Copy a vault, sealed as it is, to an empty place or an older copy of it
    Copy(Copy),
    /// Check that the vault holds what was written: walk every log, open every section
    Verify(Verify),
    /// Look whether a place can hold a vault, and what endangers it there
    Doctor(Doctor),
    /// List, add and remove the keys and passphrases that open the vault
    #[command(
        subcommand,
        after_help = "\
Examples:
  memoseal slot list
  memoseal slot add --generate-key second.key
  memoseal slot remove 1f0c9e2b7a64d835"
    )]
    Slot(SlotVerb),
    /// Give the vault a new key, and seal every user's keyring anew under it
    Rotate(Rotate),
    /// Try out whether a place is fit for a vault: run the whole suite of tests on it
    #[cfg(feature = "conformance")]
    Conformance(Conformance),
    /// Take secrets and personal data out of a text: a filter that needs no vault
    #[cfg(feature = "scrub")]
    Scrub(Scrub),
    /// Show which settings are in force, and where each comes from
    #[command(after_help = "\
A file memoseal.toml holds settings, one a line, such as `vault = \"/srv/memory\"`:
  vault            a URL or a path
  user, store      whose memory, and which
  actor            who is named in the log
  rules            a file with rules of your own for what is taken out of what is written
and where the key comes from, one of
  key_file         a file with the raw key
  key_env          the name of an environment variable that holds the raw key, as base64
  passphrase_file  a file with the passphrase
  passphrase_env   the name of an environment variable that holds the passphrase
  kms              the ARN of a key in AWS KMS
It never holds a key or a passphrase itself. Paths in it count from the folder that it lies in.

An option wins over a variable (MEMOSEAL_VAULT, MEMOSEAL_USER, MEMOSEAL_STORE, MEMOSEAL_ACTOR,
MEMOSEAL_RULES), a variable over ./memoseal.toml, and that over memoseal.toml in your configuration folder
($XDG_CONFIG_HOME/memoseal, or ~/.config/memoseal; %APPDATA%\\memoseal on Windows).

Examples:
  memoseal config
  memoseal config --json")]
    Config,
    /// Write the completion script for a shell
    Completions(Completions),
    /// Tell the version of the program, and which storage it can use
    #[command(after_help = "Examples:\n  memoseal version\n  memoseal version --json")]
    Version,
    /// Show what memoseal does, in a vault of its own that is thrown away afterwards
    #[command(after_help = "Example:\n  memoseal demo")]
    Demo,
}

impl Verb {
    /// What the verb does, for an error that says what was tried.
    pub(crate) fn doing(&self) -> String {
        match self {
            Self::Init(_) => "making a vault".into(),
            Self::Tool(_) => "serving the memory tool".into(),
            Self::Cat(verb) => format!("reading {}", verb.path),
            Self::Put(verb) => format!("writing {}", verb.path),
            Self::Ls(verb) => format!("listing {}", verb.path),
            Self::Rm(verb) => format!("deleting {}", verb.paths.join(", ")),
            Self::Mv(verb) => format!("moving {} to {}", verb.old_path, verb.new_path),
            Self::Search(verb) => format!("searching {}", verb.path),
            Self::Import(verb) => format!("importing {}", verb.folder.display()),
            Self::Export(verb) => format!("exporting to {}", verb.folder.display()),
            Self::Clear(_) => "clearing the store".into(),
            Self::History(_) => "reading the history".into(),
            Self::Show(verb) => format!("showing version {}", verb.version),
            Self::Diff(_) => "comparing versions".into(),
            Self::Restore(verb) => match (&verb.path, verb.version) {
                (Some(path), _) => format!("restoring {path}"),
                (None, Some(version)) => format!("restoring version {version}"),
                (None, None) => "restoring".into(),
            },
            Self::Redact(_) => "redacting".into(),
            Self::Retention(_) => "looking at the retention".into(),
            Self::Maintain(_) => "maintaining".into(),
            Self::Info => "looking at the vault".into(),
            Self::Users => "naming users".into(),
            Self::Stores => "naming stores".into(),
            Self::DestroyUser(verb) => format!("destroying user {}", verb.name),
            Self::DestroyStore(verb) => format!("destroying store {}", verb.name),
            Self::Copy(verb) => format!("copying {} to {}", verb.from, verb.to),
            Self::Verify(_) => "verifying".into(),
            Self::Doctor(_) => "looking at the place".into(),
            Self::Slot(_) => "working on slots".into(),
            Self::Rotate(_) => "rotating the vault key".into(),
            #[cfg(feature = "conformance")]
            Self::Conformance(_) => "trying out the storage".into(),
            #[cfg(feature = "scrub")]
            Self::Scrub(_) => "scrubbing".into(),
            #[cfg(feature = "scrub")]
            Self::Policy(_) => "looking at the policy".into(),
            Self::Config => "reading the settings".into(),
            Self::Completions(_) => "writing completions".into(),
            Self::Version => "telling the version".into(),
            Self::Demo => "showing the demo".into(),
        }
    }
}
