//! Looking at a whole vault with nothing but its key: what lies in it, and whether it is what was written.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt};
use object_store::{ObjectMeta, path::Path};
use sha2::{Digest, Sha256};

use super::{
    Vault,
    gaps::{Gaps, name_of},
    keyrings::read_keyring,
};
use crate::{
    Error, Result,
    codec::{Commit, Missing, StoreKeys},
    log::{
        Log, in_time, list,
        names::{self, KeyedHash},
    },
    state::{Replay, State},
    witness::{LogId, Seen},
};

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
    /// The newest generation of the vault's header that was listed; 0 if none was.
    newest_header: u64,
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
}

const RESTORE: &str = "restore the object from a backup or an older version of the bucket, and find out who changed it";
const ROLLED_BACK: &str = "restore what is missing; if you have put a backup in place yourself, open it once with \
                           --accept-rollback";
const NEWER: &str = "update memoseal; if no newer one writes to this vault, somebody changed the object: restore it";
const UNFINISHED: &str = "run `memoseal maintain`; it may be on its way";
const UNKNOWN: &str = "memoseal did not write it: find out who did, and delete it";

/// What the listing says about one log.
#[derive(Default)]
struct LogListing {
    user_life: u64,
    store_life: u64,
    numbers: BTreeSet<u64>,
    checkpoints: BTreeSet<u64>,
    bytes: u64,
}

#[derive(Default)]
struct UserListing {
    keyrings: BTreeSet<u64>,
    /// By keyed hash of the store, user life and store life.
    logs: BTreeMap<(KeyedHash, u64, u64), LogListing>,
}

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
        if inspection.newest_header < floor {
            let newest = inspection.newest_header;
            let problem = format!("the newest is generation {newest}, but this process has seen {floor}");
            inspection.finding("the vault's header".into(), problem, RESTORE);
        }
        for id in seen {
            let is_listed = |user: &UserListing| user.logs.keys().any(|(store, ..)| *store == id.store);
            if !users.get(&id.user).is_some_and(is_listed) {
                let place = format!("user {}, store {}", hex(&id.user), hex(&id.store));
                inspection.finding(place, "this process has seen commits, and now there is no log", ROLLED_BACK);
            }
        }
        let total = users.values().flat_map(|user| user.logs.values()).map(|log| log.numbers.len() as u64).sum();
        let mut done = 0;
        for (hash, listing) in users {
            let Some(generation) = listing.keyrings.last().copied() else {
                inspection.finding(format!("user {}", hex(&hash)), "there are commits but no keyring", RESTORE);
                continue;
            };
            let keyring = match read_keyring(self, &hash, generation).await {
                Ok(keyring) => keyring,
                Err(error) => {
                    inspection.damage(format!("user {}", hex(&hash)), error)?;
                    continue;
                }
            };
            let name = keyring.user().to_owned();
            let mut stores = Vec::new();
            for ((store, user_life, store_life), log_listing) in listing.logs {
                if user_life != keyring.life() {
                    let place = format!("user {name}, store {}", hex(&store));
                    inspection.finding(place, "the log belongs to no life of this user", RESTORE);
                    continue;
                }
                let keys = StoreKeys::new(std::sync::Arc::clone(&keyring), self.id(), store, store_life);
                let lives = names::lives(self.prefix(), &hash, &store);
                let log = self.log(names::log(&lives, user_life, store_life));
                let mut walk =
                    Walk { vault: self, user: &name, user_hash: hash, store, keys, depth, inspection: &mut inspection };
                let mut each = || {
                    done += 1;
                    progress(done, total);
                };
                stores.push(walk.log(&log, &log_listing, &mut each).await?);
            }
            inspection.users.push(UserInspection { name, stores });
        }
        Ok(inspection)
    }

    async fn list_everything(&self, inspection: &mut Inspection) -> Result<BTreeMap<KeyedHash, UserListing>> {
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
                inspection.newest_header = inspection.newest_header.max(generation);
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
        return users.entry(user).or_default().keyrings.insert(generation);
    }
    let Some(store) = parts.get(2).and_then(|part| names::parse_hash(part.as_ref())) else { return false };
    let Some(name) = names::parse_log(&names::lives(prefix, &user, &store), &object.location) else { return false };
    let logs = &mut users.entry(user).or_default().logs;
    let log = logs.entry((store, name.user_life, name.store_life)).or_default();
    (log.user_life, log.store_life) = (name.user_life, name.store_life);
    log.bytes += object.size;
    if name.is_checkpoint { log.checkpoints.insert(name.seq) } else { log.numbers.insert(name.seq) }
}

impl Inspection {
    fn finding(&mut self, place: String, problem: impl Into<String>, advice: &'static str) {
        self.findings.push(Finding { place, problem: problem.into(), advice });
    }

    /// Notes damage, and what only a newer memoseal can read; whatever else went wrong ends the inspection.
    fn damage(&mut self, place: String, error: Error) -> Result<()> {
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

/// The walk along one log.
struct Walk<'a> {
    vault: &'a Vault,
    user: &'a str,
    user_hash: KeyedHash,
    store: KeyedHash,
    keys: StoreKeys,
    depth: Depth,
    inspection: &'a mut Inspection,
}

impl Walk<'_> {
    async fn log(&mut self, log: &Log, listing: &LogListing, each: &mut impl FnMut()) -> Result<StoreInspection> {
        let head = listing.numbers.last().copied().unwrap_or(0);
        let mut store = StoreInspection {
            commits: listing.numbers.len() as u64,
            stored_bytes: listing.bytes,
            ..StoreInspection::default()
        };
        let keys = self.keys.clone();
        let id = LogId { vault: self.vault.id(), user: self.user_hash, store: self.store };
        let floor = self
            .vault
            .floor(&id)
            .await?
            .filter(|floor| (floor.user_life, floor.store_life) == (listing.user_life, listing.store_life));
        let before_findings = self.inspection.findings.len();
        let mut state = State::default();
        // The chain value to follow from; none after a commit that could not be read.
        let mut chain = Some(keys.genesis());
        // Each checkpoint as it goes on from its own number: at the head it has to agree with the log.
        let mut carried: Vec<(u64, State)> = Vec::new();
        for (first, last) in gaps(&listing.numbers) {
            let what = if first == last { format!("commit {first}") } else { format!("commits {first} to {last}") };
            self.damage(&store.name, Error::damaged(what, "missing, but later ones exist"))?;
        }
        let mut before = 0;
        let mut gaps = Gaps::default();
        let mut commits = std::pin::pin!(log.commits(&keys, listing.numbers.iter().copied()));
        while let Some(commit) = commits.next().await {
            each();
            let commit = match commit {
                Ok(commit) => commit,
                Err(error) => {
                    chain = None;
                    self.damage(&store.name, error)?;
                    continue;
                }
            };
            let follows = commit.seq == before + 1;
            before = commit.seq;
            if follows && chain.is_some_and(|chain| chain != commit.previous_chain) {
                self.damage(&store.name, Error::damaged(format!("commit {}", commit.seq), BROKEN))?;
            }
            chain = Some(commit.chain);
            if floor.is_some_and(|floor| floor.seq == commit.seq && floor.chain != commit.chain) {
                let problem = format!("commit {} is not the one that was seen before", commit.seq);
                self.inspection.finding(self.place(&store.name), problem, ROLLED_BACK);
            }
            store.changes += commit.changes() as u64;
            if let Some(name) = commit.store_name() {
                name.clone_into(&mut store.name);
                if names::store_hash(self.vault.open_vault().name_key(), self.user, name) != self.store {
                    self.damage(&store.name, Error::damaged("commit 1", "it names another store"))?;
                }
            }
            match self.commit(&commit) {
                Ok(changes) => {
                    gaps.look(&commit);
                    for change in changes {
                        gaps.note(&change);
                        carried.iter_mut().for_each(|(_, state)| state.replay(change.clone()));
                        state.replay(change);
                    }
                }
                Err(error) => self.damage(&store.name, error)?,
            }
            if listing.checkpoints.contains(&commit.seq) {
                match self.checkpoint(log, &commit).await {
                    Ok(begin) => carried.extend(begin.map(|state| (commit.seq, state))),
                    Err(error) => self.damage(&store.name, error)?,
                }
            }
        }
        if gaps.unlawful().next().is_some() && head > 0 {
            // What is missing may have been removed by a commit that came after the listing.
            let mut next = head + 1;
            while let Some(bytes) = log.bytes(next).await? {
                match Commit::open(&keys, next, bytes).and_then(|commit| commit.replay(&keys)) {
                    Ok(changes) => changes.iter().for_each(|change| gaps.note(change)),
                    Err(_) => break,
                }
                next += 1;
            }
        }
        for memory in state.iter().filter(|memory| !gaps.holds(memory.content.version)) {
            let what = format!("version {}", memory.version);
            let problem = format!("its content is said to be in version {}, which has none", memory.content.version);
            self.damage(&store.name, Error::damaged(what, problem))?;
        }
        for missing in gaps.unlawful() {
            let what = format!("{} of version {}", name_of(missing.content), missing.version);
            self.damage(&store.name, Error::damaged(what, "it is missing, and nothing in the log removed it"))?;
        }
        for (version, content) in gaps.remaining() {
            // It may have been removed, or stripped, since this walk read it.
            let now = log.bytes(version.seq).await?.map(|bytes| Commit::open(&keys, version.seq, bytes));
            let is_missing = |missing: &Missing| (missing.version, missing.content) == (version, content);
            if now.is_some_and(|now| now.is_ok_and(|commit| commit.missing().iter().any(is_missing))) {
                continue;
            }
            let problem = format!("{} of version {version} was removed, and is still there", name_of(content));
            self.inspection.finding(self.place(&store.name), problem, UNFINISHED);
        }
        for (seq, _) in carried.iter().filter(|(_, carried)| !carried.is_same_as(&state)) {
            let error = Error::damaged(format!("checkpoint {seq}"), "it does not follow from the log");
            self.damage(&store.name, error)?;
        }
        for seq in listing.checkpoints.iter().filter(|seq| **seq > head) {
            self.damage(&store.name, Error::damaged(format!("checkpoint {seq}"), "there is no such commit"))?;
        }
        if let Some(floor) = floor.filter(|floor| floor.seq > head) {
            // It may have been written and seen since the listing.
            let now = list::head(self.vault.backend(), self.vault.patience().read, &self.lives())
                .await?
                .map_or(0, |head| head.commit.seq);
            if now < floor.seq {
                let problem = format!("commit {} was seen before, and now the newest is {now}", floor.seq);
                self.inspection.finding(self.place(&store.name), problem, ROLLED_BACK);
            }
        }
        if let Some(chain) = chain.filter(|_| self.inspection.findings.len() == before_findings) {
            let seen = Seen { user_life: listing.user_life, store_life: listing.store_life, seq: head, chain };
            self.vault.rebase(&id, Some(&seen)).await?;
        }
        store.files = state.files();
        store.content_bytes = state.bytes();
        Ok(store)
    }

    /// The state of the checkpoint beside a commit; nothing if it was deleted since it was listed.
    async fn checkpoint(&self, log: &Log, commit: &Commit) -> Result<Option<State>> {
        let Some(checkpoint) = log.checkpoint(&self.keys, commit.seq).await? else { return Ok(None) };
        if checkpoint.chain != commit.chain {
            return Err(Error::damaged(format!("checkpoint {}", commit.seq), "it belongs to another log"));
        }
        Ok(Some(checkpoint.into_state()))
    }

    fn commit(&self, commit: &Commit) -> Result<Vec<Replay>> {
        commit.check_sections()?;
        let changes = commit.replay(&self.keys)?;
        if self.depth == Depth::Contents {
            for index in commit.with_content() {
                let content = commit.content(&self.keys, index)?;
                let sha256: [u8; 32] = Sha256::digest(&content).into();
                let expected = changes.get(index as usize);
                // Where the meta section was removed and the content is still shared, whoever shares it names its hash.
                let is_right = match expected {
                    Some(Replay::Set(memory)) => (memory.sha256, memory.size) == (sha256, content.len() as u64),
                    expected => matches!(expected, Some(Replay::Skip { .. })),
                };
                if !is_right {
                    let what = format!("content of change {index} in commit {}", commit.seq);
                    return Err(Error::damaged(what, "it is not the content that its meta section names"));
                }
            }
        }
        Ok(changes)
    }

    fn damage(&mut self, store: &str, error: Error) -> Result<()> {
        let place = self.place(store);
        self.inspection.damage(place, error)
    }

    /// Where this is, for people.
    fn place(&self, store: &str) -> String {
        match store {
            "" => format!("user {}, store {}", self.user, hex(&self.store)),
            name => format!("user {}, store {name}", self.user),
        }
    }

    fn lives(&self) -> Path {
        names::lives(self.vault.prefix(), &self.user_hash, &self.store)
    }
}

/// The numbers that are missing below the last one, as ranges.
fn gaps(numbers: &BTreeSet<u64>) -> impl Iterator<Item = (u64, u64)> {
    let before = std::iter::once(0).chain(numbers.iter().copied());
    before.zip(numbers.iter().copied()).filter(|(before, next)| before + 1 < *next).map(|(b, n)| (b + 1, n - 1))
}

const BROKEN: &str = "it does not follow from the commit before it";

fn hex(hash: &KeyedHash) -> String {
    memoseal_crypto::to_hex(hash)
}
