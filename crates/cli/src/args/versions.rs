//! The verbs that go back in time.

use clap::Args as ClapArgs;
use memoseal::{MemoryId, Retention, VersionId};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without PATH, versions of the whole store; with it, of the file that stands there, or was the
last to be deleted there, under all the names that it had; with --memory, of the one that has this
id, as `history --json` shows it. The last line says how to see older ones.

Examples:
  memoseal history
  memoseal history notes/today.md --limit 5
  memoseal history --since 7d
  memoseal history --audit --limit 100000
  memoseal history --findings
  memoseal history --since 2026-01-31 --json")]
pub(crate) struct History {
    /// The file, as the tool writes it; /memories/ may be left out
    pub(crate) path: Option<String>,
    /// The memory with this id instead, wherever it stands or stood
    #[arg(long, value_name = "ID", conflicts_with = "path")]
    pub(crate) memory: Option<MemoryId>,
    /// Only what was changed since: a time (2026-01-31T12:00:00Z), a date in UTC, or an age (90min, 7d)
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// At most so many versions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = limit)]
    pub(crate) limit: u64,
    /// Only what came before this version
    #[arg(long, value_name = "VERSION")]
    pub(crate) before: Option<VersionId>,
    /// Only who, when and what was done to which memory, without paths and sizes: of a long history, read in few requests
    #[arg(long)]
    pub(crate) audit: bool,
    /// Only versions from which something was taken out before they were saved, and what kind of thing it was
    #[arg(long)]
    pub(crate) findings: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  memoseal show 12.0")]
pub(crate) struct Show {
    /// The version, as `history` writes it
    pub(crate) version: VersionId,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Prints a unified diff; nothing if the two are the same. Exits with 0 either way.

Examples:
  memoseal diff 12.0
  memoseal diff 12.0 17.3")]
pub(crate) struct Diff {
    /// The version to compare
    #[arg(value_name = "V1")]
    pub(crate) from: VersionId,
    /// The version to compare it with; what the file holds now if left out
    #[arg(value_name = "V2")]
    pub(crate) to: Option<VersionId>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The file is again what it was in that version, under the path that it had then, as a new
version: nothing is lost. Without --version, the last change is undone: an edit, a rename or a
deletion. In place of a file that was deleted comes a new one, whose history begins there.

Examples:
  memoseal restore notes/today.md --dry-run
  memoseal restore notes/today.md --version 12.0
  memoseal restore --version 12.0 --to notes/as-it-was.md")]
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
#[command(after_help = "\
What a file holds now cannot be redacted: write or delete it first. A rename shares the content
of the version before it, so that both have to be redacted; what is still shared is told. It
cannot reach bucket versions, backups, and whoever has read it. Run `memoseal maintain` now and
then: it looks whether what was redacted is really gone.

Examples:
  memoseal redact 12.0 17.3 --dry-run
  memoseal redact 12.0 --yes")]
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
#[command(after_help = "\
What is older loses path and content with the next maintenance, by the store's own clock. With
0, what is replaced from now on goes within a minute, or before the program that replaced it ends,
and what was replaced before goes with the next maintenance.

Examples:
  memoseal retention
  memoseal retention 90
  memoseal retention forever")]
pub(crate) struct RetentionArgs {
    /// A number of days, 0, or forever; without it, what is set is told
    #[arg(value_name = "DAYS", value_parser = retention)]
    pub(crate) keep: Option<Retention>,
}

fn limit(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| "give a number of versions, 1 or more".to_owned())
}

fn retention(text: &str) -> Result<Retention, String> {
    if text == "forever" {
        return Ok(Retention::Forever);
    }
    text.parse().map(Retention::Days).map_err(|_| "give a number of days, 0, or forever".to_owned())
}
