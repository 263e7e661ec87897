//! Pages of history: a store's from the head downwards, a memory's from version to version.

use futures_util::TryStreamExt;

use super::{
    blocks::{Down, Seeker},
    replica::Replica,
};
use crate::{
    Error, Result,
    codec::Commit,
    history::{HistoryPage, HistoryQuery, MAX_PAGE, Version},
    log::SIDE_BY_SIDE,
    state::{MemoryId, VersionId},
};

/// Where a time ends the page, it may be near: the first commits are read with so many side by side, twice as many
/// each time after that.
const CAUTIOUS: usize = 8;
/// How far apart the clocks of two writers may be before a page that begins at some time misses anything.
const CLOCKS_APART_MS: i64 = 60 * 60 * 1_000;

/// A page that is being filled.
struct Filling<'a> {
    query: &'a HistoryQuery,
    limit: usize,
    versions: Vec<Version>,
}

impl<'a> Filling<'a> {
    fn new(query: &'a HistoryQuery) -> Self {
        Self { query, limit: query.limit.clamp(1, MAX_PAGE), versions: Vec::new() }
    }

    fn room(&self) -> usize {
        self.limit - self.versions.len()
    }

    /// Whether a change made at this time is recent enough.
    fn takes(&self, at_ms: i64) -> bool {
        self.query.since_ms.is_none_or(|since| at_ms >= since)
    }

    /// Whether a change made at this time says that no earlier one belongs on the page.
    fn ends_at(&self, at_ms: i64) -> bool {
        self.query.since_ms.is_some_and(|since| at_ms < since.saturating_sub(CLOCKS_APART_MS))
    }

    /// The page, when there are more versions than fit.
    fn full(self) -> HistoryPage {
        let next = self.versions.last().map(|version| version.id);
        self.page(next)
    }

    fn page(self, next: Option<VersionId>) -> HistoryPage {
        HistoryPage { versions: self.versions, next }
    }
}

/// A page of the whole store's history, and the walk that it came from, if it was one over headers.
pub(super) async fn of_store<'a>(
    replica: &'a Replica,
    query: &HistoryQuery,
) -> Result<(HistoryPage, Option<Down<'a>>)> {
    let head = replica.confirmed().seq;
    if head == 0 {
        return Ok((HistoryPage::default(), None));
    }
    let highest = match query.before {
        Some(before) if before.index == 0 => before.seq.saturating_sub(1).min(head),
        Some(before) => before.seq.min(head),
        None => head,
    };
    if query.audit {
        let mut down = Down::new(replica, highest, 1).await?;
        return Ok((audit_page(query, &mut down).await?, Some(down)));
    }
    Ok((store_page(replica, query, highest).await?, None))
}

/// The page read from headers alone.
async fn audit_page(query: &HistoryQuery, down: &mut Down<'_>) -> Result<HistoryPage> {
    let mut filling = Filling::new(query);
    loop {
        if filling.room() == 0 {
            return Ok(if down.is_done() { filling.page(None) } else { filling.full() });
        }
        let most = if query.since_ms.is_some() { CAUTIOUS.min(filling.room()) } else { filling.room() };
        let headers = down.next(most as u64).await?;
        if headers.is_empty() {
            return Ok(filling.page(None));
        }
        for header in headers {
            if header.ids().map(|(_, at_ms)| at_ms).max().is_some_and(|at_ms| filling.ends_at(at_ms)) {
                return Ok(filling.page(None));
            }
            for (id, at_ms) in header.ids().rev() {
                if !filling.takes(at_ms) || query.before.is_some_and(|before| id >= before) {
                    continue;
                }
                if filling.room() == 0 {
                    return Ok(filling.full());
                }
                filling.versions.extend(header.record(id.index)?);
            }
        }
    }
}

/// The page read from commits, which hold paths.
async fn store_page(replica: &Replica, query: &HistoryQuery, highest: u64) -> Result<HistoryPage> {
    let mut filling = Filling::new(query);
    let keys = replica.keys().await?;
    let (head, head_chain) = {
        let confirmed = replica.confirmed();
        (confirmed.seq, confirmed.chain(keys))
    };
    let mut seq = highest;
    // The chain value that the next commit has to have, where that is known.
    let mut chain = (seq == head).then_some(head_chain);
    let mut width = if query.since_ms.is_some() { CAUTIOUS } else { SIDE_BY_SIDE };
    while seq > 0 {
        if filling.room() == 0 {
            return Ok(filling.full());
        }
        let lowest = seq.saturating_sub(filling.room().min(width) as u64 - 1).max(1);
        let mut commits = std::pin::pin!(replica.log.commits(keys, (lowest..=seq).rev()));
        while let Some(commit) = commits.try_next().await? {
            if chain.is_some_and(|chain| chain != commit.chain) {
                let what = format!("commit {}", commit.seq);
                return Err(Error::damaged(what, "the commit after it does not follow from it"));
            }
            chain = Some(commit.previous_chain);
            if commit.ids().map(|(_, at_ms)| at_ms).max().is_some_and(|at_ms| filling.ends_at(at_ms)) {
                return Ok(filling.page(None));
            }
            for (id, at_ms) in commit.ids().rev() {
                if !filling.takes(at_ms) || query.before.is_some_and(|before| id >= before) {
                    continue;
                }
                if filling.room() == 0 {
                    return Ok(filling.full());
                }
                filling.versions.extend(commit.version(keys, id.index)?);
            }
        }
        seq = lowest - 1;
        width = (width * 2).min(SIDE_BY_SIDE);
    }
    Ok(filling.page(None))
}

/// A page of one memory's history.
pub(super) async fn of_memory(
    replica: &Replica,
    query: &HistoryQuery,
    (memory, newest): (MemoryId, VersionId),
) -> Result<HistoryPage> {
    let mut filling = Filling::new(query);
    let mut walk = Walk { replica, commit: None, headers: Seeker::new(replica) };
    let mut next = match query.before {
        Some(before) if before <= newest => walk.newest_before(before, memory, newest).await?,
        _ => Some(newest),
    };
    while let Some(id) = next {
        if filling.room() == 0 {
            // Just above the next version, so that the next page begins with it and need not look for it.
            return Ok(filling.page(Some(VersionId { index: id.index.saturating_add(1), ..id })));
        }
        let version = if query.audit { walk.record(id).await? } else { walk.version(id).await? };
        let version = version.filter(|version| version.memory == memory);
        let version = version.ok_or_else(|| astray(id))?;
        next = earlier(id, version.previous)?;
        if filling.ends_at(version.at_ms) {
            break;
        }
        if filling.takes(version.at_ms) {
            filling.versions.push(version);
        }
    }
    Ok(filling.page(None))
}

/// A walk from version to version of one memory.
struct Walk<'a> {
    replica: &'a Replica,
    /// The commit that was read last; the next version may lie in it too.
    commit: Option<Commit>,
    /// What needs no more than headers reads them here.
    headers: Seeker<'a>,
}

impl Walk<'_> {
    async fn commit(&mut self, seq: u64) -> Result<&Commit> {
        let commit = match self.commit.take() {
            Some(commit) if commit.seq == seq => commit,
            _ => self.replica.commit(seq).await?,
        };
        Ok(self.commit.insert(commit))
    }

    async fn version(&mut self, id: VersionId) -> Result<Option<Version>> {
        let keys = self.replica.keys().await?;
        self.commit(id.seq).await?.version(keys, id.index)
    }

    async fn record(&mut self, id: VersionId) -> Result<Option<Version>> {
        self.headers.header(id.seq).await?.record(id.index)
    }

    /// The newest version of `memory` that came before `before`, which is not above its newest.
    async fn newest_before(
        &mut self,
        before: VersionId,
        memory: MemoryId,
        newest: VersionId,
    ) -> Result<Option<VersionId>> {
        if before.seq == 0 {
            return Ok(None);
        }
        // If the memory was changed in that very commit, its place in the walk is found there …
        let here: Vec<_> = self.commit(before.seq).await?.versions_of(memory).collect();
        if let Some((id, _)) = here.iter().rfind(|(id, _)| *id < before) {
            return Ok(Some(*id));
        }
        if let Some((id, previous)) = here.first() {
            return earlier(*id, *previous);
        }
        // … and if not, by walking there.
        let mut next = Some(newest);
        while let Some(id) = next.filter(|id| *id >= before) {
            let header = self.headers.header(id.seq).await?;
            let mut versions = header.versions_of(memory);
            let (_, previous) = versions.find(|(found, _)| *found == id).ok_or_else(|| astray(id))?;
            next = earlier(id, previous)?;
        }
        Ok(next)
    }
}

/// The version before, which has to lie earlier in the log: a walk ends.
fn earlier(id: VersionId, previous: Option<VersionId>) -> Result<Option<VersionId>> {
    match previous {
        Some(previous) if previous >= id => {
            Err(Error::damaged(format!("version {id}"), "it names a later version as the one before it"))
        }
        previous => Ok(previous),
    }
}

fn astray(id: VersionId) -> Error {
    Error::damaged(format!("version {id}"), "it is not one of the memory that names it")
}
