//! The log of one store in the bucket: where it lies, how commits get in and how they are read back.
//!
//! The rules of the protocol stand where they are kept: names in [`names`], the put-if-absent that decides who wrote
//! a commit in [`create`], what a failed answer tells in [`answer`], listings in [`list`], generations that supersede
//! one another in [`series`], reading in this file.

mod answer;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod series;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectStoreExt, path::Path};
use sha2::{Digest, Sha256};

pub(crate) use self::answer::is_refusal;
pub use self::create::Patience;
pub(crate) use self::create::{Backoff, Created, create, jitter, read};
use crate::{
    Backend, Error, Result,
    codec::{Commit, SealedCommit, StoreKeys, open_content},
    env::Env,
    state::Memory,
};

/// How many commits are read side by side when many are missing.
const SIDE_BY_SIDE: usize = 64;

/// One life of one store's log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    backend: Backend,
    place: Path,
}

impl Log {
    pub(crate) fn new(backend: Backend, place: Path) -> Self {
        Self { backend, place }
    }

    /// The bytes of commit `seq`, or nothing if there is no such commit yet. One request.
    pub(crate) async fn bytes(&self, seq: u64) -> Result<Option<Bytes>> {
        read(&self.backend, &names::commit(&self.place, seq))
            .await
            .map_err(|error| Error::backend(format!("cannot read commit {seq}"), error))
    }

    /// Commits `first` to `last`, in order, read side by side. One request each.
    ///
    /// # Errors
    /// [`Error::Damaged`] if one of them is missing.
    pub(crate) fn range<'a>(
        &'a self,
        keys: &'a StoreKeys,
        first: u64,
        last: u64,
    ) -> impl stream::Stream<Item = Result<Commit>> + Send + 'a {
        stream::iter(first..=last)
            .map(move |seq| async move {
                let missing = || Error::damaged(format!("commit {seq}"), "it is missing, but later ones exist");
                Commit::open(keys, seq, self.bytes(seq).await?.ok_or_else(missing)?)
            })
            .buffered(SIDE_BY_SIDE)
    }

    /// Creates a commit at its number and finds out who wrote what is there then.
    ///
    /// # Errors
    /// As [`create`].
    pub(crate) async fn create(&self, env: &Env, patience: &Patience, commit: &SealedCommit) -> Result<Created> {
        let header = commit.bytes.slice(..commit.header_len);
        // The header holds the commit's random id and never changes, so it is compared, not the whole object.
        let is_ours = |there: &Bytes| there.starts_with(&header);
        let path = names::commit(&self.place, commit.seq);
        create(
            &self.backend,
            env,
            patience,
            &path,
            &commit.bytes,
            format!("cannot write commit {}", commit.seq),
            is_ours,
        )
        .await
    }

    /// The content of a memory. One request where the hint of its place is good, two where it is not.
    ///
    /// # Errors
    /// [`Error::Damaged`] if what lies there is not what the state names.
    pub(crate) async fn content(&self, keys: &StoreKeys, memory: &Memory) -> Result<Bytes> {
        let at = memory.content;
        let matches = |content: &Bytes| <[u8; 32]>::from(Sha256::digest(content)) == memory.sha256;
        if at.len > 0 {
            let range = at.offset..at.offset + u64::from(at.len);
            let place = names::commit(&self.place, at.version.seq);
            // What is wrong here is found by reading the whole commit, which says what it is.
            if let Ok(section) = self.backend.rest().get_range(&place, range).await
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
