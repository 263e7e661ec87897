//! The verbs that carry a whole store in and out, or empty it.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The files of DIR go under /memories, or those of DIR/memories if DIR holds nothing else, as the
local memory tool of an official SDK keeps them. What cannot be taken is listed, and the rest is
imported: symbolic links, names and contents that memory cannot hold, files that are too large. A
file that is there already is passed over if it is the same, and left as it is if it differs,
unless --overwrite is given. Exits with 7 if anything was left out.

Examples:
  memoseal import ./memory --dry-run
  memoseal import ./memory --user alice
  memoseal import ./memory/memories --overwrite --strict")]
pub(crate) struct Import {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Write over files that differ; `history` keeps what they held
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Import all or nothing of it: if something would be left out, change nothing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Name each file as it is imported
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Tell what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The files go to DIR/memories, where the local memory tool of an official SDK looks for them and
`memoseal import` finds them again. Only their owner can read them; they are not sealed any more.
A file that is there already is passed over if it is the same, and left as it is if it differs,
unless --overwrite is given; files that are not in the store stay. Exits with 7 if anything was
left out.

Examples:
  memoseal export ./out --dry-run
  memoseal export ./out --user alice")]
pub(crate) struct Export {
    /// The folder; it is made if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Replace files that differ
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Name each file as it is written
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Tell what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The history stays for as long as the store keeps it, and `memoseal restore` brings files back one
by one. To remove what they held for good, see `memoseal redact` and `memoseal retention`.

Examples:
  memoseal clear --user alice --dry-run
  memoseal clear --user alice --yes")]
pub(crate) struct Clear {
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Tell what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
