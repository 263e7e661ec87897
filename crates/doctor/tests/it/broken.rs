//! A store in memory with one fault.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream, stream::BoxStream};
use memoseal_core::Backend;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory, path::Path,
};

/// What it does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    IgnoresCreate,
    /// In races only: what looks right when it is tried alone.
    IgnoresCreateInRaces,
    RefusesCreateAndWrites,
    /// Says that it created, and keeps what another created.
    LiesAboutCreate,
    ListsOutOfOrder,
    HidesFromListings,
    ListsForEver,
    IgnoresOffset,
    RefusesPut,
    RefusesGet,
    RefusesList,
    RefusesDelete,
    KeepsDeleted,
    /// Gives what was there before the last put.
    IsStale,
    /// A permission to list is what a missing object needs to be told as missing.
    ForbidsMissing,
    ClockIsBehind,
    Garbles,
    FailsNow,
}

pub(crate) struct Broken {
    inner: InMemory,
    old: InMemory,
    fault: Fault,
    pub(crate) requests: AtomicU64,
}

impl Broken {
    pub(crate) fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self { inner: InMemory::new(), old: InMemory::new(), fault, requests: AtomicU64::new(0) })
    }

    pub(crate) fn backend(self: &Arc<Self>) -> Backend {
        let store: Arc<Self> = Arc::clone(self);
        Backend::single(store).with_prefix("team".into())
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        let all: Vec<_> = self.inner.list(None).try_collect().await.unwrap();
        all.into_iter().map(|meta| meta.location.to_string()).collect()
    }

    pub(crate) async fn write(&self, name: &str, bytes: &str) {
        self.inner.put(&name.into(), bytes.to_owned().into()).await.unwrap();
    }

    fn refuses(&self, fault: Fault, path: &Path) -> Result<()> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        if self.fault == Fault::FailsNow {
            return Err(Error::Generic { store: "test", source: "no route".into() });
        }
        if self.fault == fault {
            return Err(Error::PermissionDenied { path: path.to_string(), source: "AccessDenied".into() });
        }
        Ok(())
    }
}

impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Broken({:?})", self.fault)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[async_trait]
impl ObjectStore for Broken {
    async fn put_opts(&self, location: &Path, payload: PutPayload, mut options: PutOptions) -> Result<PutResult> {
        self.refuses(Fault::RefusesPut, location)?;
        let is_create = options.mode == PutMode::Create;
        // So that others come in between.
        tokio::task::yield_now().await;
        let is_there = self.inner.head(location).await.is_ok();
        if self.fault == Fault::IsStale && is_there {
            let before = self.inner.get(location).await?.bytes().await?;
            self.old.put(location, before.into()).await?;
        }
        if is_create && is_there {
            match self.fault {
                Fault::IgnoresCreate => options.mode = PutMode::Overwrite,
                Fault::IgnoresCreateInRaces if location.as_ref().contains("race") => options.mode = PutMode::Overwrite,
                Fault::RefusesCreateAndWrites => {
                    self.inner.put(location, payload.clone()).await?;
                }
                Fault::LiesAboutCreate if location.as_ref().contains("race/3") => {
                    return Ok(PutResult { e_tag: None, version: None, extensions: Default::default() });
                }
                _ => {}
            }
        }
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.refuses(Fault::RefusesGet, location)?;
        if self.fault == Fault::Garbles && location.as_ref().ends_with("access") {
            self.inner.put(location, "other bytes".into()).await?;
        }
        if self.fault == Fault::IsStale && self.old.head(location).await.is_ok() {
            return self.old.get_opts(location, options).await;
        }
        let is_missing = |error: &Error| matches!(error, Error::NotFound { .. });
        let forbids = matches!(self.fault, Fault::ForbidsMissing | Fault::RefusesList);
        match self.inner.get_opts(location, options).await {
            Err(error) if forbids && is_missing(&error) => {
                Err(Error::PermissionDenied { path: location.to_string(), source: "AccessDenied".into() })
            }
            Ok(mut got) if self.fault == Fault::ClockIsBehind => {
                got.meta.last_modified -= std::time::Duration::from_secs(3600);
                Ok(got)
            }
            other => other,
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if let Err(error) = self.refuses(Fault::RefusesList, prefix.unwrap_or(&Path::default())) {
            return stream::once(async { Err(error) }).boxed();
        }
        let listed = self.inner.list(prefix);
        match self.fault {
            Fault::HidesFromListings => listed.skip(1).boxed(),
            Fault::ListsForEver => {
                let all = listed.collect::<Vec<_>>();
                let again = |all: Vec<Result<ObjectMeta>>| all.into_iter().filter_map(Result::ok).collect::<Vec<_>>();
                stream::once(all).flat_map(move |all| stream::iter(again(all).into_iter().cycle().map(Ok))).boxed()
            }
            Fault::ListsOutOfOrder => {
                let turned = listed.collect::<Vec<_>>();
                stream::once(turned).flat_map(|all| stream::iter(all.into_iter().rev())).boxed()
            }
            _ => listed,
        }
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.fault {
            Fault::IgnoresOffset => self.inner.list(prefix),
            _ => self.inner.list_with_offset(prefix, offset),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        match self.fault {
            Fault::RefusesDelete => locations
                .map(|path| Err(Error::PermissionDenied { path: path?.to_string(), source: "AccessDenied".into() }))
                .boxed(),
            Fault::FailsNow => {
                locations.map(|_| Err(Error::Generic { store: "test", source: "no route".into() })).boxed()
            }
            Fault::KeepsDeleted => locations,
            _ => self.inner.delete_stream(locations),
        }
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
