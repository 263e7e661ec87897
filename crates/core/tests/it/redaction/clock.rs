//! A store whose clock can be moved on.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::{StreamExt, stream::BoxStream};
use memoseal_core::{Backend, Vault};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, Result, path::Path,
};

use crate::support::*;

/// Everything is as in `inner`, but what is written now counts as written later: the object `clock` has a time that
/// lies ahead, in whole seconds, as a HEAD tells it.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    inner: Arc<dyn ObjectStore>,
    days: Arc<AtomicI64>,
}

impl Ahead {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Self { inner, days: Arc::default() }
    }

    pub(crate) fn advance(&self, days: i64) {
        self.days.fetch_add(days * 24, Ordering::SeqCst);
    }

    pub(crate) fn advance_hours(&self, hours: i64) {
        self.days.fetch_add(hours, Ordering::SeqCst);
    }

    pub(crate) async fn open(&self) -> Vault {
        Vault::open(Backend::single(Arc::new(self.clone())), key(), options()).await.unwrap()
    }

    fn shift(&self, meta: &mut ObjectMeta) {
        if meta.location.as_ref() == "clock" {
            let ahead = std::time::Duration::from_secs(self.days.load(Ordering::SeqCst) as u64 * 3_600);
            meta.last_modified += ahead;
            meta.last_modified -= std::time::Duration::from_nanos(meta.last_modified.timestamp_subsec_nanos().into());
        }
    }
}

impl fmt::Display for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ahead({})", self.inner)
    }
}

#[async_trait]
impl ObjectStore for Ahead {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let mut found = self.inner.get_opts(location, options).await?;
        self.shift(&mut found.meta);
        Ok(found)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
