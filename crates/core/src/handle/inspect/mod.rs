//! Looking at a whole vault with nothing but its key: what lies in it, and whether it is what was written.
//!
//! | module | what it holds |
//! |---|---|
//! | `report` | what an inspection tells, and what it advises |
//! | `listing` | every name put where it belongs |
//! | `user` | the keyrings and logs of one user |
//! | `walk` | the walk along one log |
//! | `gaps` | what is missing in a log, and what of it lawfully |
//! | `checks` | what is kept twice, superseded, or against the rules |

mod checks;
mod gaps;
mod listing;
mod report;
mod user;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

pub use self::report::{Depth, Finding, Inspection, StoreInspection, UserInspection};
use self::{
    report::{RESTORE, ROLLED_BACK},
    user::Looking,
};
use super::{Vault, keyrings};
use crate::{
    Error, Result,
    log::names::{self, KeyedHash},
    witness::LogId,
};

impl Vault {
    /// Looks at everything in the vault. Where the options accept a rollback, each log without a finding is taken as it
    /// is. `progress` is told, after each commit, how many of how many were read.
    ///
    /// What is damaged becomes a finding, and the rest is looked at all the same.
    ///
    /// # Errors
    /// [`Error::Backend`] if the vault cannot be reached.
    pub async fn inspect(&self, depth: Depth, progress: impl FnMut(u64, u64) + Send) -> Result<Inspection> {
        self.inspect_only(None, depth, progress).await
    }

    /// [`Vault::inspect`], of the vault's header and one user alone, if one is given.
    pub(super) async fn inspect_only(
        &self,
        user: Option<KeyedHash>,
        depth: Depth,
        mut progress: impl FnMut(u64, u64) + Send,
    ) -> Result<Inspection> {
        let mut inspection = Inspection::default();
        // Before the listing: what comes meanwhile is no rollback.
        let (floor, seen) = (self.header().open.generation(), self.seen_logs().await?);
        let is_meant = |id: &LogId| user.is_none_or(|user| id.user == user);
        let users = self.list_everything(user, &mut inspection).await?;
        let newest = inspection.headers.last().copied().unwrap_or(0);
        if newest < floor {
            let problem = format!("the newest is generation {newest}, but this process has seen {floor}");
            inspection.finding("the vault's header".into(), problem, RESTORE);
        }
        let headers = std::mem::take(&mut inspection.headers);
        let left = checks::not_superseded(self, &headers, names::headers(self.prefix()), |_, _| false).await?;
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
        let mut each = || {
            done += 1;
            progress(done, total);
        };
        for (hash, listing) in users {
            let before = (inspection.findings.len(), inspection.users.len());
            let looking = Looking { vault: self, hash, depth, inspection: &mut inspection };
            let Some(life) = looking.user(listing, &mut each).await? else { continue };
            lives.insert(hash, life);
            // What is destroyed at this moment looks damaged. Nobody without the key makes a tombstone.
            if inspection.findings.len() > before.0
                && let Some(newest) = life_now(self, &hash).await?.filter(|newest| *newest > life)
            {
                inspection.findings.truncate(before.0);
                inspection.users.truncate(before.1);
                lives.insert(hash, newest);
            }
        }
        for id in seen.into_iter().filter(is_meant).filter(|id| !listed.contains(&(id.user, id.store))) {
            // Where a rollback is accepted there is no floor, and what was noted is forgotten.
            self.rebase(&id, None).await?;
            let floor = self.floor(&id).await?;
            let life = lives.get(&id.user).copied().unwrap_or(0);
            if floor.is_some_and(|floor| floor.user_life >= life) {
                let place = format!("user {}, store {}", hex(&id.user), hex(&id.store));
                inspection.finding(place, "commits were seen there, and now there is no log", ROLLED_BACK);
            }
        }
        Ok(inspection)
    }
}

/// The life that a user has, or would have if it were made now; nothing where the bucket cannot tell. Two requests.
async fn life_now(vault: &Vault, user: &KeyedHash) -> Result<Option<u64>> {
    match keyrings::newest(vault, user).await {
        Ok(newest) => Ok(Some(newest.life())),
        Err(Error::Damaged { .. } | Error::NewerFormat { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn hex(hash: &KeyedHash) -> String {
    memoseal_crypto::to_hex(hash)
}
