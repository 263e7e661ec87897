//! The `ObjectStore` over a vault's folder.

use std::{fmt, ops::Range, sync::Arc};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, RenameOptions, Result, local::LocalFileSystem, path::Path as Location,
};

use crate::{
    Error, list,
    root::{Root, sync_folder},
};

/// `LocalFileSystem` with fsync, with listings in order, durable folders, and an eye on its root.
#[derive(Debug)]
pub(crate) struct LocalStore {
    inner: LocalFileSystem,
    root: Arc<Root>,
}

impl LocalStore {
    pub(crate) fn new(root: Root) -> std::result::Result<Self, Error> {
        let inner = LocalFileSystem::new_with_prefix(root.path())
            .map_err(|error| Error::io("open the folder", root.path())(std::io::Error::other(error)))?
            .with_fsync(true);
        Ok(Self { inner, root: Arc::new(root) })
    }

    /// To be called before anything is written at `location`.
    async fn prepare(&self, location: &Location) -> Result<()> {
        if let Some(name) = location.filename().filter(|name| list::is_staging(name)) {
            return Err(Error::Reserved { name: name.to_owned() }.into());
        }
        self.root.check()?;
        let folder = self.root.folder_of(location);
        if self.root.is_durable(&folder) {
            return Ok(());
        }
        let root = Arc::clone(&self.root);
        blocking(move || root.make_durable(&folder)).await
    }
}

/// Passes `result` on, an error only if the vault is still there: otherwise that is the error.
///
/// [`Root::check`] looks at one folder that is held open. That takes a microsecond where a trip to another thread
/// takes tens, and every "nothing new" comes this way.
fn unless_gone<T>(root: &Root, result: Result<T>) -> Result<T> {
    if result.is_err() {
        root.check()?;
    }
    result
}

/// Runs `work` where it may block; outside a runtime, here.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, Error> + Send + 'static,
) -> Result<T> {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => Ok(runtime.spawn_blocking(work).await??),
        Err(_) => Ok(work()?),
    }
}

impl fmt::Display for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memoseal-local({})", self.root.path().display())
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl ObjectStore for LocalStore {
    async fn put_opts(&self, location: &Location, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.prepare(location).await?;
        let put = self.inner.put_opts(location, payload, opts).await;
        if let Err(error) = &put
            && !matches!(error, object_store::Error::AlreadyExists { .. })
        {
            // The file may be there although its folder could not be synced. Whoever finds it takes it for safe, so the
            // folder is synced once more; the error stands whether that works or not.
            let folder = self.root.folder_of(location);
            if let Err(again) = blocking(move || sync_folder(&folder)).await {
                tracing::debug!("the folder of a failed put could not be synced either: {again}");
            }
        }
        put
    }

    async fn put_multipart_opts(
        &self,
        location: &Location,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.prepare(location).await?;
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Location, options: GetOptions) -> Result<GetResult> {
        self.root.check_is_there(location)?;
        unless_gone(&self.root, self.inner.get_opts(location, options).await)
    }

    async fn get_ranges(&self, location: &Location, ranges: &[Range<u64>]) -> Result<Vec<bytes::Bytes>> {
        unless_gone(&self.root, self.inner.get_ranges(location, ranges).await)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Location>>) -> BoxStream<'static, Result<Location>> {
        let root = Arc::clone(&self.root);
        self.inner.delete_stream(locations).map(move |deleted| unless_gone(&root, deleted)).boxed()
    }

    fn list(&self, prefix: Option<&Location>) -> BoxStream<'static, Result<ObjectMeta>> {
        list::objects(Arc::clone(&self.root), prefix.unwrap_or(&Location::ROOT), None)
    }

    fn list_with_offset(&self, prefix: Option<&Location>, offset: &Location) -> BoxStream<'static, Result<ObjectMeta>> {
        list::objects(Arc::clone(&self.root), prefix.unwrap_or(&Location::ROOT), Some(offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Location>) -> Result<ListResult> {
        let (root, prefix) = (Arc::clone(&self.root), prefix.cloned().unwrap_or_default());
        blocking(move || list::folder(&root, &prefix)).await
    }

    async fn copy_opts(&self, from: &Location, to: &Location, options: CopyOptions) -> Result<()> {
        self.prepare(to).await?;
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Location, to: &Location, options: RenameOptions) -> Result<()> {
        self.prepare(to).await?;
        self.inner.rename_opts(from, to, options).await
    }
}
