//! Blocks of history: written beside the work, read in place of the commits whose headers they hold.
//!
//! They decide nothing. A block that is missing, or is not what the log says, is passed over, and the commits are read.

use std::{collections::BTreeSet, sync::Arc};

use bytes::Bytes;
use futures_util::TryStreamExt;

use super::replica::Replica;
use crate::{
    Error, Result,
    codec::{Block, COMMITS, ChainValue, SealedHeader},
};

/// A block costs two requests at most: so many headers of it have to be wanted.
const WORTHWHILE: u64 = 4;

/// Of the block that is being filled, so many bytes of headers are kept in memory; beyond that they are read again.
const GATHERED_BYTES: usize = 1024 * 1024;

/// A block of more bytes is not kept for the next page.
const KEPT_BYTES: usize = 1024 * 1024;

/// The sealed headers of the newest commits, as far as they are those of one block.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    first: u64,
    headers: Vec<Bytes>,
    bytes: usize,
}

impl Gathered {
    /// Takes the header of a commit that was applied.
    pub(super) fn push(&mut self, seq: u64, header: &[u8]) {
        let (first, _) = Block::range(Block::of(seq));
        if self.first != first {
            *self = Self { first, ..Self::default() };
        }
        // Only what is whole from its first commit on will be of use.
        if first + self.headers.len() as u64 == seq && self.bytes + header.len() <= GATHERED_BYTES {
            self.bytes += header.len();
            self.headers.push(Bytes::copy_from_slice(header));
        } else {
            (self.headers, self.bytes) = (Vec::new(), 0);
        }
    }

    /// The headers of this block, if all of them are here.
    fn whole(&self, number: u64) -> Option<Vec<Bytes>> {
        let (first, _) = Block::range(number);
        (self.first == first && self.headers.len() as u64 == COMMITS).then(|| self.headers.clone())
    }
}

/// Writes a block beside the work, if commit `seq` of this process fills one.
pub(super) fn after_commit(replica: &Arc<Replica>, seq: u64) {
    let Some(number) = Block::filled_by(seq) else { return };
    let gathered = replica.confirmed().gathered.whole(number);
    in_background(replica, number, gathered);
}

fn in_background(replica: &Arc<Replica>, number: u64, headers: Option<Vec<Bytes>>) {
    let writer = Arc::clone(replica);
    replica.in_background(async move {
        if let Err(error) = write(&writer, number, headers).await {
            // The log has everything; maintenance writes what is missing.
            tracing::warn!("no block of history was written: {error}");
        }
    });
}

/// Writes the blocks that are missing. Gives how many. One listing where the log has a whole block, then a request for
/// each commit of a missing one.
pub(super) async fn write_missing(replica: &Replica) -> Result<u64> {
    let full = replica.confirmed().seq / COMMITS;
    if full == 0 {
        return Ok(0);
    }
    let there: BTreeSet<u64> = replica.log.blocks().await?;
    let mut written = 0;
    for number in (1..=full).filter(|number| !there.contains(number)) {
        written += u64::from(write(replica, number, None).await?);
    }
    Ok(written)
}

/// Whether it has a block: not if its headers are too large for one.
async fn write(replica: &Replica, number: u64, headers: Option<Vec<Bytes>>) -> Result<bool> {
    let headers = match headers {
        Some(headers) => headers,
        None => sealed_headers(replica, number).await?,
    };
    let Some(bytes) = Block::write(headers.iter().map(AsRef::as_ref)) else { return Ok(false) };
    replica.log.create_block(replica.user.vault().env(), number, &bytes).await?;
    Ok(true)
}

/// The sealed headers of the commits of a block, read from the log, and checked against the commit after them: what is
/// written once stays.
async fn sealed_headers(replica: &Replica, number: u64) -> Result<Vec<Bytes>> {
    let keys = replica.keys().await?;
    let (head, head_chain) = {
        let confirmed = replica.confirmed();
        (confirmed.seq, confirmed.chain(keys))
    };
    let (first, last) = Block::range(number);
    let mut headers = Vec::new();
    let mut chain = (first == 1).then(|| keys.genesis());
    let mut commits = std::pin::pin!(replica.log.commits(keys, first..=last.saturating_add(1).min(head)));
    while let Some(commit) = commits.try_next().await? {
        if chain.is_some_and(|chain| chain != commit.previous_chain) {
            return Err(not_following(commit.seq));
        }
        chain = Some(commit.chain);
        if commit.seq <= last {
            // A slice would keep the whole commit in memory.
            headers.push(Bytes::copy_from_slice(&commit.sealed_header()));
        }
    }
    if last >= head && chain != Some(head_chain) {
        return Err(not_following(head));
    }
    Ok(headers)
}

fn not_following(seq: u64) -> Error {
    Error::damaged(format!("commit {seq}"), "it does not follow from the commits before it")
}

impl Replica {
    /// Block `number`, if there is one that the log confirms. `chain` is the chain value after its last commit, where
    /// that is known; otherwise the commit after it is asked. One request or two, or none.
    async fn block(&self, number: u64, chain: Option<ChainValue>) -> Result<Option<Arc<Block>>> {
        if let Some(block) = self.kept_block(number) {
            return Ok(Some(block));
        }
        let keys = self.keys().await?;
        let (block, bytes) = match self.log.block(keys, number).await {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(error @ (Error::Damaged { .. } | Error::NewerFormat { .. })) => {
                tracing::warn!("the commits are read instead: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let (_, last) = Block::range(number);
        let head = {
            let confirmed = self.confirmed();
            (confirmed.seq == last).then(|| confirmed.chain(keys))
        };
        let chain = match chain.or(head) {
            Some(chain) => chain,
            None => self.commit(last.saturating_add(1)).await?.previous_chain,
        };
        if block.chain() != Some(chain) {
            tracing::warn!("the commits are read instead: block {number} of the history does not follow from the log");
            return Ok(None);
        }
        let block = Arc::new(block);
        if bytes <= KEPT_BYTES {
            self.keep_block(number, &block);
        }
        Ok(Some(block))
    }

    /// Whether all commits of block `number` are confirmed, so that there may be one.
    fn may_have_block(&self, number: u64) -> bool {
        Block::range(number).1 <= self.confirmed().seq
    }
}

/// A walk over the headers of confirmed commits, newest first.
pub(super) struct Down<'a> {
    replica: &'a Replica,
    next: u64,
    lowest: u64,
    /// The chain value after commit `next`, where it is known.
    chain: Option<ChainValue>,
    /// Blocks that could not be read, with what belongs in them.
    missed: Vec<(u64, Vec<Bytes>)>,
}

impl<'a> Down<'a> {
    /// From `highest`, which is confirmed, to `lowest`, both included.
    pub(super) async fn new(replica: &'a Replica, highest: u64, lowest: u64) -> Result<Self> {
        let keys = replica.keys().await?;
        let confirmed = replica.confirmed();
        let chain = (highest == confirmed.seq).then(|| confirmed.chain(keys));
        Ok(Self { replica, next: highest, lowest: lowest.max(1), chain, missed: Vec::new() })
    }

    /// The next headers, newest first; none at the end. About `most` of them are wanted: more come if they cost nothing.
    pub(super) async fn next(&mut self, most: u64) -> Result<Vec<Arc<SealedHeader>>> {
        if self.is_done() {
            return Ok(Vec::new());
        }
        let number = Block::of(self.next);
        let (first, last) = Block::range(number);
        let from = first.max(self.lowest);
        let wanted = most.clamp(1, self.next - from + 1);
        let is_worthwhile = wanted >= WORTHWHILE || self.replica.kept_block(number).is_some();
        let block = if is_worthwhile && self.replica.may_have_block(number) {
            self.replica.block(number, self.chain.filter(|_| self.next == last)).await?
        } else {
            None
        };
        let headers: Vec<_> = match block {
            Some(block) => (from..=self.next).rev().filter_map(|seq| block.header(seq).map(Arc::clone)).collect(),
            None => self.commits(self.next - wanted + 1).await?,
        };
        for header in &headers {
            if self.chain.is_some_and(|chain| chain != header.chain) {
                let what = format!("commit {}", header.seq);
                return Err(Error::damaged(what, "the commit after it does not follow from it"));
            }
            self.chain = Some(header.previous_chain);
            self.next = header.seq - 1;
        }
        Ok(headers)
    }

    /// Whether it has come to its end.
    pub(super) fn is_done(&self) -> bool {
        self.next < self.lowest
    }

    async fn commits(&mut self, from: u64) -> Result<Vec<Arc<SealedHeader>>> {
        let keys = self.replica.keys().await?;
        let number = Block::of(from);
        let is_whole = Block::range(number) == (from, self.next) && self.chain.is_some();
        let mut commits = std::pin::pin!(self.replica.log.commits(keys, (from..=self.next).rev()));
        let (mut headers, mut sealed) = (Vec::new(), Vec::new());
        while let Some(commit) = commits.try_next().await? {
            if is_whole {
                sealed.push(Bytes::copy_from_slice(&commit.sealed_header()));
            }
            headers.push(Arc::new(commit.into_header()));
        }
        if is_whole {
            sealed.reverse();
            self.missed.push((number, sealed));
        }
        Ok(headers)
    }

    /// Writes beside the work what was missed on the way.
    pub(super) fn write_missed(self, replica: &Arc<Replica>) {
        if replica.options.read_only {
            return;
        }
        for (number, headers) in self.missed {
            in_background(replica, number, Some(headers));
        }
    }
}

/// Reads the headers of single commits, going back in the log. Where many lie in one block, that is read once.
pub(super) struct Seeker<'a> {
    replica: &'a Replica,
    /// The block in which the last header lay, and the block itself if it was read.
    last: Option<(u64, Option<Arc<Block>>)>,
}

impl<'a> Seeker<'a> {
    pub(super) fn new(replica: &'a Replica) -> Self {
        Self { replica, last: None }
    }

    /// The header of commit `seq`, which is confirmed.
    pub(super) async fn header(&mut self, seq: u64) -> Result<Arc<SealedHeader>> {
        let number = Block::of(seq);
        let block = match self.last.take().filter(|(last, _)| *last == number) {
            Some((_, Some(block))) => Some(block),
            // The second in a row: there will be more.
            Some((_, None)) if self.replica.may_have_block(number) => self.replica.block(number, None).await?,
            _ => self.replica.kept_block(number),
        };
        let header = block.as_ref().and_then(|block| block.header(seq).map(Arc::clone));
        self.last = Some((number, block));
        match header {
            Some(header) => Ok(header),
            None => Ok(Arc::new(self.replica.commit(seq).await?.into_header())),
        }
    }
}
