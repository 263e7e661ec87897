//! The verbs that work on a vault as a whole.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  memoseal init --vault /srv/memory --generate-key memory.key
  MEMOSEAL_PASSPHRASE=… memoseal init --vault file:///srv/memory
  export MEMOSEAL_KMS=arn:aws:kms:eu-central-1:111122223333:key/1234abcd-…
  memoseal init --vault s3://bucket/memory

With --kms (or MEMOSEAL_KMS, or kms in memoseal.toml) a key in AWS KMS opens the vault, which never
leaves it; name the same ARN to every command. Opening needs kms:Decrypt, making and rotating
kms:Encrypt.")]
pub(crate) struct Init {
    /// Make a raw key and write it to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) generate_key: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
TO is an empty place, or an older copy of the same vault; a folder is made if it does not exist.
Objects go over sealed, as they are. What was redacted, has expired or was destroyed since the older
copy was made goes from there too; anything else that differs is refused. If it is interrupted, run
it again. It needs a key of the vault at FROM, and credentials for both places. What goes to an older
copy is verified first. Exits with 7 if FROM was still being changed, or TO lacks what FROM has.

The copy is the same vault, with the same keys: write to one of the two only. Into another vault go
`memoseal export` and `memoseal import`. Afterwards `memoseal verify` checks the copy.

Examples:
  memoseal copy /srv/memory s3://bucket/memory --dry-run
  memoseal copy s3://bucket/memory /backup/memory
  memoseal copy s3://bucket/memory gs://other/memory --only-user alice")]
pub(crate) struct Copy {
    /// The vault: a URL or a path
    #[arg(value_name = "FROM")]
    pub(crate) from: String,
    /// Where to: a URL or a path
    #[arg(value_name = "TO")]
    pub(crate) to: String,
    /// Only this user
    #[arg(long, value_name = "NAME")]
    pub(crate) only_user: Option<String>,
    /// Compare the two places and tell what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
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
#[command(after_help = "\
Whoever works on one of its stores stops. Nothing of it can be opened afterwards, with any key. The
name may be used for a new user, who has nothing of the old one. If it is interrupted, run it again.

Examples:
  memoseal destroy-user alice --dry-run
  memoseal destroy-user alice --yes")]
pub(crate) struct DestroyUser {
    /// The user's name, as `users` writes it
    #[arg(value_name = "USER")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) how: Destroying,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Whoever works on it stops. The user's key stays: who has an old copy of the bucket, and a key of the
vault, can still read the store there. If it is interrupted, run it again.

Examples:
  memoseal destroy-store notes --user alice --dry-run
  memoseal destroy-store notes --user alice --yes")]
pub(crate) struct DestroyStore {
    /// The store's name, as `stores` writes it
    #[arg(value_name = "STORE")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) how: Destroying,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Destroying {
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exits with 1 if anything is not as it should be.\n\nExample:\n  memoseal verify --read-data")]
pub(crate) struct Verify {
    /// Open every content too, and compare it with its hash
    #[arg(long)]
    pub(crate) read_data: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A line a check: reachable, whose credentials, each permission, put-if-absent raced by many, listing
order, read after write, clocks, latency; and what is set for the bucket: versioning, lifecycle
rules, object lock, public access, encryption. It needs no key, writes below a throw-away prefix,
about 400 requests, and cleans up, after Ctrl-C too.

What could not be asked is `not checked`, and says what it would need. Exits with 1 if anything
endangers memory, with 0 if there are only warnings.

Examples:
  memoseal doctor s3://bucket/memory?region=eu-central-1
  memoseal doctor /srv/memory
  memoseal doctor --json")]
pub(crate) struct Doctor {
    /// The place: a URL or a path, whether a vault is there or not; otherwise that of --vault
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,
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
  memoseal slot add --new-key-file second.key
  arn=arn:aws:kms:eu-central-1:111122223333:key/1234abcd-…
  memoseal slot add --new-kms \"$arn\"")]
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
    /// A key in AWS KMS, by its ARN
    #[arg(long, value_name = "ARN")]
    pub(crate) new_kms: Option<String>,
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
drops it with --drop-others. A key in KMS is only asked to encrypt for this (kms:Encrypt).

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
    /// A key in AWS KMS, by its ARN, of another slot that stays; may be given more than once
    #[arg(long, value_name = "ARN")]
    pub(crate) also_kms: Vec<String>,
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
