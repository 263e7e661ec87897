//! A place as the cases of this group use it.

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use memoseal_core::Backend;
use object_store::{
    Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStoreExt as _, PutMode, PutPayload, Result, path::Path,
};

use crate::{Failure, Place};

/// A fresh place. Names are relative to the backend's prefix.
#[derive(Clone)]
pub(super) struct Site {
    backend: Backend,
}

impl Site {
    pub(super) async fn fresh(place: &dyn Place) -> std::result::Result<Self, Failure> {
        Ok(Self::over(place.fresh().await?))
    }

    pub(super) fn over(backend: Backend) -> Self {
        Self { backend }
    }

    pub(super) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Put-if-absent.
    pub(super) async fn create(&self, name: &str, body: impl Into<PutPayload>) -> Result<()> {
        self.backend.creates().put_opts(&self.path(name), body.into(), PutMode::Create.into()).await.map(drop)
    }

    /// Plain put.
    pub(super) async fn put(&self, name: &str, body: impl Into<PutPayload>) -> Result<()> {
        self.backend.rest().put(&self.path(name), body.into()).await.map(drop)
    }

    pub(super) async fn get(&self, name: &str) -> Result<Bytes> {
        self.backend.rest().get(&self.path(name)).await?.bytes().await
    }

    pub(super) async fn get_range(&self, name: &str, range: GetRange) -> Result<GetResult> {
        self.backend.rest().get_opts(&self.path(name), GetOptions::new().with_range(Some(range))).await
    }

    pub(super) async fn head(&self, name: &str) -> Result<ObjectMeta> {
        self.backend.rest().head(&self.path(name)).await
    }

    pub(super) async fn delete(&self, name: &str) -> Result<()> {
        self.backend.rest().delete(&self.path(name)).await
    }

    /// The objects below `prefix` (with "" all of the place), in the order in which they are listed.
    pub(super) async fn list(&self, prefix: &str) -> Result<Vec<ObjectMeta>> {
        self.backend.rest().list(Some(&self.path(prefix))).try_collect().await
    }

    /// The names below `prefix`, in the order in which they are listed.
    pub(super) async fn names(&self, prefix: &str) -> std::result::Result<Vec<String>, Failure> {
        self.list(prefix).await?.into_iter().map(|object| self.name(&object.location)).collect()
    }

    /// The names below `prefix` that follow `offset`, in the order in which they are listed.
    pub(super) async fn names_after(&self, prefix: &str, offset: &str) -> std::result::Result<Vec<String>, Failure> {
        let listing = self.backend.rest().list_with_offset(Some(&self.path(prefix)), &self.path(offset));
        let objects: Vec<_> = listing.try_collect().await?;
        objects.iter().map(|object| self.name(&object.location)).collect()
    }

    fn path(&self, name: &str) -> Path {
        self.backend.prefix().parts().chain(Path::from(name).parts()).collect()
    }

    fn name(&self, path: &Path) -> std::result::Result<String, Failure> {
        match path.prefix_match(self.backend.prefix()) {
            Some(parts) => Ok(parts.collect::<Path>().to_string()),
            None => Err(Failure::new(format!("{path} was listed, which does not lie below the prefix"))),
        }
    }
}

/// Whether the answer says that a put-if-absent found something.
pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::AlreadyExists { .. } | Error::Precondition { .. })
}

/// Bytes without a period that a short range could share, different for each `seed`.
pub(super) fn body(seed: u32, length: usize) -> Bytes {
    let mut state = seed;
    (0..length)
        .map(|_| {
            // The numbers of Numerical Recipes.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect()
}
