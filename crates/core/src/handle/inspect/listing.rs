//! What lies in a vault, as its listing says: every name put where it belongs.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use object_store::{ObjectMeta, path::Path};

use super::{
    Vault,
    report::{Inspection, UNKNOWN},
};
use crate::{
    Error, Result,
    log::{
        in_time,
        names::{self, KeyedHash},
    },
};

/// What the listing says about one log.
#[derive(Default)]
pub(super) struct LogListing {
    pub(super) user_life: u64,
    pub(super) store_life: u64,
    pub(super) numbers: BTreeSet<u64>,
    pub(super) checkpoints: BTreeSet<u64>,
    /// Blocks of history.
    pub(super) blocks: BTreeSet<u64>,
    pub(super) bytes: u64,
    /// Objects that are not empty.
    pub(super) full: u64,
}

#[derive(Default)]
pub(super) struct UserListing {
    /// Number and size.
    pub(super) keyrings: BTreeMap<u64, u64>,
    /// By keyed hash of the store, user life and store life.
    pub(super) logs: BTreeMap<(KeyedHash, u64, u64), LogListing>,
}

impl Vault {
    /// Lists everything. One request for each 1,000 objects.
    pub(super) async fn list_everything(
        &self,
        inspection: &mut Inspection,
    ) -> Result<BTreeMap<KeyedHash, UserListing>> {
        let mut users: BTreeMap<KeyedHash, UserListing> = BTreeMap::new();
        let prefix = self.prefix();
        let mut listing = self.backend().rest().list((!prefix.as_ref().is_empty()).then_some(prefix));
        loop {
            let next = in_time(self.patience().read, listing.try_next()).await;
            let next = next.map_err(|error| Error::backend("cannot list the vault", error))?;
            let Some(object) = next else { break };
            inspection.objects += 1;
            inspection.bytes += object.size;
            if let Some(generation) = names::parse_generation(&names::headers(prefix), &object.location) {
                inspection.headers.insert(generation);
                continue;
            }
            if object.location == names::clock(prefix) {
                continue;
            }
            if !place(prefix, &object, &mut users) {
                inspection.finding(format!("object {}", object.location), "not a name that memoseal uses", UNKNOWN);
            }
        }
        Ok(users)
    }
}

/// Puts a listed object where it belongs, or says that it belongs nowhere.
fn place(prefix: &Path, object: &ObjectMeta, users: &mut BTreeMap<KeyedHash, UserListing>) -> bool {
    let Some(parts) = object.location.prefix_match(&names::users(prefix)) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some(user) = parts.first().and_then(|part| names::parse_hash(part.as_ref())) else { return false };
    if let Some(generation) = names::parse_generation(&names::keyrings(prefix, &user), &object.location) {
        return users.entry(user).or_default().keyrings.insert(generation, object.size).is_none();
    }
    if let Some(block) = names::parse_block(prefix, &user, &object.location) {
        let key = (block.store, block.user_life, block.store_life);
        let log = users.entry(user).or_default().logs.entry(key).or_default();
        (log.user_life, log.store_life) = (block.user_life, block.store_life);
        log.bytes += object.size;
        log.full += u64::from(object.size > 0);
        return log.blocks.insert(block.number);
    }
    let Some(store) = parts.get(2).and_then(|part| names::parse_hash(part.as_ref())) else { return false };
    let Some(name) = names::parse_log(&names::lives(prefix, &user, &store), &object.location) else { return false };
    let logs = &mut users.entry(user).or_default().logs;
    let log = logs.entry((store, name.user_life, name.store_life)).or_default();
    (log.user_life, log.store_life) = (name.user_life, name.store_life);
    log.bytes += object.size;
    log.full += u64::from(object.size > 0);
    if name.is_checkpoint { log.checkpoints.insert(name.seq) } else { log.numbers.insert(name.seq) }
}
