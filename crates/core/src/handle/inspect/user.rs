//! One user of a vault: its keyrings, and the logs of its stores.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use memoseal_crypto::Keyring;
use object_store::path::Path;

use super::{
    Depth, Inspection, UserInspection, Vault, checks, hex,
    listing::{LogListing, UserListing},
    report::{RESTORE, UNFINISHED, UNKNOWN},
    walk::Walk,
};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    handle::{
        catalogue,
        directory::Standing,
        keyrings::{self, Newest, read_keyring},
        sweep,
    },
    log::{
        Log, list,
        names::{self, KeyedHash},
    },
    state::Closing,
};

/// A look at one user.
pub(super) struct Looking<'a> {
    pub(super) vault: &'a Vault,
    pub(super) hash: KeyedHash,
    pub(super) depth: Depth,
    pub(super) inspection: &'a mut Inspection,
}

impl Looking<'_> {
    /// Looks at what was listed of the user. Gives the life that the user has, or would have if it were made now, as far as
    /// that can be told.
    pub(super) async fn user(self, listing: UserListing, each: &mut (impl FnMut() + Send)) -> Result<Option<u64>> {
        let Self { vault, hash, depth, inspection } = self;
        let newest = match listing.keyrings.last_key_value() {
            Some((generation, _)) => read_keyring(vault, &hash, *generation).await,
            // The user may have come while it was listed.
            None => keyrings::newest(vault, &hash).await,
        };
        let newest = match newest {
            Ok(newest) => newest,
            Err(error) => {
                inspection.damage(format!("user {}", hex(&hash)), error)?;
                return Ok(None);
            }
        };
        let life = newest.life();
        let keyring = match newest {
            Newest::Alive(keyring) => keyring,
            Newest::Never => {
                inspection.finding(format!("user {}", hex(&hash)), "there are commits but no keyring", RESTORE);
                return Ok(None);
            }
            Newest::Destroyed { life: destroyed } => {
                if !listing.is_swept() {
                    // It may have been overwritten since it was listed.
                    let now = vault.list_everything(Some(hash), &mut Inspection::default()).await?;
                    inspection.destroyed(&hash, destroyed, now.get(&hash).unwrap_or(&listing));
                }
                return Ok(Some(life));
            }
        };
        let name = keyring.user().to_owned();
        let folder = names::keyrings(vault.prefix(), &hash);
        let generations = listing.keyrings.keys().copied().collect();
        // A tombstone holds no key, and stays.
        let is_tombstone = |generation, bytes: &Bytes| keyrings::is_tombstone(vault, &hash, generation, bytes);
        let left = checks::not_superseded(vault, &generations, folder, is_tombstone).await?;
        inspection.not_superseded(&format!("user {name}, keyring"), left);
        let mut stores = Vec::new();
        // In the order of lives, so that the last one stays.
        let with_commits =
            listing.logs.iter().filter(|((_, life, _), log)| *life == keyring.life() && !log.numbers.is_empty());
        let mut entered = BTreeSet::new();
        let newest: BTreeMap<_, _> = with_commits.map(|((store, _, life), _)| (*store, *life)).collect();
        for ((store, user_life, store_life), log_listing) in listing.logs {
            if user_life < keyring.life() {
                let full = still_full(vault, &hash, &store, &log_listing, 0).await?;
                inspection.swept(format!("user {name}, store {}", hex(&store)), full);
                continue;
            }
            if log_listing.numbers.is_empty() && log_listing.checkpoints.is_empty() {
                let place = format!("user {name}, store {}", hex(&store));
                inspection.finding(place, "there are blocks of history but no log", UNKNOWN);
                continue;
            }
            if user_life > keyring.life() {
                let place = format!("user {name}, store {}", hex(&store));
                inspection.finding(place, "the log belongs to no life of this user", RESTORE);
                continue;
            }
            let keys = StoreKeys::new(Arc::clone(&keyring), vault.id(), store, store_life);
            let lives = names::lives(vault.prefix(), &hash, &store);
            let log = vault.log(names::log(&lives, user_life, store_life));
            let place = || format!("user {name}, store {}", hex(&store));
            match end_of(&log, &keys, &log_listing).await? {
                Some(Closing::Store) => {
                    // Its last commit stays.
                    inspection.swept(place(), still_full(vault, &hash, &store, &log_listing, 1).await?);
                    continue;
                }
                Some(Closing::User) => {
                    inspection.finding(place(), "the user is being destroyed, and it is not finished", UNFINISHED);
                    continue;
                }
                None if newest.get(&store).is_some_and(|newest| *newest > store_life) => {
                    inspection.finding(place(), "a newer life of the store exists, and this log goes on", RESTORE);
                }
                None => {}
            }
            let before = inspection.findings.len();
            let mut walk =
                Walk { vault, user: &name, user_hash: hash, store, keys, depth, inspection, entered: BTreeSet::new() };
            let found = walk.log(&log, &log_listing, each).await?;
            let mut in_catalogue = std::mem::take(&mut walk.entered);
            if inspection.findings.len() > before && is_closed(vault, &keyring, &lives, &store, store_life).await? {
                // It was destroyed since it was listed, and what was read of it emptied.
                inspection.findings.truncate(before);
                continue;
            }
            entered.append(&mut in_catalogue);
            if store != catalogue::hash(vault, &name) {
                stores.push(found);
            }
        }
        for (store, life) in entered {
            // The last commit of a life stays, since it says which one comes next.
            let (lives, before) = (names::lives(vault.prefix(), &hash, &store), life - 1);
            let last =
                list::newest_commit(vault.backend(), vault.patience().read, &lives, (keyring.life(), before)).await?;
            if last.is_none() {
                let place = format!("user {name}, store {}", hex(&store));
                let problem = format!("life {life} of it was about to be made, and the end of life {before} is gone");
                inspection.finding(place, problem, RESTORE);
            }
        }
        inspection.users.push(UserInspection { name, stores });
        Ok(Some(life))
    }
}

/// What goes by the last commit of a log, if it has ended. What is wrong with that commit is found by the walk.
async fn end_of(log: &Log, keys: &StoreKeys, listing: &LogListing) -> Result<Option<Closing>> {
    let Some(last) = listing.numbers.last().copied() else { return Ok(None) };
    let bytes = match log.bytes(last).await {
        Err(Error::Damaged { .. }) => None,
        bytes => bytes?,
    };
    Ok(bytes.and_then(|bytes| Commit::open(keys, last, bytes).ok()).and_then(|commit| commit.closing()))
}

/// Whether this life of a store has been destroyed by now. Two requests.
async fn is_closed(
    vault: &Vault,
    keyring: &Arc<Keyring>,
    lives: &Path,
    store: &KeyedHash,
    store_life: u64,
) -> Result<bool> {
    match Standing::end_of(vault, keyring, lives, store, store_life).await {
        Ok(end) => Ok(matches!(end, Some((Closing::Store, _)))),
        Err(Error::Damaged { .. } | Error::NewerFormat { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// How many objects of a log that was destroyed are not empty, but for so many that stay. Where the listing tells of some,
/// it is listed again: they may have been emptied since. Two requests, or none.
async fn still_full(
    vault: &Vault,
    user: &KeyedHash,
    store: &KeyedHash,
    listing: &LogListing,
    stay: u64,
) -> Result<u64> {
    if listing.full <= stay {
        return Ok(0);
    }
    let lives = names::lives(vault.prefix(), user, store);
    let log = names::log(&lives, listing.user_life, listing.store_life);
    let mut full = 0;
    for folder in [names::history(&log), log] {
        full += sweep::list(vault, &folder).await?.iter().filter(|object| object.size > 0).count() as u64;
    }
    Ok(full.saturating_sub(stay))
}
