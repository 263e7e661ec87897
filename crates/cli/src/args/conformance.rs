//! The verb that tries out a place.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
It needs no vault and no key: it makes vaults of its own in a new folder, memoseal-conformance-…,
below the URL, and removes it at the end, after a failure and after Ctrl-C too. These credentials
need to read, write, list and delete there. Some thousand requests of a few KiB each are sent.

Exit code 1 if a case failed: then do not keep a vault there.

Examples:
  memoseal conformance s3://bucket/scratch
  memoseal conformance az://container --junit results.xml --jobs 8
  memoseal conformance gs://bucket --group objects --json
  memoseal conformance /mnt/share --case create_raced_by_sixteen_is_won_by_one
  memoseal conformance --list")]
pub(crate) struct Conformance {
    /// The place: a URL as of a vault, or a path
    #[arg(required_unless_present = "list")]
    pub(crate) url: Option<String>,
    /// Only the cases of this group (objects, tool, tampering, durability); may be given several times
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Vec<String>,
    /// Only this case, with or without its group; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) case: Vec<String>,
    /// How many cases run side by side
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = jobs)]
    pub(crate) jobs: usize,
    /// Write the results to this file too, in the format of JUnit
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Only name the cases
    #[arg(long)]
    pub(crate) list: bool,
}

fn jobs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=64).contains(number));
    number.ok_or_else(|| "give a number from 1 to 64".to_owned())
}
