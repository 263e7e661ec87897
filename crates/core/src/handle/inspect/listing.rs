//! What lies in a vault, as its listing says: every name put where it belongs.

use std::collections::{BTreeMap, BTreeSet};

use memoseal_crypto::TOMBSTONE_LEN;

use super::{
    Vault,
    report::{Inspection, UNKNOWN},
};
use crate::{
    Result,
    log::{
        Objects,
        names::{self, KeyedHash, Name},
    },
};

/// So many names that are not memoseal's are told one by one.
const NAMED: u64 = 1_000;

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

impl UserListing {
    /// Whether nothing but tombstones and empty objects is there.
    pub(super) fn is_swept(&self) -> bool {
        self.keyrings.values().all(|size| *size == TOMBSTONE_LEN as u64) && self.logs.values().all(|log| log.full == 0)
    }

    /// The log of which an object of this size is listed.
    fn log(&mut self, store: KeyedHash, user_life: u64, store_life: u64, size: u64) -> &mut LogListing {
        let log = self.logs.entry((store, user_life, store_life)).or_default();
        (log.user_life, log.store_life) = (user_life, store_life);
        log.bytes += size;
        log.full += u64::from(size > 0);
        log
    }
}

impl Vault {
    /// Lists everything; of the users only `only`, if one is given, and nothing but the header beside. One request for each
    /// 1,000 objects.
    pub(super) async fn list_everything(
        &self,
        only: Option<KeyedHash>,
        inspection: &mut Inspection,
    ) -> Result<BTreeMap<KeyedHash, UserListing>> {
        let mut users: BTreeMap<KeyedHash, UserListing> = BTreeMap::new();
        let prefix = self.prefix();
        let mut foreign = 0;
        for folder in names::folders_of(prefix, only) {
            let mut listing = Objects::below(self.backend(), self.patience(), &folder);
            while let Some(object) = listing.next().await? {
                inspection.objects += 1;
                inspection.bytes += object.size;
                // A name that is listed twice is not one of ours either.
                let is_ours = match Name::parse(prefix, &object.location) {
                    Some(Name::Header(generation)) => inspection.headers.insert(generation),
                    Some(Name::Clock) => true,
                    Some(Name::Keyring { user, generation }) => {
                        users.entry(user).or_default().keyrings.insert(generation, object.size).is_none()
                    }
                    Some(Name::Log { user, store, name }) => {
                        let log =
                            users.entry(user).or_default().log(store, name.user_life, name.store_life, object.size);
                        if name.is_checkpoint { log.checkpoints.insert(name.seq) } else { log.numbers.insert(name.seq) }
                    }
                    Some(Name::Block { user, name }) => {
                        let user = users.entry(user).or_default();
                        let log = user.log(name.store, name.user_life, name.store_life, object.size);
                        log.blocks.insert(name.number)
                    }
                    None => false,
                };
                if !is_ours {
                    foreign += 1;
                    if foreign <= NAMED {
                        inspection.finding(
                            format!("object {}", object.location),
                            "not a name that memoseal uses",
                            UNKNOWN,
                        );
                    }
                }
            }
        }
        if foreign > NAMED {
            let problem = format!("{} more are listed under names that memoseal does not use", foreign - NAMED);
            inspection.finding("objects".into(), problem, UNKNOWN);
        }
        Ok(users)
    }
}
