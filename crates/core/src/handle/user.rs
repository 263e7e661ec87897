//! A user of a vault: the unit of isolation, with a key of its own.

use std::sync::Arc;

use bytes::Bytes;
use memoseal_crypto::{Keyring, MAX_KEYRING_LEN};

use super::{
    Store, StoreOptions, Vault,
    keyrings::{self, FIRST_LIFE, Newest, keyring_error},
};
use crate::{
    Error, Result,
    codec::Actor,
    command::Limits,
    log::{Created, New, create, names, names::KeyedHash},
};

/// The store that every user has.
pub const DEFAULT_STORE: &str = "default";

/// A keyring is made when its user first changes something; later generations hold the same, sealed anew.
const FIRST_GENERATION: u64 = 1;

/// The longest name of a user or a store, in bytes.
const MAX_NAME: usize = 255;

/// A user of a vault. Naming one neither reads nor writes.
#[derive(Clone, Debug)]
pub struct User {
    vault: Vault,
    name: String,
}

impl User {
    pub(super) fn new(vault: Vault, name: String) -> Self {
        Self { vault, name }
    }

    /// A store of this user; every user has [`DEFAULT_STORE`]. Nothing is read until it is opened.
    pub fn store(&self, name: impl Into<String>) -> StoreBuilder {
        StoreBuilder { user: self.clone(), name: name.into(), options: StoreOptions::default() }
    }

    /// The user's name, as the caller gave it. It stands nowhere in the bucket in clear.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.vault
    }

    pub(super) fn hash(&self) -> KeyedHash {
        names::user_hash(self.vault.open_vault().name_key(), &self.name)
    }

    pub(super) fn check_name(&self) -> Result<()> {
        check_name("user", &self.name)
    }

    /// What the user has for a keyring. Two requests.
    pub(super) async fn keyring(&self) -> Result<Newest> {
        keyrings::newest(&self.vault, &self.hash()).await
    }

    /// What the user has for a keyring; made for its life `life` if there is none. Whoever loses the race takes the
    /// winner's: nothing is sealed under a key that is not confirmed. One request where the user is new, one more where
    /// it is made anew.
    pub(super) async fn keyring_or_create(&self, life: u64) -> Result<Newest> {
        let hash = self.hash();
        let vault = &self.vault;
        let env = vault.env();
        let generation = match life {
            FIRST_LIFE => FIRST_GENERATION,
            // The tombstone of the life before is the newest, or somebody was faster.
            _ => match keyrings::find(vault, &hash, None).await? {
                Some(found) if found.keyring.is_none() && found.life + 1 == life => found.generation + 1,
                Some(found) => return Ok(found.into_newest()),
                None => return Ok(Newest::Never),
            },
        };
        let keyring = Keyring::generate(&self.name, life, env.random.as_ref()).map_err(keyring_error)?;
        let sealed = keyring.seal(&vault.open_vault(), hash, generation, env.random.as_ref()).map_err(keyring_error)?;
        let sealed = Bytes::from(sealed);
        let path = names::keyring(vault.prefix(), &hash, generation);
        let new = New { path: &path, bytes: &sealed, max: MAX_KEYRING_LEN as u64, what: keyrings::WHAT };
        let is_ours = |there: &Bytes| *there == sealed;
        let created = create(vault.backend(), env, vault.patience(), new, is_ours).await;
        match created.map_err(|error| not_sent(keyrings::WHAT, error))? {
            Created::Ours => {
                vault.keyring_floors().raise(&hash, generation);
                Ok(Newest::Alive(Arc::new(keyring)))
            }
            // It may have been sealed anew since, or the user destroyed; a stub or a tombstone stands there then.
            Created::Theirs(_) => self.keyring().await,
        }
    }
}

/// Whether what comes before a change has landed does not matter to it: the change was not sent.
pub(super) fn not_sent(what: &str, error: Error) -> Error {
    match error {
        Error::OutcomeUnknown { problem } => {
            let source = object_store::Error::Generic { store: "memoseal", source: problem.into() };
            Error::backend(format!("cannot write {what}"), source)
        }
        other => other,
    }
}

fn check_name(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(Error::Invalid(format!(
            "the name of a {what} has 1 to {MAX_NAME} bytes and no control characters: choose another"
        )));
    }
    Ok(())
}

/// How a store is to be opened.
#[derive(Clone, Debug)]
#[must_use = "nothing happens until `open`"]
pub struct StoreBuilder {
    user: User,
    name: String,
    options: StoreOptions,
}

impl StoreBuilder {
    /// What the handle allows.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Who is named in the log for what this handle changes.
    pub fn actor(mut self, actor: Actor) -> Self {
        self.options.actor = actor;
        self
    }

    /// Whether the handle refuses every change.
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.options.read_only = read_only;
        self
    }

    /// Opens the store: reads the log up to its head. A user or store that does not exist opens empty; it is made by
    /// the first change. Needs a tokio runtime, which keeps the handle's writer.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that no user or store can have; [`Error::Damaged`]; [`Error::NewerFormat`];
    /// [`Error::Backend`].
    pub async fn open(self) -> Result<Store> {
        self.user.check_name()?;
        check_name("store", &self.name)?;
        Store::open(self.user, self.name, self.options).await
    }
}
