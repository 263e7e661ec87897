//! A vault: a place with one key.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use memoseal_crypto::{self as crypto, OpenVault};
use object_store::{PutMode, PutOptions, path::Path};
use tokio::sync::OnceCell;

use super::{
    Key, User,
    header::{AtHand, Header, headers},
    keyrings::Floors,
};
use crate::{
    Backend, Error, Result,
    env::Env,
    log::{Backoff, Created, Patience, create, list, names},
};

/// How a vault is used.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VaultOptions {
    /// Clock and randomness.
    pub env: Env,
    /// How long the engine goes on before it gives up.
    pub patience: Patience,
}

/// An open vault. Clones are the same vault.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    backend: Backend,
    options: VaultOptions,
    header: AtHand,
    keyrings: Floors,
    probed: OnceCell<()>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("backend", &self.0.backend).finish_non_exhaustive()
    }
}

impl Vault {
    /// Makes a vault at an empty place, with one slot for `key`.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if a vault is there; [`Error::Unsuitable`] if the store ignores put-if-absent;
    /// [`Error::Backend`] if it cannot be reached.
    pub async fn create(backend: Backend, key: Key, options: VaultOptions) -> Result<Self> {
        let exists = || Error::AlreadyExists {
            what: "a vault at this place".into(),
            hint: "choose an empty place, or use the vault that is there".into(),
        };
        if list::newest(&backend, &names::headers(backend.prefix())).await?.is_some() {
            return Err(exists());
        }
        let random = Arc::clone(&options.env.random);
        // A passphrase costs seconds of work and 64 MiB: not on a thread that serves others.
        let (header, open) =
            blocking(move || crypto::create(&[key.as_slot()], random.as_ref()).map_err(header_error)).await?;
        let header = Bytes::from(header);
        let path = names::header(backend.prefix(), open.generation());
        let doing = "cannot write the vault's header";
        let created =
            create(&backend, &options.env, &options.patience, &path, &header, doing, |there| *there == header).await?;
        if created != Created::Ours {
            return Err(exists());
        }
        let vault = Self::opened(backend, options, Header { open: Arc::new(open), bytes: header });
        vault.probe().await?;
        Ok(vault)
    }

    /// Opens the vault at a place.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none; [`Error::WrongKey`]; [`Error::NewerFormat`]; [`Error::Damaged`];
    /// [`Error::Backend`] if it cannot be reached.
    pub async fn open(backend: Backend, key: Key, options: VaultOptions) -> Result<Self> {
        let missing = || Error::NotFound {
            what: "a vault at this place".into(),
            hint: "check the URL, or make one with `memoseal init`".into(),
        };
        let (generation, header) = headers(&backend).newest().await?.ok_or_else(missing)?;
        let text = header.clone();
        let open = blocking(move || crypto::unlock(&text, generation, &key.as_unlock()).map_err(header_error)).await?;
        Ok(Self::opened(backend, options, Header { open: Arc::new(open), bytes: header }))
    }

    fn opened(backend: Backend, options: VaultOptions, header: Header) -> Self {
        let (header, keyrings, probed) = (AtHand::new(header), Floors::default(), OnceCell::new());
        Self(Arc::new(Inner { backend, options, header, keyrings, probed }))
    }

    /// A user of this vault. Nothing is read or written until a store is opened.
    pub fn user(&self, name: impl Into<String>) -> User {
        User::new(self.clone(), name.into())
    }

    /// The vault's id: random, in the clear in its header.
    pub fn id(&self) -> [u8; 16] {
        self.open_vault().id()
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0.backend
    }

    pub(crate) fn prefix(&self) -> &Path {
        self.0.backend.prefix()
    }

    pub(crate) fn env(&self) -> &Env {
        &self.0.options.env
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.0.options.patience
    }

    /// The newest header that this process has seen, opened.
    pub(crate) fn open_vault(&self) -> Arc<OpenVault> {
        self.header().open
    }

    pub(super) fn header(&self) -> Header {
        self.0.header.get()
    }

    pub(super) fn at_hand(&self) -> &AtHand {
        &self.0.header
    }

    pub(super) fn keyring_floors(&self) -> &Floors {
        &self.0.keyrings
    }

    /// Makes sure, once a process, that the store honours put-if-absent: everything rests on it. The header is
    /// created again with its own bytes, so that a store which ignores the condition changes nothing either.
    ///
    /// # Errors
    /// [`Error::Unsuitable`] if the store overwrote an object that it was told to create.
    pub(crate) async fn probe(&self) -> Result<()> {
        self.0.probed.get_or_try_init(|| self.probe_once()).await.copied()
    }

    async fn probe_once(&self) -> Result<()> {
        let header = self.header();
        let path = names::header(self.prefix(), header.open.generation());
        let deadline = tokio::time::Instant::now() + self.patience().create;
        let mut backoff = Backoff::new(self.env(), self.patience());
        loop {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            let answer = self.backend().creates().put_opts(&path, header.bytes.clone().into(), options).await;
            match answer {
                Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                    return Ok(());
                }
                Ok(_) => {
                    return Err(Error::Unsuitable(
                        "it ignores put-if-absent (or the vault's header was deleted under this process), so two writers \
                         could overwrite each other: use a store that honours `If-None-Match: *`"
                            .into(),
                    ));
                }
                Err(error) if tokio::time::Instant::now() >= deadline || crate::log::is_refusal(&error) => {
                    return Err(Error::backend("cannot write to the vault", error));
                }
                Err(_) => backoff.pause().await?,
            }
        }
    }
}

pub(super) fn header_error(error: crypto::Error) -> Error {
    match error {
        crypto::Error::WrongKey => Error::WrongKey,
        crypto::Error::NewerFormat { .. } => Error::NewerFormat { what: "the vault's header".into() },
        crypto::Error::Randomness(_) => Error::NoRandomness,
        crypto::Error::NotAVault => Error::NotFound {
            what: "a vault at this place".into(),
            hint: "something else lies there: check the URL".into(),
        },
        crypto::Error::NoSlot { wanted } => {
            Error::Key(format!("this vault has no slot of type {wanted}: give the kind of key that it was made with"))
        }
        crypto::Error::BadKeyMaterial { what } => Error::Key(format!("the key cannot be used: {what}")),
        other => Error::damaged("the vault's header", other),
    }
}

/// Runs work that takes long on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(stopped) => Err(Error::Invalid(format!("the work was stopped: {stopped}"))),
    }
}
