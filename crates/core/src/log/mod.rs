//! The log of one store in the bucket: where it lies, how commits get in and how they are read back.
//!
//! `docs/architecture.md` lists the rules of the protocol, each with its reason, its place and its test. Here: names in [`names`], the put-if-absent that decides who wrote
//! a commit in [`create`], what a failed answer tells in [`answer`], first pages of listings in [`list`] and
//! whole ones in [`objects`], what is read before it can be opened in [`early`], blocks of history in [`blocks`], generations that supersede
//! one another in [`series`], bounded reads in [`read`].

mod answer;
mod blocks;
pub(crate) mod create;
pub(crate) mod early;
pub(crate) mod list;
pub(crate) mod names;
mod objects;
mod read;
pub(crate) mod series;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectStoreExt, path::Path};
use sha2::{Digest, Sha256};

use self::{
    early::Early,
    read::{Found, get},
};

pub(crate) use self::answer::is_refusal;
pub use self::create::Patience;
pub(crate) use self::{
    create::{Backoff, Created, New, create, jitter},
    objects::{Objects, folders},
    read::{NO_ANSWER, in_time, read},
};
use crate::{
    Backend, Error, Result,
    codec::{Checkpoint, Commit, MAX_COMMIT, SealedCheckpoint, SealedCommit, StoreKeys, open_content},
    env::Env,
    state::Memory,
};

/// How many commits are read side by side when many are missing.
pub(crate) const SIDE_BY_SIDE: usize = 64;

/// Commits up to this size are kept in memory while they wait for those before them; larger ones are read when it is
/// their turn.
const WAITING_BYTES: u64 = 4 * 1024 * 1024;

/// The largest checkpoint that is read, in bytes: some millions of memories.
pub(crate) const MAX_CHECKPOINT: u64 = 1 << 30;

/// One life of one store's log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    backend: Backend,
    patience: Patience,
    place: Path,
    early: Early,
}

impl Log {
    pub(crate) fn new(backend: Backend, patience: Patience, place: Path) -> Self {
        Self { backend, patience, place, early: Early::default() }
    }

    /// What was read early, see [`read_early`](Self::read_early).
    pub(crate) fn early(&self) -> &Early {
        &self.early
    }

    /// As [`read`], of what may have been read early.
    async fn read(&self, path: &Path, max: u64, what: &str) -> Result<Option<Bytes>> {
        match self.early.take(path) {
            Some(bytes) => Ok(Some(bytes)),
            None => read(&self.backend, self.patience.read, path, max, what).await,
        }
    }

    /// The bytes of commit `seq`, or nothing if there is no such commit yet. One request.
    pub(crate) async fn bytes(&self, seq: u64) -> Result<Option<Bytes>> {
        let path = names::commit(&self.place, seq);
        self.read(&path, MAX_COMMIT as u64, &format!("commit {seq}")).await
    }

    /// The commits of these numbers, in order, read side by side. One request each, two for one of more than 4 MiB.
    ///
    /// # Errors
    /// [`Error::Damaged`] if one of them is missing.
    pub(crate) fn commits<'a>(
        &'a self,
        keys: &'a StoreKeys,
        numbers: impl IntoIterator<Item = u64, IntoIter: Send> + 'a,
    ) -> impl stream::Stream<Item = Result<Commit>> + Send + 'a {
        stream::iter(numbers)
            .map(move |seq| async move {
                let path = names::commit(&self.place, seq);
                if let Some(bytes) = self.early.take(&path) {
                    return (seq, Ok(Found::Bytes(bytes)));
                }
                let get = get(&self.backend, &path, WAITING_BYTES);
                let what = || format!("cannot read commit {seq}");
                let found = in_time(self.patience.read, get).await.map_err(|error| Error::backend(what(), error));
                (seq, found)
            })
            .buffered(SIDE_BY_SIDE)
            .then(move |(seq, found)| async move {
                let bytes = match found? {
                    Found::Bytes(bytes) => Some(bytes),
                    Found::TooLarge => self.bytes(seq).await?,
                    Found::Nothing => None,
                };
                let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but later ones exist");
                Commit::open(keys, seq, bytes.ok_or_else(missing)?)
            })
    }

    /// Creates a commit at its number and finds out who wrote what is there then.
    ///
    /// # Errors
    /// As [`create`].
    pub(crate) async fn create(&self, env: &Env, commit: &SealedCommit) -> Result<Created> {
        let header = commit.bytes.slice(..commit.header_len);
        // The header holds the commit's random id and never changes, so it is compared, not the whole object.
        let is_ours = |there: &Bytes| there.starts_with(&header);
        #[cfg(feature = "simulation")]
        let is_ours = |there: &Bytes| {
            use crate::simulation::Planted;
            is_ours(there)
                && !env.has(Planted::BlindRetry)
                && !(env.has(Planted::WholeReadBack) && *there != commit.bytes)
        };
        let path = names::commit(&self.place, commit.seq);
        let what = format!("commit {}", commit.seq);
        let new = New { path: &path, bytes: &commit.bytes, max: MAX_COMMIT as u64, what: &what };
        create(&self.backend, env, &self.patience, new, is_ours).await
    }

    /// Overwrites a commit with its own sealed header and less payload. One request.
    pub(crate) async fn overwrite(&self, seq: u64, bytes: Bytes) -> Result<()> {
        let path = names::commit(&self.place, seq);
        let done = in_time(self.patience.read, self.backend.rest().put(&path, bytes.into())).await;
        done.map(|_| ()).map_err(|error| Error::backend(format!("cannot overwrite commit {seq}"), error))
    }

    /// The checkpoint of the state after commit `seq`, or nothing if it is gone. One request.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is not as it was written.
    pub(crate) async fn checkpoint(&self, keys: &StoreKeys, seq: u64) -> Result<Option<Checkpoint>> {
        let (path, what) = (names::checkpoint(&self.place, seq), format!("checkpoint {seq}"));
        let bytes = self.read(&path, MAX_CHECKPOINT, &what).await?;
        bytes.map(|bytes| Checkpoint::open(keys, seq, &bytes)).transpose()
    }

    /// Writes a checkpoint, unless there is one already: any writer's is as good.
    ///
    /// # Errors
    /// As [`create`].
    pub(crate) async fn create_checkpoint(&self, env: &Env, seq: u64, sealed: &SealedCheckpoint) -> Result<Created> {
        let (path, what) = (names::checkpoint(&self.place, seq), format!("checkpoint {seq}"));
        let new = New { path: &path, bytes: &sealed.bytes, max: MAX_CHECKPOINT, what: &what };
        create(&self.backend, env, &self.patience, new, |there| *there == sealed.bytes).await
    }

    /// Deletes a checkpoint. Its name may be used again: checkpoints decide nothing.
    pub(crate) async fn delete_checkpoint(&self, seq: u64) -> Result<()> {
        let path = names::checkpoint(&self.place, seq);
        match in_time(self.patience.read, self.backend.rest().delete(&path)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::backend(format!("cannot delete checkpoint {seq}"), error)),
        }
    }

    /// The content of a memory. One request where the hint of its place is good, two where it is not.
    ///
    /// # Errors
    /// [`Error::Damaged`] if what lies there is not what the state names.
    pub(crate) async fn content(&self, keys: &StoreKeys, memory: &Memory) -> Result<Bytes> {
        let at = memory.content;
        let matches = |content: &Bytes| <[u8; 32]>::from(Sha256::digest(content)) == memory.sha256;
        if at.len > 0 {
            let range = at.offset..at.offset.saturating_add(at.len.into());
            let place = names::commit(&self.place, at.version.seq);
            // What is wrong here is found by reading the whole commit, which says what it is.
            let section = in_time(self.patience.read, self.backend.rest().get_range(&place, range)).await;
            if let Ok(section) = section
                && let Ok(content) = open_content(keys, at.version, &section)
                && matches(&content)
            {
                return Ok(content);
            }
        }
        let seq = at.version.seq;
        let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but a memory's content lies in it");
        let commit = Commit::open(keys, seq, self.bytes(seq).await?.ok_or_else(missing)?)?;
        let content = commit.content(keys, at.version.index)?;
        if !matches(&content) {
            return Err(Error::damaged(format!("content in commit {seq}"), "it is not the content that was committed"));
        }
        Ok(content)
    }
}

/// Reads a whole stream of commits with `each`.
pub(crate) async fn for_each_commit(
    commits: impl stream::Stream<Item = Result<Commit>>,
    mut each: impl FnMut(Commit) -> Result<()>,
) -> Result<()> {
    commits.try_for_each(|commit| std::future::ready(each(commit))).await
}
