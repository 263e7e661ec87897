//! Destroying a user, or one of a user's stores.
//!
//! In this order, each step taken so that it can be taken again after a crash:
//!
//! 1. The catalogue is closed, after which no store can be made, and then every log: whoever writes loses to the last
//!    commit and stops, whoever reads meets it and stops. For a store, its own log alone.
//! 2. The next generation of the keyring is created as a tombstone, so that a keyring that is sealed anew at the same
//!    time loses.
//! 3. Every older generation is overwritten with a tombstone: the user's key is nowhere any more.
//! 4. What lies in the logs is overwritten with nothing; maintenance deletes the names later.
//!
//! A store's last commit stays as long as its user: it says which life comes next.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use memoseal_crypto::{Keyring, MAX_KEYRING_LEN, TOMBSTONE_LEN, seal_tombstone};
use object_store::{ObjectStoreExt, path::Path};

use super::{
    User, Vault, catalogue,
    directory::{Standing, is_over},
    keyrings::{self, FIRST_LIFE, Found, Newest, keyring_error},
    sweep::{self, Swept, sweep},
    tail::{Added, Tail},
    user::DEFAULT_STORE,
};
use crate::{
    Error, Result,
    codec::Actor,
    log::{
        self, Backoff, Created, New, create, in_time, list,
        names::{self, KeyedHash},
    },
    state::{Closing, Note},
    witness::{LogId, Seen},
};

/// So often a listing of keyrings is read again for older ones that are no tombstones yet.
const ROUNDS: usize = 3;

/// What was destroyed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Destroyed {
    /// How many objects were overwritten with nothing.
    pub emptied: u64,
    /// Logs whose end could not be read, by the keyed hash of their store, so that they could not be closed. They were
    /// destroyed all the same; a process that holds one of them open may go on for a day.
    pub damaged: Vec<(String, Error)>,
}

/// What a destruction would reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Destruction {
    /// The names of the stores, sorted.
    pub stores: Vec<String>,
    /// The number of objects of their logs that are not empty.
    pub objects: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl User {
    /// Tells what [`User::destroy`] would reach now, and changes nothing. Three requests a store, and one listing for each
    /// 1,000 objects.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there has never been such a user; [`Error::Backend`].
    pub async fn preview_destruction(&self) -> Result<Destruction> {
        self.check_name()?;
        if matches!(self.keyring().await?, Newest::Never) {
            return Err(no_user(self.name()));
        }
        // A store that is damaged can be destroyed too.
        let stores = match self.stores().await {
            Err(Error::Damaged { .. } | Error::NewerFormat { .. }) => Vec::new(),
            stores => stores?,
        };
        let (prefix, user) = (self.vault().prefix(), self.hash());
        measure(self.vault(), [names::logs(prefix, &user), names::histories(prefix, &user)], stores).await
    }

    /// Tells what [`User::destroy_store`] would reach now, and changes nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such store; [`Error::Damaged`]; [`Error::Backend`].
    pub async fn preview_store_destruction(&self, store: &str) -> Result<Destruction> {
        self.check_name()?;
        let vault = self.vault();
        let keyring = self.keyring().await?.alive().ok_or_else(|| no_store(store, self.name()))?;
        let (user, hash) = (self.hash(), names::store_hash(vault.open_vault().name_key(), self.name(), store));
        let (store_life, stores) = match Standing::of(vault, &keyring, &user, &hash).await? {
            Standing::Absent | Standing::Catalogue => return Err(no_store(store, self.name())),
            Standing::Closed { store_life, .. } => (store_life, Vec::new()),
            Standing::Open { name, store_life } => (store_life, vec![name]),
        };
        let lives = names::lives(vault.prefix(), &user, &hash);
        let log = names::log(&lives, keyring.life(), store_life);
        let history = names::history(&log);
        measure(vault, [log, history], stores).await
    }

    /// Destroys this user and every store of it: nothing of them can be opened afterwards, with any key, and whoever
    /// works on them stops with [`Error::NotFound`]. `progress` is told how many objects were overwritten.
    ///
    /// It cannot reach versions that the bucket keeps, backups, and processes that have read before. It may be called
    /// again after it was interrupted. The same name may be used for a new user, who has nothing of the old one.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there has never been such a user; [`Error::Damaged`] if the keyring or the catalogue is not
    /// as it was written; [`Error::Backend`] and [`Error::OutcomeUnknown`], after which part of it was done: call it
    /// again, or let [`Vault::maintain`] go on.
    pub async fn destroy(&self, actor: &Actor, mut progress: impl FnMut(u64) + Send) -> Result<Destroyed> {
        self.check_name()?;
        let destroyed = destroy_user(self.vault(), &self.hash(), None, actor, &mut progress).await?;
        destroyed.ok_or_else(|| no_user(self.name()))
    }

    /// Destroys one store of this user. As [`User::destroy`], but the user's key stays, so that whoever has a copy of the
    /// bucket from before, and the vault's key, can still read it there.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such store; else as [`User::destroy`].
    pub async fn destroy_store(
        &self,
        store: &str,
        actor: &Actor,
        mut progress: impl FnMut(u64) + Send,
    ) -> Result<Destroyed> {
        self.check_name()?;
        let vault = self.vault();
        let missing = || no_store(store, self.name());
        let keyring = self.keyring().await?.alive().ok_or_else(missing)?;
        let (user, hash) = (self.hash(), names::store_hash(vault.open_vault().name_key(), self.name(), store));
        let (store_life, last) = match Standing::of(vault, &keyring, &user, &hash).await? {
            Standing::Absent | Standing::Catalogue | Standing::Closed { closing: Closing::User, .. } => {
                return Err(missing());
            }
            Standing::Closed { store_life, seq, .. } => (store_life, seq),
            Standing::Open { store_life, .. } => {
                let tail = Tail::new(vault, Arc::clone(&keyring), user, hash, store_life);
                match tail.add(None, Note::Closed(Closing::Store), actor).await {
                    Ok(Added::At(seq) | Added::Closed(Closing::Store, seq)) => (store_life, seq),
                    Ok(Added::Closed(Closing::User, _)) => return Err(missing()),
                    Err(error) if error.is_damage() && is_over(vault, &user, keyring.life()).await? => {
                        return Err(missing());
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let log = names::log(&names::lives(vault.prefix(), &user, &hash), keyring.life(), store_life);
        let mut swept = sweep(vault, &log, Some(last), None, &mut progress).await?;
        let done = swept.emptied;
        swept.add(sweep(vault, &names::history(&log), None, None, &mut |n| progress(done + n)).await?);
        Ok(Destroyed { emptied: swept.emptied, damaged: Vec::new() })
    }
}

fn no_user(user: &str) -> Error {
    Error::NotFound { what: format!("user {user}"), hint: "see `memoseal users` for those that do".into() }
}

fn no_store(store: &str, user: &str) -> Error {
    let what = format!("store {store} of user {user}");
    Error::NotFound { what, hint: format!("see `memoseal stores --user {user}` for those that do") }
}

async fn measure(vault: &Vault, folders: [Path; 2], stores: Vec<String>) -> Result<Destruction> {
    let mut going = Destruction { stores, ..Destruction::default() };
    for folder in folders {
        let objects = sweep::list(vault, &folder).await?;
        let full = objects.iter().filter(|object| object.size > 0);
        going.objects += full.clone().count() as u64;
        going.bytes += full.map(|object| object.size).sum::<u64>();
    }
    Ok(going)
}

/// Destroys a life of a user, or finishes that; nothing if there has never been such a user. Where none is named, it is
/// the life that is found first: a later one is another user of the same name, who came meanwhile and stays.
pub(super) async fn destroy_user(
    vault: &Vault,
    user: &KeyedHash,
    mut going: Option<u64>,
    actor: &Actor,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Option<Destroyed>> {
    let mut backoff = Backoff::new(vault.env(), vault.patience());
    let mut damaged = Vec::new();
    // The number at which another was first.
    let mut lost = 0;
    loop {
        let Some(found) = keyrings::find(vault, user, None).await? else { return Ok(None) };
        let Found { keyring, life, generation, .. } = found;
        if generation < lost {
            return Err(keyrings::series(vault, user).hidden(lost));
        }
        let Some(keyring) = keyring.map(Arc::new) else {
            let swept = sweep_user(vault, user, life, generation, None, progress).await?;
            return Ok(Some(Destroyed { emptied: swept.emptied, damaged }));
        };
        let going = *going.get_or_insert(life);
        if life > going {
            // Somebody else has destroyed the life that was to go.
            let series = keyrings::series(vault, user);
            series.supersede(&series.list().await?, generation).await;
            let swept = sweep_logs(vault, user, going, None, progress).await?;
            return Ok(Some(Destroyed { emptied: swept.emptied, damaged }));
        }
        let stores = all_stores(vault, &keyring, user, actor, &mut damaged).await?;
        #[cfg(feature = "simulation")]
        let stores = if vault.env().has(crate::simulation::Planted::OpenEnd) { BTreeSet::new() } else { stores };
        for (store, store_life) in &stores {
            let tail = Tail::new(vault, Arc::clone(&keyring), *user, *store, *store_life);
            match tail.add(None, Note::Closed(Closing::User), actor).await {
                Ok(_) => {}
                // Its key goes all the same.
                Err(error) => damaged.push((memoseal_crypto::to_hex(store), if_damage(error)?)),
            }
        }
        let generation = generation + 1;
        let tombstone = tombstone(vault, user, life, generation)?;
        let path = names::keyring(vault.prefix(), user, generation);
        let new = New { path: &path, bytes: &tombstone, max: MAX_KEYRING_LEN as u64, what: keyrings::WHAT };
        match create(vault.backend(), vault.env(), vault.patience(), new, |there| *there == tombstone).await? {
            Created::Ours => {
                vault.keyring_floors().raise(user, generation);
                let stores: BTreeSet<_> = stores.into_iter().map(|(store, _)| store).collect();
                for store in stores.into_iter().chain([catalogue::hash(vault, keyring.user())]) {
                    let log = LogId { vault: vault.id(), user: *user, store };
                    let seen = Seen::tombstone(life);
                    vault.raise_floor(&log, &seen);
                    vault.saw(&log, &seen).await;
                }
            }
            // The keyring was sealed anew, or somebody else destroys the same user, and what looked damaged was emptied.
            Created::Theirs(_) => {
                damaged.clear();
                lost = generation;
                backoff.pause().await?;
            }
        }
    }
}

/// What is wrong with a log, if that is the bucket's fault.
fn if_damage(error: Error) -> Result<Error> {
    match error {
        Error::Damaged { .. } | Error::NewerFormat { .. } | Error::RolledBack { .. } => Ok(error),
        other => Err(other),
    }
}

/// Every store that the user has, or that could still be made, each with the life that the catalogue calls the newest and
/// the one that the bucket does: whoever has the bucket can make a folder that looks newer.
async fn all_stores(
    vault: &Vault,
    keyring: &Arc<Keyring>,
    user: &KeyedHash,
    actor: &Actor,
    damaged: &mut Vec<(String, Error)>,
) -> Result<BTreeSet<(KeyedHash, u64)>> {
    let catalogue = catalogue::hash(vault, keyring.user());
    let mut stores = match catalogue::close(vault, keyring, *user, actor).await {
        Ok(stores) => stores,
        Err(error) => {
            damaged.push((memoseal_crypto::to_hex(&catalogue), if_damage(error)?));
            BTreeMap::new()
        }
    };
    let default = names::store_hash(vault.open_vault().name_key(), keyring.user(), DEFAULT_STORE);
    stores.entry(default).or_insert(FIRST_LIFE);
    let mut stores: BTreeSet<_> = stores.into_iter().collect();
    for (lives, store) in logs(vault, user).await? {
        if store == catalogue {
            continue;
        }
        // Whatever is wrong with it is found when it is to be closed.
        let head = list::head(vault.backend(), vault.patience().read, &lives).await?.map(|head| head.commit);
        if let Some(head) = head.filter(|head| head.user_life == keyring.life()) {
            stores.insert((store, head.store_life));
        }
    }
    Ok(stores)
}

/// Where the logs of a user's stores lie, each with the keyed hash of its store. One request for each 1,000.
pub(super) async fn logs(vault: &Vault, user: &KeyedHash) -> Result<Vec<(Path, KeyedHash)>> {
    let folders = folders(vault, &names::logs(vault.prefix(), user)).await?;
    Ok(folders
        .into_iter()
        .filter_map(|folder| names::parse_hash(folder.filename()?).map(|hash| (folder, hash)))
        .collect())
}

async fn folders(vault: &Vault, place: &Path) -> Result<Vec<Path>> {
    log::folders(vault.backend(), vault.patience(), place).await
}

/// Overwrites what is left of the lives of a user up to `life`, whose tombstone is generation `generation`.
pub(super) async fn sweep_user(
    vault: &Vault,
    user: &KeyedHash,
    life: u64,
    generation: u64,
    clock_ms: Option<i64>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Swept> {
    overwrite_keyrings(vault, user, life, generation).await?;
    sweep_logs(vault, user, life, clock_ms, progress).await
}

/// Overwrites every keyring below a tombstone with a tombstone, until nothing else is listed there.
async fn overwrite_keyrings(vault: &Vault, user: &KeyedHash, life: u64, generation: u64) -> Result<()> {
    #[cfg(feature = "simulation")]
    if vault.env().has(crate::simulation::Planted::KeptKeyrings) {
        return Ok(());
    }
    let series = names::keyrings(vault.prefix(), user);
    for _ in 0..ROUNDS {
        // All of it, not only what the first page tells.
        let listed = sweep::list(vault, &series).await?;
        let mut left = listed
            .into_iter()
            .filter(|object| object.size != TOMBSTONE_LEN as u64)
            .filter_map(|object| names::parse_generation(&series, &object.location))
            .filter(|number| *number < generation)
            .peekable();
        if left.peek().is_none() {
            return Ok(());
        }
        for number in left {
            let tombstone = tombstone(vault, user, life, number)?;
            let path = names::keyring(vault.prefix(), user, number);
            let done = in_time(vault.patience().read, vault.backend().rest().put(&path, tombstone.into())).await;
            done.map_err(|error| Error::backend("cannot overwrite the user's keyring", error))?;
        }
    }
    Err(Error::damaged(keyrings::WHAT, "older ones come back after they were overwritten"))
}

/// Empties the logs and blocks of history of the lives of a user up to `life`.
pub(super) async fn sweep_logs(
    vault: &Vault,
    user: &KeyedHash,
    life: u64,
    clock_ms: Option<i64>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Swept> {
    let mut swept = Swept::default();
    for root in [names::logs(vault.prefix(), user), names::histories(vault.prefix(), user)] {
        for lives in folders(vault, &root).await? {
            for folder in folders(vault, &lives).await? {
                if names::parse_lives(&folder).is_some_and(|(user_life, _)| user_life <= life) {
                    let done = swept.emptied;
                    swept.add(sweep(vault, &folder, None, clock_ms, &mut |n| progress(done + n)).await?);
                }
            }
        }
    }
    Ok(swept)
}

/// Empties the lives of one store that have ended, of a user that has not.
pub(super) async fn sweep_store(
    vault: &Vault,
    keyring: &Arc<Keyring>,
    user: &KeyedHash,
    store: &KeyedHash,
    clock_ms: Option<i64>,
) -> Result<Swept> {
    let mut swept = Swept::default();
    let lives = names::lives(vault.prefix(), user, store);
    let mut found = folders(vault, &lives).await?;
    found.extend(folders(vault, &names::history_lives(vault.prefix(), user, store)).await?);
    let found: BTreeSet<_> = found.iter().filter_map(names::parse_lives).collect();
    for (user_life, store_life) in found.into_iter().filter(|(user_life, _)| *user_life == keyring.life()) {
        // Nothing is believed but the last commit itself: whoever has the bucket can make a folder that looks newer.
        if let Some((Closing::Store, last)) = Standing::end_of(vault, keyring, &lives, store, store_life).await? {
            let log = names::log(&lives, user_life, store_life);
            swept.add(sweep(vault, &log, Some(last), clock_ms, &mut |_| {}).await?);
            swept.add(sweep(vault, &names::history(&log), None, clock_ms, &mut |_| {}).await?);
        }
    }
    Ok(swept)
}

fn tombstone(vault: &Vault, user: &KeyedHash, life: u64, generation: u64) -> Result<Bytes> {
    let sealed = seal_tombstone(life, &vault.open_vault(), *user, generation, vault.env().random.as_ref());
    Ok(Bytes::from(sealed.map_err(keyring_error)?))
}
