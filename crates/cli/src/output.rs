//! What the program prints.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use memoseal::{Actor, Error, Store};

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

/// Prints one line to stdout.
pub(crate) fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}").context(STDOUT)
}

/// The URL of the vault.
pub(crate) fn vault_url(common: &Common) -> Result<&str, Error> {
    let missing = || Error::Invalid("no vault given: give --vault URL or set MEMOSEAL_VAULT".into());
    common.vault.as_deref().filter(|url| !url.is_empty()).ok_or_else(missing)
}

/// Opens the vault that was named.
pub(crate) async fn open_vault(common: &Common, prompt: Prompt) -> Result<memoseal::Vault, Error> {
    let url = vault_url(common)?;
    let mut options = memoseal::default_options();
    options.accept_rollback = common.accept_rollback;
    memoseal::open_with(url, key::key(common, prompt)?, options).await
}

/// Opens the store that was named.
pub(crate) async fn open_store(common: &Common) -> Result<Store, Error> {
    let vault = open_vault(common, Prompt::Once).await?;
    store_of(&vault, common).await
}

/// Opens the store that was named, in an open vault.
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

/// A path as the tool writes it; the prefix may be left out.
pub(crate) fn tool_path(given: &str) -> String {
    if given == "/memories" || given.starts_with("/memories/") {
        return given.to_owned();
    }
    format!("/memories/{}", given.trim_start_matches('/'))
}
