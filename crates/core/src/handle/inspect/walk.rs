//! The walk along one log, from its first commit to its head, with every check on the way.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use object_store::path::Path;
use sha2::{Digest, Sha256};

use super::{
    Depth, Inspection, StoreInspection, Vault,
    checks::{self, BlockCheck},
    gaps::{Gaps, name_of},
    hex,
    listing::LogListing,
    report::{REWRITE, ROLLED_BACK, UNFINISHED, UNKNOWN},
};
use crate::{
    Error, Result,
    codec::{Commit, Missing, StoreKeys},
    log::{
        Log, list,
        names::{self, KeyedHash},
    },
    state::{Note, Replay, State},
    witness::{LogId, Seen},
};

/// The walk along one log.
pub(super) struct Walk<'a> {
    pub(super) vault: &'a Vault,
    pub(super) user: &'a str,
    pub(super) user_hash: KeyedHash,
    pub(super) store: KeyedHash,
    pub(super) keys: StoreKeys,
    pub(super) depth: Depth,
    pub(super) inspection: &'a mut Inspection,
    /// Lives after the first that the log, if it is the catalogue, says were about to be made.
    pub(super) entered: BTreeSet<(KeyedHash, u64)>,
}

impl Walk<'_> {
    pub(super) async fn log(
        &mut self,
        log: &Log,
        listing: &LogListing,
        each: &mut impl FnMut(),
    ) -> Result<StoreInspection> {
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
            store.taken_out += commit.taken_out();
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
