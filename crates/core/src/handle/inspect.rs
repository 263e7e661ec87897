//! Looking at a whole vault with nothing but its key: what lies in it, and whether it is what was written.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt};
use memoseal_crypto::TOMBSTONE_LEN;
use object_store::{ObjectMeta, path::Path};
use sha2::{Digest, Sha256};

use super::{
    Vault, catalogue,
    checks::{self, BlockCheck},
    gaps::{Gaps, name_of},
    keyrings::{Newest, read_keyring},
};
use crate::{
    Error, Result,
    codec::{Commit, Missing, StoreKeys},
    log::{
        Log, in_time, list,
        names::{self, KeyedHash},
    },
    state::{Closing, Note, Replay, State},
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
    /// The generations of the vault's header that were listed.
    headers: BTreeSet<u64>,
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

const RESTORE: &str = "restore the object from a backup or an older version of the bucket, and find out who changed it";
const ROLLED_BACK: &str = "restore what is missing; if you have put a backup in place yourself, open it once with \
                           --accept-rollback";
const NEWER: &str = "update memoseal; if no newer one writes to this vault, somebody changed the object: restore it";
const UNFINISHED: &str = "run `memoseal maintain`; it may be on its way";
const REWRITE: &str =
    "somebody changed it; delete the object, and run `memoseal maintain`, which writes it anew from the log";
const UNKNOWN: &str = "memoseal did not write it: find out who did, and delete it";

/// What the listing says about one log.
#[derive(Default)]
struct LogListing {
    user_life: u64,
    store_life: u64,
    numbers: BTreeSet<u64>,
    checkpoints: BTreeSet<u64>,
    /// Blocks of history.
    blocks: BTreeSet<u64>,
    bytes: u64,
    /// Objects that are not empty.
    full: u64,
}

#[derive(Default)]
struct UserListing {
    /// Number and size.
    keyrings: BTreeMap<u64, u64>,
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

impl Inspection {
    fn finding(&mut self, place: String, problem: impl Into<String>, advice: &'static str) {
        self.findings.push(Finding { place, problem: problem.into(), advice, is_damage: true });
    }

    /// Notes generations that should be stubs.
    fn not_superseded(&mut self, what: &str, generations: Vec<u64>) {
        for generation in generations {
            let (place, problem) = (format!("{what}, generation {generation}"), checks::STILL_THERE.into());
            self.findings.push(Finding { place, problem, advice: UNFINISHED, is_damage: false });
        }
    }

    /// Notes what is left of a user that was destroyed.
    fn destroyed(&mut self, user: &KeyedHash, life: u64, listing: &UserListing) {
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
    fn swept(&mut self, place: String, full: u64) {
        if full > 0 {
            self.finding(place, format!("it was destroyed, and {full} objects are not overwritten yet"), UNFINISHED);
        }
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

/// What goes by the last commit of a log, if it has ended. What is wrong with that commit is found by the walk.
async fn end_of(log: &Log, keys: &StoreKeys, listing: &LogListing) -> Result<Option<Closing>> {
    let Some(last) = listing.numbers.last().copied() else { return Ok(None) };
    let bytes = match log.bytes(last).await {
        Err(Error::Damaged { .. }) => None,
        bytes => bytes?,
    };
    Ok(bytes.and_then(|bytes| Commit::open(keys, last, bytes).ok()).and_then(|commit| commit.closing()))
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
    /// Lives after the first that the log, if it is the catalogue, says were about to be made.
    entered: BTreeSet<(KeyedHash, u64)>,
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
        let mut blocks = BlockCheck::new(&listing.blocks);
        // After damage, what follows cannot be compared with what came before.
        let mut is_whole = true;
        let mut commits = std::pin::pin!(log.commits(&keys, listing.numbers.iter().copied()));
        while let Some(commit) = commits.next().await {
            each();
            let commit = match commit {
                Ok(commit) => commit,
                Err(error) => {
                    (chain, is_whole) = (None, false);
                    self.damage(&store.name, error)?;
                    continue;
                }
            };
            let follows = commit.seq == before + 1;
            before = commit.seq;
            is_whole &= follows;
            if follows && chain.is_some_and(|chain| chain != commit.previous_chain) {
                self.damage(&store.name, Error::damaged(format!("commit {}", commit.seq), BROKEN))?;
            }
            chain = Some(commit.chain);
            if floor.is_some_and(|floor| floor.seq == commit.seq && floor.chain != commit.chain) {
                let problem = format!("commit {} is not the one that was seen before", commit.seq);
                self.inspection.finding(self.place(&store.name), problem, ROLLED_BACK);
            }
            store.changes += commit.changes() as u64;
            if let Some(problem) = blocks.commit(log, &keys, &commit).await? {
                self.block(&store.name, problem)?;
            }
            if commit.seq == 1 && commit.store_name().is_none() {
                self.damage(&store.name, Error::damaged("commit 1", "it does not name its store"))?;
            }
            if let Some(name) = commit.store_name() {
                name.clone_into(&mut store.name);
                if names::store_hash(self.vault.open_vault().name_key(), self.user, name) != self.store {
                    self.damage(&store.name, Error::damaged("commit 1", "it names another store"))?;
                }
            }
            match self.commit(&commit) {
                Ok(changes) => {
                    gaps.look(&commit);
                    for (link, change) in checks::linked(&commit, changes) {
                        if let Some(problem) = link.filter(|_| is_whole).and_then(|link| checks::astray(&state, &link))
                        {
                            self.damage(&store.name, problem)?;
                        }
                        if let Some(problem) = checks::misplaced(&change) {
                            let place = self.place(&store.name);
                            self.inspection.finding(place, problem, checks::FOREIGN);
                        }
                        gaps.note(&change);
                        if let Replay::Note { note: Note::Entered { store, life: life @ 2.. }, .. } = &change {
                            self.entered.insert((*store, *life));
                        }
                        carried.iter_mut().for_each(|(_, state)| state.replay(change.clone()));
                        state.replay(change);
                    }
                }
                Err(error) => {
                    is_whole = false;
                    self.damage(&store.name, error)?;
                }
            }
            if listing.checkpoints.contains(&commit.seq) {
                match self.checkpoint(log, &commit).await {
                    Ok(begin) => carried.extend(begin.map(|state| (commit.seq, state))),
                    Err(error) => self.damage(&store.name, error)?,
                }
            }
        }
        for number in blocks.beyond(head) {
            let problem = format!("block {number} of the history: there are no such commits");
            self.inspection.finding(self.place(&store.name), problem, UNKNOWN);
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
        store.missing_blocks = blocks.missing;
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

    /// What is wrong with a block: the log has everything that a block holds, so that nothing is lost.
    fn block(&mut self, store: &str, problem: Error) -> Result<()> {
        let place = self.place(store);
        match problem {
            Error::Damaged { what, problem } => {
                self.inspection.finding(place, format!("{what}: {problem}"), REWRITE);
                Ok(())
            }
            other => self.inspection.damage(place, other),
        }
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
