//! History: pages of versions, what one of them held, and bringing one back.
//!
//! The log is read from the head downwards, as far as a page needs. The versions of one memory name each other, so
//! that its history is a walk from version to version, whatever else lies between them.

use bytes::Bytes;
use futures_util::future::join;

use super::{
    Store, pages,
    plan::Turn,
    replica::Confirmed,
    versions::{no_such_version, own_content},
};
use crate::{
    Error, Result,
    codec::Commit,
    command::{Command, Reply, Restore, Restored},
    history::{HistoryPage, HistoryQuery, Operation, Version},
    path::MemoryPath,
    state::VersionId,
};

impl Store {
    /// A page of history, newest first: of the whole store, or of one memory.
    ///
    /// One request finds out what is new. After that, a page of the whole store costs at most one for each of its
    /// versions, many side by side; a page of one memory's history costs one for each, one after another. Without paths
    /// ([`HistoryQuery::audit`]) blocks of history are read in place of commits, of which one holds what 256 commits say.
    /// Whatever is added meanwhile, following [`HistoryPage::next`] gives every older version once.
    ///
    /// # Errors
    /// [`Error::NotFound`] if nothing stands at the path and nothing that stood there was deleted, or there is no such
    /// memory; [`Error::Invalid`] if path and memory are both given; [`Error::Damaged`]; [`Error::Backend`].
    pub async fn history(&self, query: &HistoryQuery) -> Result<HistoryPage> {
        self.replica.unless_destroyed(self.page(query).await).await
    }

    async fn page(&self, query: &HistoryQuery) -> Result<HistoryPage> {
        let replica = &*self.replica;
        let mut page = match (&query.path, query.memory) {
            (None, None) => {
                replica.catch_up().await?;
                let (page, down) = pages::of_store(replica, query).await?;
                if let Some(down) = down {
                    down.write_missed(&self.replica);
                }
                page
            }
            (Some(_), Some(_)) => return Err(Error::Invalid("name a path or a memory, not both".into())),
            (Some(path), None) => {
                let newest = replica.at_head(|now| now.newest_at(path)).await?.ok_or_else(|| nothing_at(path))?;
                pages::of_memory(replica, query, newest).await?
            }
            (None, Some(memory)) => {
                let newest = replica.at_head(|now| now.newest_of(memory)).await?.ok_or_else(|| Error::NotFound {
                    what: format!("memory {memory}"),
                    hint: "see `memoseal history`".into(),
                })?;
                pages::of_memory(replica, query, newest).await?
            }
        };
        replica.place(&mut page.versions, !query.audit).await?;
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
        self.replica.place(std::slice::from_mut(&mut version), true).await?;
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
            return self.replica.unless_destroyed(self.try_read_version(id).await).await;
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
            let found = |now: &Confirmed| (now.newest_at(&path), now.state.under(&path).next().is_some());
            let (newest, is_directory) = self.replica.at_head(found).await?;
            match newest {
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
        replica.freshen().await?;
        if id.seq > replica.confirmed().seq {
            replica.catch_up().await?;
        }
        replica.check_open()?;
        if id.seq == 0 || id.seq > replica.confirmed().seq {
            return Err(no_such_version(id));
        }
        replica.commit(id.seq).await
    }
}

fn nothing_at(path: &MemoryPath) -> Error {
    let hint =
        "no file stands there, and no version of one that was deleted there is left; `memoseal retention` tells how \
                long they are kept; see `memoseal history`"
            .into();
    Error::NotFound { what: path.to_string(), hint }
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
