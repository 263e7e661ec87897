//! The verbs that work on a vault as a whole.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  memoseal init --vault /srv/memory --generate-key memory.key
  MEMOSEAL_PASSPHRASE=… memoseal init --vault file:///srv/memory")]
pub(crate) struct Init {
    /// Make a raw key and write it to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) generate_key: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without --only-store, of all stores of all users. May be run at any time, by any number of
processes; once a day is often enough.

Examples:
  memoseal maintain
  memoseal maintain --only-store --user alice")]
pub(crate) struct Maintain {
    /// Only the store that --user and --store name
    #[arg(long)]
    pub(crate) only_store: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exits with 1 if anything is not as it should be.\n\nExample:\n  memoseal verify --read-data")]
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
