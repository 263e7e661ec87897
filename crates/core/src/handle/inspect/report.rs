//! What an inspection tells.

use std::collections::BTreeSet;

use memoseal_crypto::TOMBSTONE_LEN;

use super::{checks, hex, listing::UserListing};
use crate::{Error, Result, log::names::KeyedHash};

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Walk every log and open every header and meta section; check every section against its hash.
    Sections,
    /// Open the contents too, and compare each with the hash that its meta section holds.
    Contents,
}

/// What was found in a vault.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Inspection {
    /// The number of objects, all kinds.
    pub objects: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The users, in the order of their keyed hashes.
    pub users: Vec<UserInspection>,
    /// What is not as it should be; empty for a clean vault.
    pub findings: Vec<Finding>,
    /// The generations of the vault's header that were listed.
    pub(super) headers: BTreeSet<u64>,
}

/// What a user has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UserInspection {
    /// The user's name, from the keyring.
    pub name: String,
    /// The stores, in the order of their keyed hashes.
    pub stores: Vec<StoreInspection>,
}

/// What a store holds.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StoreInspection {
    /// The store's name, from its first commit.
    pub name: String,
    /// The number of commits.
    pub commits: u64,
    /// The size of its objects in the bucket, in bytes.
    pub stored_bytes: u64,
    /// The number of memories.
    pub files: usize,
    /// The size of their current content, in bytes.
    pub content_bytes: u64,
    /// The number of changes in its log.
    pub changes: u64,
    /// How many values were taken out of what was written before it was sealed, over all changes.
    pub taken_out: u64,
    /// The number of blocks of history that are missing. That is no damage: maintenance writes them.
    pub missing_blocks: u64,
}

/// Something that is not as it should be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// Where: a user, a store, an object.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub advice: &'static str,
    /// Whether what was written is not there as it was written, or somebody else wrote. Otherwise something is only left
    /// to be done.
    pub is_damage: bool,
}

pub(super) const RESTORE: &str =
    "restore the object from a backup or an older version of the bucket, and find out who changed it";
pub(super) const ROLLED_BACK: &str = "restore what is missing; if you have put a backup in place yourself, run \
                           `memoseal verify --accept-rollback`";
pub(super) const NEWER: &str =
    "update memoseal; if no newer one writes to this vault, somebody changed the object: restore it";
pub(super) const UNFINISHED: &str = "run `memoseal maintain`; it may be on its way";
pub(super) const REWRITE: &str =
    "somebody changed it; delete the object, and run `memoseal maintain`, which writes it anew from the log";
pub(super) const UNKNOWN: &str = "memoseal did not write it: find out who did, and delete it";

impl Inspection {
    pub(super) fn finding(&mut self, place: String, problem: impl Into<String>, advice: &'static str) {
        self.findings.push(Finding { place, problem: problem.into(), advice, is_damage: true });
    }

    /// Notes generations that should be stubs.
    pub(super) fn not_superseded(&mut self, what: &str, generations: Vec<u64>) {
        for generation in generations {
            let (place, problem) = (format!("{what}, generation {generation}"), checks::STILL_THERE.into());
            self.findings.push(Finding { place, problem, advice: UNFINISHED, is_damage: false });
        }
    }

    /// Notes what is left of a user that was destroyed.
    pub(super) fn destroyed(&mut self, user: &KeyedHash, life: u64, listing: &UserListing) {
        let place = format!("user {}", hex(user));
        let left = listing.keyrings.values().filter(|size| **size != TOMBSTONE_LEN as u64).count();
        if left > 0 {
            let problem = format!("it was destroyed, and {left} older keyrings are not overwritten yet");
            self.finding(place.clone(), problem, UNFINISHED);
        }
        for ((store, user_life, _), log) in &listing.logs {
            let place = format!("{place}, store {}", hex(store));
            if *user_life > life {
                self.finding(place, "the log belongs to no life of this user", RESTORE);
            } else {
                self.swept(place, log.full);
            }
        }
    }

    /// Notes objects of a log that was destroyed which are not empty.
    pub(super) fn swept(&mut self, place: String, full: u64) {
        if full > 0 {
            self.finding(place, format!("it was destroyed, and {full} objects are not overwritten yet"), UNFINISHED);
        }
    }

    /// Notes damage, and what only a newer memoseal can read; whatever else went wrong ends the inspection.
    pub(super) fn damage(&mut self, place: String, error: Error) -> Result<()> {
        match error {
            Error::Damaged { what, problem } => {
                self.finding(place, format!("{what}: {problem}"), RESTORE);
                Ok(())
            }
            Error::NewerFormat { what } => {
                self.finding(place, format!("{what}: it claims a newer format"), NEWER);
                Ok(())
            }
            other => Err(other),
        }
    }
}
