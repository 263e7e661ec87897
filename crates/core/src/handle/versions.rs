//! Records of versions, as they are read off the log and the state.

use std::collections::HashMap;

use bytes::Bytes;
use futures_util::future::join_all;
use sha2::{Digest, Sha256};

use super::replica::{Confirmed, Replica};
use crate::{
    Error, Result,
    codec::{Commit, StoreKeys},
    history::{Operation, Redaction, Version},
    path::MemoryPath,
    state::{MemoryId, VersionId},
};

/// The content that `version` wrote, from its own commit; nothing if it lies elsewhere.
pub(super) fn own_content(commit: &Commit, keys: &StoreKeys, version: &Version) -> Result<Option<Bytes>> {
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
        self.unless_destroyed(self.read_commit(seq).await).await
    }

    async fn read_commit(&self, seq: u64) -> Result<Commit> {
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

    /// The newest version of `memory`, as far as the log was read.
    pub(super) fn newest_of(&self, memory: MemoryId) -> Option<(MemoryId, VersionId)> {
        self.confirmed().newest_of(memory)
    }

    /// Gives deletions their paths, if they are wanted, and takes from redacted versions what may still lie in the log.
    pub(super) async fn place(&self, versions: &mut [Version], with_paths: bool) -> Result<()> {
        let mut redactions: HashMap<VersionId, Redaction> = HashMap::new();
        for version in versions {
            let by = {
                let confirmed = self.confirmed();
                if with_paths && version.operation == Operation::Deleted {
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

    pub(super) fn is_redacted(&self, id: VersionId) -> bool {
        self.confirmed().state.ledger().redacted.contains_key(&id)
    }
}

impl Confirmed {
    /// The newest version of the memory that stands at `path`, or else of the last one that was deleted there.
    pub(super) fn newest_at(&self, path: &MemoryPath) -> Option<(MemoryId, VersionId)> {
        let standing = self.state.get(path).map(|memory| (memory.id, memory.version));
        standing.or_else(|| self.state.deleted_at(path).map(|deleted| (deleted.id, deleted.version)))
    }

    /// The newest version of `memory`.
    pub(super) fn newest_of(&self, memory: MemoryId) -> Option<(MemoryId, VersionId)> {
        let standing = self.state.get_id(memory).map(|memory| (memory.id, memory.version));
        standing.or_else(|| self.state.deleted_id(memory).map(|deleted| (deleted.id, deleted.version)))
    }
}

pub(super) fn no_such_version(id: VersionId) -> Error {
    Error::NotFound { what: format!("version {id}"), hint: "look for it with `memoseal history`".into() }
}
