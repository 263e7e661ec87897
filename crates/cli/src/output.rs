//! What the program prints.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use memoseal::{Actor, Error, Store, core::path::MemoryPath};

#[cfg(feature = "scrub")]
use crate::rules;
use crate::{
    args::Common,
    key::{self, Prompt},
};

/// Whether colours are wanted on this stream.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A stream of this process that does not work.
#[derive(Debug)]
pub(crate) struct Stream(&'static str);

/// Stdout could not be written to.
pub(crate) const STDOUT: Stream = Stream("cannot write to stdout");
/// Stdin could not be read.
pub(crate) const STDIN: Stream = Stream("cannot read stdin");

impl std::fmt::Display for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// A file outside the vault that could not be written: what was tried, what went wrong, what to do.
#[derive(Debug)]
pub(crate) struct Disk(pub(crate) String);

impl std::fmt::Display for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disk {}

/// Prints one line to stdout.
pub(crate) fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}").context(STDOUT)
}

/// A number of things, in words: of one in the singular.
pub(crate) fn count(number: impl TryInto<u64>, thing: &str) -> String {
    // No number of things is that large.
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {thing}"),
        number => format!("{number} {thing}s"),
    }
}

/// The URL of the vault.
pub(crate) fn vault_url(common: &Common) -> Result<&str, Error> {
    let missing =
        || Error::Invalid("no vault given: give --vault URL, set MEMOSEAL_VAULT, or name one in memoseal.toml".into());
    common.vault.as_deref().filter(|url| !url.is_empty()).ok_or_else(missing)
}

/// Opens the vault that was named.
pub(crate) async fn open_vault(common: &Common, prompt: Prompt) -> Result<memoseal::Vault, Error> {
    open_vault_at(common, vault_url(common)?, prompt).await
}

/// Opens the vault at `url`.
pub(crate) async fn open_vault_at(common: &Common, url: &str, prompt: Prompt) -> Result<memoseal::Vault, Error> {
    let mut options = memoseal::default_options();
    #[cfg(feature = "scrub")]
    if let Some(rules) = rules::read(common)? {
        options.scrubber = Some(std::sync::Arc::new(memoseal::scrub::Scrubber::with_rules(rules)));
    }
    options.accept_rollback = common.accept_rollback;
    memoseal::open_with(url, key::key(common, prompt)?, options).await
}

/// Opens the store that was named, whether anything was ever written there or not.
pub(crate) async fn open_store_to_change(common: &Common) -> Result<Store, Error> {
    let vault = open_vault(common, Prompt::Once).await?;
    builder(&vault, common).open().await
}

/// Opens the store that was named, and warns if nothing was ever written there: it may be misspelt.
pub(crate) async fn open_store(common: &Common) -> Result<Store, Error> {
    store_of(&open_vault(common, Prompt::Once).await?, common).await
}

/// [`open_store`] in an open vault.
pub(crate) async fn store_of(vault: &memoseal::Vault, common: &Common) -> Result<Store, Error> {
    let store = builder(vault, common).open().await?;
    if store.seq() == 0 {
        tracing::warn!("user {} has no memory in store {} yet", common.user, common.store);
    }
    Ok(store)
}

/// The store that was named, to be opened.
pub(crate) fn builder(vault: &memoseal::Vault, common: &Common) -> memoseal::StoreBuilder {
    vault.user(&common.user).store(&common.store).actor(Actor::Local { name: common.actor.clone() })
}

/// What the tool refused, as an error of the program: the text without its label, and what to do.
pub(crate) fn refused(text: &str, advice: &str) -> Error {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    Error::Invalid(if advice.is_empty() { text.to_owned() } else { format!("{text}: {advice}") })
}

/// A time of the log in RFC 3339, in UTC, with so many digits after the second.
pub(crate) fn time(at_ms: i64, digits: usize) -> String {
    // What no calendar holds was no time when it was written.
    jiff::Timestamp::from_millisecond(at_ms).map_or_else(|_| "-".to_owned(), |time| format!("{time:.digits$}"))
}

/// A path of a person as one that a file or directory can have.
pub(crate) fn memory_path(given: &str) -> Result<MemoryPath, Error> {
    MemoryPath::parse(&tool_path(given)).map_err(|text| refused(&text, "name it as `memoseal ls` does"))
}

/// A path as the tool writes it; the prefix may be left out.
pub(crate) fn tool_path(given: &str) -> String {
    if given == "/memories" || given.starts_with("/memories/") {
        return given.to_owned();
    }
    format!("/memories/{}", given.trim_start_matches('/'))
}
