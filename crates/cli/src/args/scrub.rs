//! The verb that takes secrets and personal data out of a text.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The text goes to stdout with [REDACTED:kind] in the place of each value, and as many lines as before.
With --jsonl each line of the input is {\"text\":…,\"path\"?:…} and is answered by one line
  {\"text\":…,\"findings\":[{\"kind\":…,\"rule\":…,\"line\":…,\"start\":…,\"end\":…}]}
whose offsets are UTF-8 bytes of the text as it was given; a line that cannot be scrubbed is answered
by {\"error\":…}, and the program ends with exit code 7.

Rules are written as gitleaks' configuration is, and add to those that come with the program.

Examples:
  memoseal scrub notes.md > clean.md
  git diff | memoseal scrub --check
  memoseal scrub --jsonl < texts.jsonl
  memoseal scrub notes.md --only secrets --redact ip-address --off jwt
  memoseal scrub notes.md --rules gitleaks.toml
  memoseal scrub --kinds")]
pub(crate) struct Scrub {
    /// The file to read; - is stdin
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Write no text: name what is found, and end with exit code 1 if that is anything
    #[arg(long)]
    pub(crate) check: bool,
    /// Read and answer JSON lines
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Also take out documented sample keys, and addresses of reserved domains such as example.com
    #[arg(long)]
    pub(crate) no_default_allowlist: bool,
    /// What is looked for, unless the options below name a kind
    #[arg(long, value_enum, default_value_t = Only::All, value_name = "LEVEL")]
    pub(crate) only: Only,
    /// Take this kind out, also if it is off by default
    #[arg(long, value_name = "KIND")]
    pub(crate) redact: Vec<String>,
    /// Refuse a text that holds this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) reject: Vec<String>,
    /// Leave this kind alone
    #[arg(long, value_name = "KIND")]
    pub(crate) off: Vec<String>,
    /// Leave alone what matches this regular expression as a whole
    #[arg(long, value_name = "PATTERN")]
    pub(crate) allow: Vec<String>,
    /// List the kinds that there are
    #[arg(long, conflicts_with_all = ["file", "only", "check", "jsonl", "no_default_allowlist", "redact", "reject", "off", "allow"])]
    pub(crate) kinds: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Only {
    /// Secrets and personal data
    All,
    /// Secrets
    Secrets,
    /// Nothing but what --redact and --reject name
    Named,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without LEVEL, the store's policy is told. With it, a new one goes into the store's log, and every
program that writes to the store obeys it from then on; what stands there already stays. Nothing of
an earlier policy is kept: name all that is to hold.

Where something is taken out, [REDACTED:kind] stands in its place, and the model is told. A path that
holds something is always refused. `memoseal scrub --kinds` lists the kinds. A policy may name a kind of
your own rules (--rules FILE): only a program that is given such rules too can write to the store then.

Examples:
  memoseal policy
  memoseal policy all --user alice
  memoseal policy secrets --reject private-key --redact email
  memoseal policy all --off phone --allow '[a-z]+@corp\\.example' --allow-values known.txt
  memoseal policy secrets --reject corp-token --rules corp.toml
  memoseal policy off")]
pub(crate) struct PolicyArgs {
    /// What is taken out of what is written
    #[arg(value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<PolicyLevel>,
    /// Take this kind out, also if the level leaves it alone
    #[arg(long, value_name = "KIND", requires = "level")]
    pub(crate) redact: Vec<String>,
    /// Refuse what holds this kind
    #[arg(long, value_name = "KIND", requires = "level")]
    pub(crate) reject: Vec<String>,
    /// Leave this kind alone
    #[arg(long, value_name = "KIND", requires = "level")]
    pub(crate) off: Vec<String>,
    /// Also take out documented sample keys, and addresses of reserved domains such as example.com
    #[arg(long, requires = "level")]
    pub(crate) no_default_allowlist: bool,
    /// Leave alone what matches this regular expression as a whole
    #[arg(long, value_name = "PATTERN", requires = "level")]
    pub(crate) allow: Vec<String>,
    /// Leave alone the values in this file, one a line; the log holds them as keyed hashes
    #[arg(long, value_name = "FILE", requires = "level")]
    pub(crate) allow_values: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PolicyLevel {
    /// Nothing, but for what --redact and --reject name
    Off,
    /// Secrets
    Secrets,
    /// Secrets and personal data
    All,
}
