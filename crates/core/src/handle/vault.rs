//! A vault: a place with one key.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use bytes::Bytes;
use memoseal_crypto::{self as crypto, MAX_HEADER_LEN, OpenVault};
use object_store::path::Path;
use tokio::sync::OnceCell;

use super::{
    Key, User,
    header::{AtHand, Header, headers},
    key::Ready,
    keyrings::Floors,
};
use crate::{
    Backend, Error, Result,
    env::Env,
    key_service::{self, KeyService, Opening},
    log::{Created, Log, New, Objects, Patience, create, list, names},
    scrub::Scrubber,
    witness::{HeadWitness, LogId, Seen},
};

/// What the header is called in errors.
const HEADER: &str = "the vault's header";

/// How a vault is used.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VaultOptions {
    /// Clock and randomness.
    pub env: Env,
    /// How long the engine goes on before it gives up.
    pub patience: Patience,
    /// What this machine has seen of the logs; none by default.
    pub witness: Option<Arc<dyn HeadWitness>>,
    /// Whether a log that was rolled back is taken as it is, and noted so. For one run, after a restore from a backup.
    pub accept_rollback: bool,
    /// What takes secrets out of what is written; nothing by default. A store whose log holds a policy cannot be written
    /// to without.
    pub scrubber: Option<Arc<dyn Scrubber>>,
}

/// An open vault. Clones are the same vault.
#[derive(Clone)]
pub struct Vault(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) backend: Backend,
    pub(super) options: VaultOptions,
    pub(super) header: AtHand,
    pub(super) keyrings: Floors,
    pub(super) probed: OnceCell<()>,
    /// What opened the vault, if that was a key in a key service: it is asked again after a rotation.
    pub(super) service: Option<Arc<dyn KeyService>>,
    /// What was seen of each log as long as this vault is open, whether there is a witness or not.
    pub(super) floors: Mutex<HashMap<LogId, Seen>>,
    /// Whether it was told that the witness cannot be written to.
    pub(super) witness_failed: AtomicBool,
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
    /// [`Error::AlreadyExists`] if a vault is there, or what is left of one; [`Error::Backend`] if it cannot be reached, and nothing was made.
    /// After [`Error::OutcomeUnknown`] and [`Error::Unsuitable`], the latter if the store ignores put-if-absent, the
    /// vault may be there, so that its key has to be kept.
    pub async fn create(backend: Backend, key: Key, options: VaultOptions) -> Result<Self> {
        let exists = || Error::AlreadyExists {
            what: "a vault at this place".into(),
            hint: "choose an empty place, or use the vault that is there".into(),
        };
        let patience = options.patience.clone();
        if list::newest(&backend, patience.read, &names::headers(backend.prefix())).await?.is_some() {
            return Err(exists());
        }
        if has_users(&backend, &patience).await? {
            return Err(Error::AlreadyExists {
                what: "memory of a vault whose header is gone, at this place,".into(),
                hint: "put the object below `vault` back from a copy, or choose an empty place".into(),
            });
        }
        let random = Arc::clone(&options.env.random);
        let id = crypto::random_array(random.as_ref()).map_err(header_error)?;
        let service = service_of(&key);
        let key = Ready::to_make(key, &id, random.as_ref(), patience.read).await?;
        // A passphrase costs seconds of work and 64 MiB: not on a thread that serves others.
        let (header, open) = blocking(&options.env, move || {
            crypto::create_as(id, &[key.as_slot()], random.as_ref()).map_err(header_error)
        })
        .await?;
        let header = Bytes::from(header);
        let path = names::header(backend.prefix(), open.generation());
        let new = New { path: &path, bytes: &header, max: MAX_HEADER_LEN as u64, what: HEADER };
        let created = create(&backend, &options.env, &patience, new, |there| *there == header).await?;
        if created != Created::Ours {
            return Err(exists());
        }
        let vault = Self::opened(backend, options, service, Header { open: Arc::new(open), bytes: header });
        match vault.probe().await {
            Ok(()) => Ok(vault),
            Err(Error::Backend { cause, .. }) => {
                Err(Error::OutcomeUnknown { problem: format!("the vault is there, but cannot be tried: {cause}") })
            }
            Err(other) => Err(other),
        }
    }

    /// Opens the vault at a place.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none; [`Error::WrongKey`]; [`Error::Key`] if a key service refuses;
    /// [`Error::NewerFormat`]; [`Error::Damaged`]; [`Error::Backend`] if it, or a key service, cannot be reached.
    pub async fn open(backend: Backend, key: Key, options: VaultOptions) -> Result<Self> {
        let Some((generation, header)) = headers(&backend, options.patience.read).newest().await? else {
            if has_users(&backend, &options.patience).await? {
                let problem = "it is not there, and the memory of users is: unless a `memoseal copy` to this place was stopped \
                               and has to be run again, somebody removed it";
                return Err(Error::damaged(HEADER, problem));
            }
            let hint = "check the URL, or make one with `memoseal init`".into();
            return Err(Error::NotFound { what: "a vault at this place".into(), hint });
        };
        if header.is_empty() {
            return Err(Error::damaged(HEADER, "it is empty"));
        }
        let service = service_of(&key);
        let open = match key.ready() {
            Ok(key) => {
                let text = header.clone();
                let open = move || crypto::unlock(&text, generation, &key.as_unlock()).map_err(header_error);
                blocking(&options.env, open).await?
            }
            Err(service) => {
                let open = |with: &crypto::Unlock<'_>| crypto::unlock(&header, generation, with);
                let opened = key_service::open_with(&service, &header, options.patience.read, open).await;
                opened.map_err(|error| match error {
                    Opening::Header(crypto::Error::NoSlot { .. }) => key_service::no_slot(&service),
                    other => opening_error(other),
                })?
            }
        };
        Ok(Self::opened(backend, options, service, Header { open: Arc::new(open), bytes: header }))
    }

    fn opened(backend: Backend, options: VaultOptions, service: Option<Arc<dyn KeyService>>, header: Header) -> Self {
        let (header, keyrings, probed) = (AtHand::new(header), Floors::default(), OnceCell::new());
        Self(Arc::new(Inner {
            backend,
            options,
            header,
            keyrings,
            probed,
            service,
            floors: Mutex::default(),
            witness_failed: AtomicBool::new(false),
        }))
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

    pub(crate) fn scrubber(&self) -> Option<&Arc<dyn Scrubber>> {
        self.0.options.scrubber.as_ref()
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

    /// The log whose commits lie at `place`.
    pub(crate) fn log(&self, place: Path) -> Log {
        Log::new(self.backend().clone(), self.patience().clone(), place)
    }
}

/// Whether anything lies where users have their memory. One request.
async fn has_users(backend: &Backend, patience: &Patience) -> Result<bool> {
    let users = names::users(backend.prefix());
    Ok(Objects::below(backend, patience, &users).next().await?.is_some())
}

fn service_of(key: &Key) -> Option<Arc<dyn KeyService>> {
    match key {
        Key::Service(service) => Some(Arc::clone(service)),
        Key::Raw(_) | Key::Passphrase(_) => None,
    }
}

pub(super) fn opening_error(error: Opening) -> Error {
    match error {
        Opening::Header(error) => header_error(error),
        Opening::Service(error) => error,
    }
}

pub(super) fn header_error(error: crypto::Error) -> Error {
    match error {
        crypto::Error::WrongKey => Error::WrongKey,
        crypto::Error::NewerFormat { .. } => Error::NewerFormat { what: HEADER.into() },
        crypto::Error::Randomness(_) => Error::NoRandomness,
        crypto::Error::NotAVault => Error::NotFound {
            what: "a vault at this place".into(),
            hint: "something else lies there: check the URL".into(),
        },
        crypto::Error::NoSlot { wanted } => {
            Error::Key(format!("this vault has no slot of type {wanted}: give the kind of key that it was made with"))
        }
        crypto::Error::BadKeyMaterial { what } => Error::Key(format!("the key cannot be used: {what}: give another")),
        other => Error::damaged(HEADER, other),
    }
}

/// Runs work that takes long on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    #[cfg(feature = "simulation")]
    if env.simulation.in_place {
        return work();
    }
    #[cfg(not(feature = "simulation"))]
    let _ = env;
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(stopped) => Err(Error::Invalid(format!("the work was stopped: {stopped}"))),
    }
}
