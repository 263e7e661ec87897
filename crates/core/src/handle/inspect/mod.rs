//! Looking at a whole vault with nothing but its key: what lies in it, and whether it is what was written.
//!
//! | module | what it holds |
//! |---|---|
//! | `report` | what an inspection tells, and what it advises |
//! | `listing` | every name put where it belongs |
//! | `walk` | the walk along one log |
//! | `gaps` | what is missing in a log, and what of it lawfully |
//! | `checks` | what is kept twice, superseded, or against the rules |

mod checks;
mod gaps;
mod listing;
mod report;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use memoseal_crypto::TOMBSTONE_LEN;

pub use self::report::{Depth, Finding, Inspection, StoreInspection, UserInspection};
use self::{
    listing::LogListing,
    report::{RESTORE, ROLLED_BACK, UNFINISHED, UNKNOWN},
    walk::Walk,
};
use super::{
    Vault, catalogue,
    keyrings::{Newest, read_keyring},
};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    log::{
        Log, list,
        names::{self, KeyedHash},
    },
    state::Closing,
};

impl Vault {
    /// Looks at everything in the vault. Where the options accept a rollback, each log without a finding is taken as it
    /// is. `progress` is told, after each commit, how many of how many were read.
    ///
    /// What is damaged becomes a finding, and the rest is looked at all the same.
    ///
    /// # Errors
    /// [`Error::Backend`] if the vault cannot be reached.
    pub async fn inspect(&self, depth: Depth, mut progress: impl FnMut(u64, u64) + Send) -> Result<Inspection> {
        let mut inspection = Inspection::default();
        // Before the listing: what comes meanwhile is no rollback.
        let (floor, seen) = (self.header().open.generation(), self.seen_logs());
        let users = self.list_everything(&mut inspection).await?;
        let newest = inspection.headers.last().copied().unwrap_or(0);
        if newest < floor {
            let problem = format!("the newest is generation {newest}, but this process has seen {floor}");
            inspection.finding("the vault's header".into(), problem, RESTORE);
        }
        let headers = std::mem::take(&mut inspection.headers);
        let left = checks::not_superseded(self, &headers, names::headers(self.prefix())).await?;
        inspection.not_superseded("the vault's header", left);
        let listed: BTreeSet<_> = users
            .iter()
            .flat_map(|(user, listing)| listing.logs.iter().map(|((store, ..), log)| (*user, *store, log)))
            .filter(|(.., log)| !log.numbers.is_empty())
            .map(|(user, store, _)| (user, store))
            .collect();
        // The life that each user has, or would have if it were made now.
        let mut lives: BTreeMap<KeyedHash, u64> = BTreeMap::new();
        let total = users.values().flat_map(|user| user.logs.values()).map(|log| log.numbers.len() as u64).sum();
        let mut done = 0;
        for (hash, listing) in users {
            let Some((generation, _)) = listing.keyrings.last_key_value() else {
                inspection.finding(format!("user {}", hex(&hash)), "there are commits but no keyring", RESTORE);
                continue;
            };
            let newest = match read_keyring(self, &hash, *generation).await {
                Ok(newest) => newest,
                Err(error) => {
                    inspection.damage(format!("user {}", hex(&hash)), error)?;
                    continue;
                }
            };
            lives.insert(hash, newest.life());
            let keyring = match newest {
                Newest::Alive(keyring) => keyring,
                Newest::Never => continue,
                Newest::Destroyed { life } => {
                    inspection.destroyed(&hash, life, &listing);
                    continue;
                }
            };
            let name = keyring.user().to_owned();
            let keyrings = names::keyrings(self.prefix(), &hash);
            // A tombstone holds no key, and stays.
            let is_tombstone = |size: &u64| *size == TOMBSTONE_LEN as u64;
            let generations = listing.keyrings.iter().filter(|(_, size)| !is_tombstone(size));
            let generations = generations.map(|(generation, _)| *generation).collect();
            let left = checks::not_superseded(self, &generations, keyrings).await?;
            inspection.not_superseded(&format!("user {name}, keyring"), left);
            let mut stores = Vec::new();
            // In the order of lives, so that the last one stays.
            let with_commits =
                listing.logs.iter().filter(|((_, life, _), log)| *life == keyring.life() && !log.numbers.is_empty());
            let mut entered = BTreeSet::new();
            let newest: BTreeMap<_, _> = with_commits.map(|((store, _, life), _)| (*store, *life)).collect();
            for ((store, user_life, store_life), log_listing) in listing.logs {
                if user_life < keyring.life() {
                    inspection.swept(format!("user {name}, store {}", hex(&store)), log_listing.full);
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
                let keys = StoreKeys::new(std::sync::Arc::clone(&keyring), self.id(), store, store_life);
                let lives = names::lives(self.prefix(), &hash, &store);
                let log = self.log(names::log(&lives, user_life, store_life));
                let place = || format!("user {name}, store {}", hex(&store));
                match end_of(&log, &keys, &log_listing).await? {
                    Some(Closing::Store) => {
                        // Its last commit stays.
                        inspection.swept(place(), log_listing.full.saturating_sub(1));
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
                let inspection = &mut inspection;
                let mut walk = Walk {
                    vault: self,
                    user: &name,
                    user_hash: hash,
                    store,
                    keys,
                    depth,
                    inspection,
                    entered: BTreeSet::new(),
                };
                let mut each = || {
                    done += 1;
                    progress(done, total);
                };
                let found = walk.log(&log, &log_listing, &mut each).await?;
                entered.append(&mut walk.entered);
                if store != catalogue::hash(self, &name) {
                    stores.push(found);
                }
            }
            for (store, life) in entered {
                // The last commit of a life stays, since it says which one comes next.
                let (lives, before) = (names::lives(self.prefix(), &hash, &store), life - 1);
                let last =
                    list::newest_commit(self.backend(), self.patience().read, &lives, (keyring.life(), before)).await?;
                if last.is_none() {
                    let place = format!("user {name}, store {}", hex(&store));
                    let problem =
                        format!("life {life} of it was about to be made, and the end of life {before} is gone");
                    inspection.finding(place, problem, RESTORE);
                }
            }
            inspection.users.push(UserInspection { name, stores });
        }
        for id in seen.into_iter().filter(|id| !listed.contains(&(id.user, id.store))) {
            let floor = self.floor(&id).await?;
            let life = lives.get(&id.user).copied().unwrap_or(0);
            if floor.is_some_and(|floor| floor.user_life >= life) {
                let place = format!("user {}, store {}", hex(&id.user), hex(&id.store));
                inspection.finding(place, "this process has seen commits, and now there is no log", ROLLED_BACK);
            }
        }
        Ok(inspection)
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

fn hex(hash: &KeyedHash) -> String {
    memoseal_crypto::to_hex(hash)
}
