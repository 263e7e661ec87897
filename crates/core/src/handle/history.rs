//! History: pages of versions, what one of them held, and bringing one back.
//!
//! The log is read from the head downwards, as far as a page needs. The versions of one memory name each other, so
//! that its history is a walk from version to version, whatever else lies between them.

use std::collections::HashMap;

use bytes::Bytes;
use futures_util::{
    TryStreamExt,
    future::{join, join_all},
};
use sha2::{Digest, Sha256};

use super::{Store, plan::Turn, replica::Replica};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    command::{Command, Reply, Restore, Restored},
    history::{HistoryPage, HistoryQuery, MAX_PAGE, Operation, Redaction, Version},
    log::SIDE_BY_SIDE,
    path::MemoryPath,
    state::{MemoryId, VersionId},
};

/// Where a time ends the page, it may be near: the first commits are read with so many side by side, twice as many
/// each time after that.
const CAUTIOUS: usize = 8;
/// How far apart the clocks of two writers may be before a page that begins at some time misses anything.
const CLOCKS_APART_MS: i64 = 60 * 60 * 1_000;

impl Store {
    /// A page of history, newest first: of the whole store, or of one memory.
    ///
    /// One request finds out what is new. After that, a page of the whole store costs at most one for each of its
    /// versions, many side by side; a page of one memory's history costs one for each, one after another. Whatever is
    /// added meanwhile, following [`HistoryPage::next`] gives every older version once.
    ///
    /// # Errors
    /// [`Error::NotFound`] if nothing stands at the path and nothing that stood there was deleted, or there is no such
    /// memory; [`Error::Invalid`] if path and memory are both given; [`Error::Damaged`]; [`Error::Backend`].
    pub async fn history(&self, query: &HistoryQuery) -> Result<HistoryPage> {
        let replica = &*self.replica;
        replica.catch_up().await?;
        let mut page = match (&query.path, query.memory) {
            (None, None) => store_page(replica, query).await?,
            (Some(_), Some(_)) => return Err(Error::Invalid("name a path or a memory, not both".into())),
            (Some(path), None) => {
                let newest = replica.newest_at(path).ok_or_else(|| nothing_at(path))?;
                memory_page(replica, query, newest).await?
            }
            (None, Some(memory)) => {
                let newest = replica.newest_of(memory).ok_or_else(|| Error::NotFound {
                    what: format!("memory {memory}"),
                    hint: "see `memoseal history`".into(),
                })?;
                memory_page(replica, query, newest).await?
            }
        };
        replica.place(&mut page.versions).await?;
        Ok(page)
    }

    /// The record of one version. Two requests at once: one finds out what is new, so that what was redacted is gone
    /// from here on.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such version; [`Error::Damaged`]; [`Error::Backend`].
    pub async fn version(&self, id: VersionId) -> Result<Version> {
        let (current, commit) = join(self.replica.catch_up(), self.commit_of(id)).await;
        current?;
        let version = commit?.version(self.replica.keys().await?, id.index)?;
        let mut version = version.ok_or_else(|| no_such_version(id))?;
        self.replica.place(std::slice::from_mut(&mut version)).await?;
        Ok(version)
    }

    /// The content of one version. As many requests as [`Store::version`], and one more where the version moved its
    /// memory, and so shares the content of an earlier one.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such version, or it has no content: it is a deletion, or the content has
    /// been removed; [`Error::Damaged`]; [`Error::Backend`].
    pub async fn read_version(&self, id: VersionId) -> Result<Bytes> {
        let (current, read) = join(self.replica.catch_up(), self.try_read_version(id)).await;
        current?;
        // What is missing may have been removed since this handle looked at the log, and what is there may be about to
        // be stripped.
        if matches!(read, Err(Error::Damaged { .. })) || self.replica.is_redacted(id) {
            return self.try_read_version(id).await;
        }
        read
    }

    async fn try_read_version(&self, id: VersionId) -> Result<Bytes> {
        let commit = self.commit_of(id).await?;
        let keys = self.replica.keys().await?;
        let mut version = commit.version(keys, id.index)?.ok_or_else(|| no_such_version(id))?;
        if self.replica.is_redacted(id) {
            version.forget();
        }
        let memory = version.as_memory().ok_or_else(|| no_content(&version))?;
        if let Some(content) = own_content(&commit, keys, &version)? {
            return Ok(content);
        }
        let cached = self.replica.cache().get(memory.content.version);
        match cached {
            Some(content) => Ok(content),
            None => self.replica.log.content(keys, &memory).await,
        }
    }

    /// Brings a version back: see [`Restore`].
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such version, or nothing at the path that could be restored;
    /// [`Error::Invalid`] with the reason if it cannot be brought back; those of [`Store::execute`].
    pub async fn restore(&self, restore: Restore) -> Result<Restored> {
        let reply = self.execute(Command::Restore(restore.clone())).await?;
        self.restored(restore, reply).await
    }

    /// Tells what [`Store::restore`] would do now, and changes nothing.
    ///
    /// # Errors
    /// Those of [`Store::restore`].
    pub async fn preview_restore(&self, restore: Restore) -> Result<Restored> {
        let commands = vec![Command::Restore(restore.clone())];
        let answers = self.view(Turn { commands, actor: crate::Actor::Unknown }).await;
        let nothing = || Err(Error::Invalid("no command was given".into()));
        let reply = answers.into_iter().next().unwrap_or_else(nothing)?;
        self.restored(restore, reply).await
    }

    async fn restored(&self, restore: Restore, reply: Reply) -> Result<Restored> {
        let text = match reply {
            Reply::Restored(restored) => return Ok(restored),
            Reply::Error(text) => text,
            other => return Err(Error::Invalid(format!("an answer of another command: {other:?}"))),
        };
        // What does not exist is told apart from what cannot be done.
        if let Some(id) = restore.version {
            let version = self.version(id).await?;
            if !version.has_content() {
                return Err(no_content(&version));
            }
        } else if let Some(path) = restore.path.and_then(|path| MemoryPath::parse(&path).ok()) {
            let replica = &self.replica;
            let is_directory = replica.confirmed().state.under(&path).next().is_some();
            match replica.newest_at(&path) {
                Some((_, newest)) => {
                    let version = self.version(newest).await?;
                    if version.previous.is_none() {
                        let what = format!("an earlier version of {path}");
                        return Err(Error::NotFound { what, hint: format!("{newest} is the first") });
                    }
                }
                None if !is_directory => return Err(nothing_at(&path)),
                None => {}
            }
        }
        Err(Error::Invalid(text.strip_prefix("Error: ").unwrap_or(&text).to_owned()))
    }

    /// The commit that holds this version.
    async fn commit_of(&self, id: VersionId) -> Result<Commit> {
        let replica = &*self.replica;
        if id.seq > replica.confirmed().seq {
            replica.catch_up().await?;
        }
        if id.seq == 0 || id.seq > replica.confirmed().seq {
            return Err(no_such_version(id));
        }
        replica.commit(id.seq).await
    }
}

fn nothing_at(path: &MemoryPath) -> Error {
    let hint = "no file stands there, and none that stood there was deleted; see `memoseal history`".into();
    Error::NotFound { what: path.to_string(), hint }
}

fn no_such_version(id: VersionId) -> Error {
    Error::NotFound { what: format!("version {id}"), hint: "look for it with `memoseal history`".into() }
}

fn no_content(version: &Version) -> Error {
    let hint = match (version.operation, version.previous) {
        (Operation::Deleted, Some(previous)) => {
            format!("that version is a deletion; the one before it is {previous}")
        }
        (Operation::Deleted, None) => "that version is a deletion".into(),
        _ => "it was redacted, or is older than the store keeps it".into(),
    };
    Error::NotFound { what: format!("the content of version {}", version.id), hint }
}

/// The content that `version` wrote, from its own commit; nothing if it lies elsewhere.
fn own_content(commit: &Commit, keys: &StoreKeys, version: &Version) -> Result<Option<Bytes>> {
    if version.content.is_none_or(|content| content.version != version.id) {
        return Ok(None);
    }
    let content = commit.content(keys, version.id.index)?;
    if version.sha256 != Some(Sha256::digest(&content).into()) {
        let what = format!("content of version {}", version.id);
        return Err(Error::damaged(what, "it is not the content that was committed"));
    }
    Ok(Some(content))
}

impl Replica {
    /// Commit `seq`, which is not newer than the confirmed state. One request.
    pub(super) async fn commit(&self, seq: u64) -> Result<Commit> {
        let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but later ones exist");
        let bytes = self.log.bytes(seq).await?.ok_or_else(missing)?;
        Commit::open(self.keys().await?, seq, bytes)
    }

    /// Gets the records of versions that are not newer than the confirmed state, side by side; nothing for one that
    /// its commit does not have. Contents that lie beside them are kept in the cache: they are asked for next.
    pub(super) async fn fetch_versions(&self, ids: Vec<VersionId>) -> HashMap<VersionId, Result<Option<Version>>> {
        let fetches = ids.into_iter().map(|id| async move { (id, self.fetch_version(id).await) });
        join_all(fetches).await.into_iter().collect()
    }

    async fn fetch_version(&self, id: VersionId) -> Result<Option<Version>> {
        if id.seq == 0 {
            return Ok(None);
        }
        let commit = self.commit(id.seq).await?;
        let keys = self.keys().await?;
        let mut version = commit.version(keys, id.index)?;
        if self.is_redacted(id) {
            version.iter_mut().for_each(Version::forget);
        }
        // What is wrong with the content is found when it is asked for.
        if let Some(version) = &version
            && let Ok(Some(content)) = own_content(&commit, keys, version)
        {
            self.cache().insert(id, content);
        }
        Ok(version)
    }

    /// The newest version of the memory that stands at `path`, or else of the last one that was deleted there.
    fn newest_at(&self, path: &MemoryPath) -> Option<(MemoryId, VersionId)> {
        let state = &self.confirmed().state;
        let standing = state.get(path).map(|memory| (memory.id, memory.version));
        standing.or_else(|| state.deleted_at(path).map(|deleted| (deleted.id, deleted.version)))
    }

    /// The newest version of `memory`.
    pub(super) fn newest_of(&self, memory: MemoryId) -> Option<(MemoryId, VersionId)> {
        let state = &self.confirmed().state;
        let standing = state.get_id(memory).map(|memory| (memory.id, memory.version));
        standing.or_else(|| state.deleted_id(memory).map(|deleted| (deleted.id, deleted.version)))
    }

    /// Gives deletions their paths, and takes from redacted versions what may still lie in the log.
    async fn place(&self, versions: &mut [Version]) -> Result<()> {
        let mut redactions: HashMap<VersionId, Redaction> = HashMap::new();
        for version in versions {
            let by = {
                let confirmed = self.confirmed();
                if version.operation == Operation::Deleted {
                    version.path = confirmed.state.deleted_by(version.id).map(|deleted| deleted.path.clone());
                }
                confirmed.state.ledger().redacted.get(&version.id).copied()
            };
            let Some(by) = by else { continue };
            let redaction = match redactions.get(&by) {
                Some(redaction) => redaction.clone(),
                None => {
                    let missing = || Error::damaged(format!("version {by}"), "it redacts others, and does not exist");
                    let (at_ms, actor) = self.commit(by.seq).await?.audit(by.index).ok_or_else(missing)?;
                    redactions.entry(by).or_insert(Redaction { at_ms, actor }).clone()
                }
            };
            version.forget();
            version.redacted = Some(redaction);
        }
        Ok(())
    }

    fn is_redacted(&self, id: VersionId) -> bool {
        self.confirmed().state.ledger().redacted.contains_key(&id)
    }
}

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

/// A page of the whole store's history.
async fn store_page(replica: &Replica, query: &HistoryQuery) -> Result<HistoryPage> {
    let mut filling = Filling::new(query);
    if replica.confirmed().seq == 0 {
        return Ok(filling.page(None));
    }
    let keys = replica.keys().await?;
    let (head, head_chain) = {
        let confirmed = replica.confirmed();
        (confirmed.seq, confirmed.chain(keys))
    };
    let mut seq = match query.before {
        Some(before) if before.index == 0 => before.seq.saturating_sub(1).min(head),
        Some(before) => before.seq.min(head),
        None => head,
    };
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
async fn memory_page(
    replica: &Replica,
    query: &HistoryQuery,
    (memory, newest): (MemoryId, VersionId),
) -> Result<HistoryPage> {
    let mut filling = Filling::new(query);
    let mut walk = Walk { replica, commit: None };
    let mut next = match query.before {
        Some(before) if before <= newest => walk.newest_before(before, memory, newest).await?,
        _ => Some(newest),
    };
    while let Some(id) = next {
        if filling.room() == 0 {
            // Just above the next version, so that the next page begins with it and need not look for it.
            return Ok(filling.page(Some(VersionId { index: id.index.saturating_add(1), ..id })));
        }
        let version = walk.version(id).await?.filter(|version| version.memory == memory);
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
            let mut versions = self.commit(id.seq).await?.versions_of(memory);
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
