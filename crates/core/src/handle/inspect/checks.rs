//! What an inspection checks besides damage: whether what is kept twice agrees, whether what is superseded is gone,
//! whether what was written obeys the rules.

use std::collections::BTreeSet;

use bytes::Bytes;
use memoseal_crypto::MAX_HEADER_LEN;
use object_store::path::Path;

use super::Vault;
use crate::{
    Error, Result,
    codec::{Block, COMMITS, Commit, StoreKeys, VersionLink},
    log::{Log, names, read, series},
    path::MemoryPath,
    state::{Replay, State},
};

/// What is wrong with a generation that should be a stub.
pub(super) const STILL_THERE: &str = "it is superseded but was not overwritten";

/// What to do about what no memoseal writes.
pub(super) const FOREIGN: &str = "memoseal did not write it: find out which program has this vault's key; then rename or \
                                  delete the memory";

/// The generations of a series that are superseded and not stubs. One request for each that is superseded.
/// `is_kept`: whether something else than a stub may stand there.
pub(super) async fn not_superseded(
    vault: &Vault,
    generations: &BTreeSet<u64>,
    folder: Path,
    is_kept: impl Fn(u64, &Bytes) -> bool,
) -> Result<Vec<u64>> {
    let (backend, limit) = (vault.backend(), vault.patience().read);
    let mut there = Vec::new();
    for generation in generations.iter().rev().skip(1) {
        let path = names::generation(&folder, *generation);
        match read(backend, limit, &path, MAX_HEADER_LEN as u64, "a superseded generation").await {
            Ok(bytes) => {
                let is_done = |bytes: &Bytes| series::is_stub(bytes) || is_kept(*generation, bytes);
                there.extend(bytes.filter(|bytes| !is_done(bytes)).map(|_| *generation));
            }
            Err(Error::Damaged { .. }) => there.push(*generation),
            Err(error) => return Err(error),
        }
    }
    there.reverse();
    Ok(there)
}

/// The changes of a commit, each with how it hangs together with the version before, if it is one of a memory.
pub(super) fn linked(commit: &Commit, changes: Vec<Replay>) -> impl Iterator<Item = (Option<VersionLink>, Replay)> {
    let mut links = commit.links().into_iter().peekable();
    (0..).zip(changes).map(move |(index, change)| (links.next_if(|link| link.version.index == index), change))
}

/// What is wrong if a change does not follow from the version of its memory that `state` has.
pub(super) fn astray(state: &State, link: &VersionLink) -> Option<Error> {
    let there = state.version_of(link.memory);
    if link.previous == there && (there.is_some() || state.deleted_id(link.memory).is_none()) {
        return None;
    }
    let name = |version: Option<_>| version.map_or("none".to_owned(), |version| format!("{version}"));
    let problem = match there {
        None if link.previous.is_none() => "its memory was deleted before, and identities are not used twice".into(),
        there => format!("it names {} as the version before it, and that is {}", name(link.previous), name(there)),
    };
    Some(Error::damaged(format!("version {}", link.version), problem))
}

/// What is wrong if a memory stands at a path that none may have.
pub(super) fn misplaced(change: &Replay) -> Option<String> {
    let Replay::Set(memory) = change else { return None };
    let shown = memory.path.to_string();
    let is_right = MemoryPath::parse(&shown).is_ok_and(|parsed| parsed == memory.path && !parsed.is_root());
    (!is_right).then(|| format!("version {}: its path is none that a memory may have", memory.version))
}

/// The comparison of blocks of history with the log, as it is walked along.
pub(super) struct BlockCheck<'a> {
    listed: &'a BTreeSet<u64>,
    /// The sealed headers of the block that is being walked along.
    headers: Vec<Bytes>,
    /// How many blocks are missing. That is no damage: a process may have ended before it came to write one.
    pub(super) missing: u64,
}

impl<'a> BlockCheck<'a> {
    pub(super) fn new(listed: &'a BTreeSet<u64>) -> Self {
        Self { listed, headers: Vec::new(), missing: 0 }
    }

    /// Takes the next commit that could be read. At the end of a block it is compared; gives what is wrong with it. One
    /// request a block.
    pub(super) async fn commit(&mut self, log: &Log, keys: &StoreKeys, commit: &Commit) -> Result<Option<Error>> {
        let number = Block::of(commit.seq);
        let (first, last) = Block::range(number);
        if commit.seq == first {
            self.headers.clear();
        }
        self.headers.push(Bytes::copy_from_slice(&commit.sealed_header()));
        if commit.seq != last {
            return Ok(None);
        }
        let headers = std::mem::take(&mut self.headers);
        let is_whole = headers.len() as u64 == COMMITS;
        let expected = Block::write(headers.iter().map(AsRef::as_ref)).filter(|_| is_whole);
        if !self.listed.contains(&number) {
            // One of very large headers is not written.
            self.missing += u64::from(expected.is_some());
            return Ok(None);
        }
        let bytes = match log.block_bytes(number).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                self.missing += 1;
                return Ok(None);
            }
            Err(error @ Error::Damaged { .. }) => return Ok(Some(error)),
            Err(error) => return Err(error),
        };
        if expected.is_some_and(|expected| expected == bytes) {
            return Ok(None);
        }
        Ok(match Block::open(keys, number, &bytes) {
            Err(error) => Some(error),
            // Where commits could not be read, there is nothing to compare it with.
            Ok(_) if !is_whole => None,
            Ok(_) => {
                let what = format!("block {number} of the history");
                Some(Error::damaged(what, "it is not what the log holds"))
            }
        })
    }

    /// The listed blocks that no commit fills.
    pub(super) fn beyond(&self, head: u64) -> impl Iterator<Item = u64> {
        let full = head / COMMITS;
        self.listed.iter().copied().filter(move |number| *number > full)
    }
}
