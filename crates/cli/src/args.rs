//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use memoseal::{Retention, VersionId};
use tracing_subscriber::filter::LevelFilter;

const ABOUT: &str = "Memory of Claude agents in your own bucket, sealed";

const EXAMPLES: &str = "\
Examples:
  memoseal init --vault /srv/memory --generate-key memory.key
  export MEMOSEAL_VAULT=/srv/memory MEMOSEAL_KEY_FILE=memory.key
  echo '{\"command\":\"view\",\"path\":\"/memories\"}' | memoseal tool --user alice
  memoseal put notes/today.md today.md --user alice
  memoseal ls --user alice
  memoseal history notes/today.md --user alice
  memoseal verify --read-data

Exit codes:
  0  done
  1  damage, a rollback or a newer format was found
  2  wrong usage, refused or declined; nothing was changed
  3  no key, more than one, a wrong key, or refused credentials
  4  the vault, or what was asked for in it, does not exist
  5  the backend failed and nothing was changed, or stdin or stdout failed
  6  it is not known whether a change was saved";

#[derive(Debug, Parser)]
#[command(name = "memoseal", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten, next_help_heading = "Global options")]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
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
    #[arg(long, global = true, default_value = "default", value_name = "NAME")]
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
    #[command(after_help = "\
Examples:
  memoseal init --vault /srv/memory --generate-key memory.key
  MEMOSEAL_PASSPHRASE=… memoseal init --vault file:///srv/memory")]
    Init(Init),
    /// Serve Claude's memory tool: JSON lines in, JSON lines out
    #[command(after_help = "\
Each line of the input is one of
  {\"command\":…}                    the bare input of a call; answered by {\"content\":…}
  {\"type\":\"tool_use\",\"id\":…,…}     a whole block; answered by a tool_result block
  [ …, … ]                         the calls of one turn, either way; answered by an array, in order
and is answered by one line, flushed. What was answered is saved. A line that cannot be read (not
JSON, not UTF-8, over 32 MiB) is answered by an error, and the stream goes on.

Example:
  echo '{\"command\":\"create\",\"path\":\"/memories/a.md\",\"file_text\":\"hi\"}' | memoseal tool")]
    Tool(Tool),
    /// Print a file's bytes
    #[command(after_help = "Example:\n  memoseal cat /memories/notes/today.md\n  memoseal cat notes/today.md")]
    Cat(Cat),
    /// Write a file (text or image), replacing any existing one
    #[command(after_help = "\
Examples:
  memoseal put notes/today.md today.md
  memoseal put sketch.png ./sketch.png
  date | memoseal put now.txt -")]
    Put(Put),
    /// List a directory
    #[command(after_help = "Examples:\n  memoseal ls\n  memoseal ls notes\n  memoseal ls --recursive --json")]
    Ls(Ls),
    /// List versions, newest first: who changed what, and when
    #[command(after_help = "\
Without PATH, versions of the whole store; with it, of the file that stands there, or was the
last to be deleted there, under all the names that it had. The last line says how to see older
ones.

Examples:
  memoseal history
  memoseal history notes/today.md --limit 5
  memoseal history --since 7d
  memoseal history --audit --limit 100000
  memoseal history --since 2026-01-31 --json")]
    History(History),
    /// Print the bytes of a version
    #[command(after_help = "Example:\n  memoseal show 12.0")]
    Show(Show),
    /// Compare two versions of a text, or one with what the file holds now
    #[command(after_help = "\
Prints a unified diff; nothing if the two are the same. Exits with 0 either way.

Examples:
  memoseal diff 12.0
  memoseal diff 12.0 17.3")]
    Diff(Diff),
    /// Bring back an earlier version of a file, or a file that was deleted
    #[command(after_help = "\
The file is again what it was in that version, under the path that it had then, as a new
version: nothing is lost. Without --version, the last change is undone: an edit, a rename or a
deletion. In place of a file that was deleted comes a new one, whose history begins there.

Examples:
  memoseal restore notes/today.md --dry-run
  memoseal restore notes/today.md --version 12.0
  memoseal restore --version 12.0 --to notes/as-it-was.md")]
    Restore(Restore),
    /// Remove what versions held, for good: path and content; who changed what, and when, stays
    #[command(after_help = "\
What a file holds now cannot be redacted: write or delete it first. A rename shares the content
of the version before it, so that both have to be redacted; what is still shared is told. It
cannot reach bucket versions, backups, and whoever has read it. Run `memoseal maintain` now and
then: it looks whether what was redacted is really gone.

Examples:
  memoseal redact 12.0 17.3 --dry-run
  memoseal redact 12.0 --yes")]
    Redact(Redact),
    /// Tell or set how long a store keeps versions that were replaced
    #[command(after_help = "\
What is older loses path and content with the next maintenance, by the store's own clock. With
0, all that was replaced goes at the next maintenance.

Examples:
  memoseal retention
  memoseal retention 90
  memoseal retention forever")]
    Retention(RetentionArgs),
    /// Remove what is too old, look whether what was removed is gone, and write what is due
    #[command(after_help = "\
Without --only-store, of all stores of all users. May be run at any time, by any number of
processes; once a day is often enough.

With --expire-unused, files go that were neither read nor written for so long. A reading is known
once the process that read has changed something, or maintained; one that only reads is not.

Examples:
  memoseal maintain
  memoseal maintain --every 1h
  memoseal maintain --expire-unused 180 --dry-run
  memoseal maintain --only-store --user alice")]
    Maintain(Maintain),
    /// Show users, stores and sizes, without content
    Info,
    /// Name the users of the vault
    Users,
    /// Name the stores of the user
    #[command(after_help = "Example:\n  memoseal stores --user alice")]
    Stores,
    /// Check that the vault holds what was written: walk every log, open every section
    #[command(
        after_help = "Exits with 1 if anything is not as it should be.\n\nExample:\n  memoseal verify --read-data"
    )]
    Verify(Verify),
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
    #[command(after_help = "\
The key that opens the vault stays as it is, as do those given with --also-…: their slots get
the new vault key. A slot whose key is not given cannot be carried over; rotate refuses, or
drops it with --drop-others.

Whoever had the old vault key keeps what they could already read. Bucket versions, backups and
copies keep old headers and keyrings, which old keys still open; users keep their keys, so such
a copy also opens what they write from now on.

Examples:
  memoseal rotate
  memoseal rotate --also-key-file second.key --also-passphrase-file pass.txt
  memoseal rotate --drop-others --dry-run")]
    Rotate(Rotate),
    /// Show what memoseal does, in a vault of its own that is thrown away afterwards
    Demo,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Init {
    /// Make a raw key and write it to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) generate_key: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tool {
    /// Refuse every change
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Cat {
    /// The file, as the tool writes it; /memories/ may be left out
    pub(crate) path: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Put {
    /// Where it goes, as the tool writes it; /memories/ may be left out
    pub(crate) path: String,
    /// The file to read; - is stdin
    pub(crate) file: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ls {
    /// The directory, as the tool writes it; /memories/ may be left out
    #[arg(default_value = "/memories")]
    pub(crate) path: String,
    /// List every file below it
    #[arg(long, short)]
    pub(crate) recursive: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct History {
    /// The file, as the tool writes it; /memories/ may be left out
    pub(crate) path: Option<String>,
    /// Only what was changed since: a time (2026-01-31T12:00:00Z), a date in UTC, or an age (90min, 7d)
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// At most so many versions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Only what came before this version
    #[arg(long, value_name = "VERSION")]
    pub(crate) before: Option<VersionId>,
    /// Only who, when and what was done to which memory, without paths and sizes: of a long history, read in few requests
    #[arg(long)]
    pub(crate) audit: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    /// The version, as `history` writes it
    pub(crate) version: VersionId,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// The version to compare
    #[arg(value_name = "V1")]
    pub(crate) from: VersionId,
    /// The version to compare it with; what the file holds now if left out
    #[arg(value_name = "V2")]
    pub(crate) to: Option<VersionId>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Restore {
    /// The file, as the tool writes it; /memories/ may be left out
    #[arg(required_unless_present = "version")]
    pub(crate) path: Option<String>,
    /// The version to bring back, as `history` writes it; the one before the last change if left out
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<VersionId>,
    /// Where to, if not to the path of that version; what stands elsewhere stays there
    #[arg(long, value_name = "PATH")]
    pub(crate) to: Option<String>,
    /// Tell what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Redact {
    /// The versions, as `history` writes them
    #[arg(required = true, value_name = "VERSION")]
    pub(crate) versions: Vec<VersionId>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RetentionArgs {
    /// A number of days, 0, or forever; without it, what is set is told
    #[arg(value_name = "DAYS", value_parser = retention)]
    pub(crate) keep: Option<Retention>,
}

fn retention(text: &str) -> Result<Retention, String> {
    if text == "forever" {
        return Ok(Retention::Forever);
    }
    text.parse().map(Retention::Days).map_err(|_| "give a number of days, 0, or forever".to_owned())
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Maintain {
    /// Only the store that --user and --store name
    #[arg(long)]
    pub(crate) only_store: bool,
    /// Do it again and again, this long after each run (90s, 30min, 1h), until Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = every)]
    pub(crate) every: Option<Duration>,
    /// Delete files that nobody has read or written for so many days; they can be restored like others
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expire_unused: Option<u32>,
    /// Only tell which files --expire-unused would delete
    #[arg(long, requires = "expire_unused", conflicts_with = "every")]
    pub(crate) dry_run: bool,
}

fn every(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time such as 90s, 30min or 1h, at least a second".to_owned();
    let time: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    Duration::try_from(time).ok().filter(|time| *time >= Duration::from_secs(1)).ok_or_else(wrong)
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Open every content too, and compare it with its hash
    #[arg(long)]
    pub(crate) read_data: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SlotVerb {
    /// List the slots: id, type, and which of them this key opens
    #[command(after_help = "Examples:\n  memoseal slot list\n  memoseal slot list --json")]
    List,
    /// Let another key or passphrase open the vault; without an option, a passphrase is asked for
    #[command(after_help = "\
Examples:
  memoseal slot add --generate-key second.key
  memoseal slot add --new-passphrase-file pass.txt
  memoseal slot add --new-key-file second.key")]
    Add(SlotAdd),
    /// Remove a slot, so that its key no longer opens the vault
    #[command(after_help = "\
Whoever had the key keeps what they could already read, and it opens old headers in bucket
versions and backups: `memoseal rotate` gives the vault a new key.

Examples:
  memoseal slot remove 1f0c9e2b7a64d835 --dry-run
  memoseal slot remove 1f0c9e2b7a64d835 --yes")]
    Remove(SlotRemove),
}

#[derive(Debug, ClapArgs)]
#[group(multiple = false)]
pub(crate) struct SlotAdd {
    /// Make a raw key and write it to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) generate_key: Option<PathBuf>,
    /// A file with a raw key
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: Option<PathBuf>,
    /// A file with a passphrase
    #[arg(long, value_name = "FILE")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SlotRemove {
    /// The slot, as `memoseal slot list` names it
    pub(crate) id: String,
    /// Remove it even if it is that of the key in use
    #[arg(long)]
    pub(crate) own: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rotate {
    /// A file with the raw key of another slot that stays; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) also_key_file: Vec<PathBuf>,
    /// A file with the passphrase of another slot that stays; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) also_passphrase_file: Vec<PathBuf>,
    /// Drop the slots whose keys are not given
    #[arg(long)]
    pub(crate) drop_others: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}
