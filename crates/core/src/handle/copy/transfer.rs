//! One object to the target.

use bytes::Bytes;
use memoseal_crypto::{MAX_HEADER_LEN, MAX_KEYRING_LEN};
use object_store::{ObjectStoreExt, PutMode, PutOptions};
use tokio::sync::Semaphore;

use super::{
    super::Vault,
    ROOM,
    merge::{Merge, merge},
    plan::Action,
};
use crate::{
    Backend, Error, Result,
    codec::{MAX_BLOCK, MAX_COMMIT},
    log::{
        self, Created, MAX_CHECKPOINT, New, create, in_time,
        names::{self, Name},
    },
};

/// From where to where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer<'a> {
    pub(super) vault: &'a Vault,
    pub(super) target: &'a Backend,
    /// A permit for each MiB in memory.
    pub(super) room: &'a Semaphore,
}

/// What was done with one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Created {
        bytes: u64,
    },
    Overwritten {
        bytes: u64,
    },
    Deleted,
    /// The target holds less.
    Kept,
    Unchanged,
    /// The source does not have it any more.
    Gone,
}

impl Transfer<'_> {
    /// Makes sure that the target honours put-if-absent, with the one object that anybody may overwrite. Two requests.
    ///
    /// # Errors
    /// [`Error::Unsuitable`]; [`Error::Backend`] if it cannot be written to.
    pub(super) async fn probe(&self) -> Result<()> {
        let path = names::clock(self.target.prefix());
        for _ in 0..2 {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            let put = self.target.creates().put_opts(&path, Bytes::new().into(), options);
            match in_time(self.vault.patience().create, put).await {
                Ok(_) => {}
                Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                    return Ok(());
                }
                Err(error) => return Err(Error::backend("cannot write to the target", error)),
            }
        }
        Err(Error::Unsuitable(
            "the target ignores put-if-absent, so two writers could overwrite each other: use a store that honours \
             `If-None-Match: *`"
                .into(),
        ))
    }

    /// Does it. Whatever lies in between is found again by the next run.
    pub(super) async fn run(&self, name: &Name, action: Action) -> Result<Done> {
        match action {
            Action::Create => self.create(name).await,
            Action::Overwrite { is_newest } => self.overwrite(name, is_newest).await,
            Action::Empty => self.put(name, Bytes::new()).await,
            Action::Delete => {
                let path = name.path(self.target.prefix());
                match in_time(self.vault.patience().read, self.target.rest().delete(&path)).await {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(Done::Deleted),
                    Err(error) => Err(Error::backend(format!("cannot delete {path} in the target"), error)),
                }
            }
        }
    }

    /// What the target's object would become; nothing if it, or that of the source, is gone. `sizes` are as listed.
    pub(super) async fn compare(&self, name: &Name, is_newest: bool, sizes: [u64; 2]) -> Result<Option<Merge>> {
        let _room = self.room(sizes.iter().sum()).await?;
        let (source, target) = tokio::try_join!(self.read_source(name), self.read_target(name))?;
        let (Some(source), Some(target)) = (source, target) else { return Ok(None) };
        Ok(Some(merge(name, is_newest, &source, &target)))
    }

    async fn create(&self, name: &Name) -> Result<Done> {
        let Some(bytes) = self.read_source(name).await? else { return Ok(Done::Gone) };
        let path = name.path(self.target.prefix());
        let what = format!("{path} in the target");
        let new = New { path: &path, bytes: &bytes, max: max(name), what: &what };
        let is_ours = |there: &Bytes| *there == bytes;
        match create(self.target, self.vault.env(), self.vault.patience(), new, is_ours).await? {
            Created::Ours => Ok(Done::Created { bytes: bytes.len() as u64 }),
            Created::Theirs(_) => Err(Error::Diverged {
                object: path.to_string(),
                problem: "somebody else wrote it while the copy was made".into(),
            }),
        }
    }

    async fn overwrite(&self, name: &Name, is_newest: bool) -> Result<Done> {
        match self.compare(name, is_newest, [0, 0]).await? {
            None => Ok(Done::Gone),
            Some(Merge::Same) => Ok(Done::Unchanged),
            Some(Merge::Less) => Ok(Done::Kept),
            Some(Merge::Overwrite(bytes)) => self.put(name, bytes).await,
            Some(Merge::Differs) => Err(Error::Diverged {
                object: name.path(self.target.prefix()).to_string(),
                problem: "it was changed while the copy was made".into(),
            }),
        }
    }

    async fn put(&self, name: &Name, bytes: Bytes) -> Result<Done> {
        let path = name.path(self.target.prefix());
        let len = bytes.len() as u64;
        let put = self.target.rest().put(&path, bytes.into());
        let done = in_time(self.vault.patience().read, put).await;
        done.map_err(|error| Error::backend(format!("cannot overwrite {path} in the target"), error))?;
        Ok(Done::Overwritten { bytes: len })
    }

    pub(super) async fn read_source(&self, name: &Name) -> Result<Option<Bytes>> {
        read(self.vault.backend(), self.vault, name, "the source").await
    }

    pub(super) async fn read_target(&self, name: &Name) -> Result<Option<Bytes>> {
        read(self.target, self.vault, name, "the target").await
    }

    async fn room(&self, bytes: u64) -> Result<tokio::sync::SemaphorePermit<'_>> {
        let mib = usize::try_from(bytes >> 20).unwrap_or(ROOM).saturating_add(1).min(ROOM);
        // It is never closed.
        self.room.acquire_many(mib as u32).await.map_err(|_| Error::Invalid("the copy was given up".into()))
    }
}

async fn read(backend: &Backend, vault: &Vault, name: &Name, place: &str) -> Result<Option<Bytes>> {
    let path = name.path(backend.prefix());
    log::read(backend, vault.patience().read, &path, max(name), &format!("{path} in {place}")).await
}

/// The most bytes that an object of this kind has.
fn max(name: &Name) -> u64 {
    match name {
        Name::Header(_) => MAX_HEADER_LEN as u64,
        Name::Keyring { .. } => MAX_KEYRING_LEN as u64,
        Name::Log { name, .. } if name.is_checkpoint => MAX_CHECKPOINT,
        Name::Log { .. } => MAX_COMMIT as u64,
        Name::Block { .. } => MAX_BLOCK,
        Name::Clock => 0,
    }
}
