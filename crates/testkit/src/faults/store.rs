//! The store that fails as it is told to.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, future, stream, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
    path::Path,
};

use super::{On, plan::Plan, rule::Rule};
use crate::Op;

/// A store that passes requests on to the one that it wraps, except where a rule says otherwise.
///
/// Rules are made with [`on`](Self::on). Clones are the same store with the same rules.
#[derive(Clone)]
pub struct FaultStore {
    inner: Arc<dyn ObjectStore>,
    rules: Arc<Mutex<Vec<Rule>>>,
}

impl FaultStore {
    /// A store over `inner` without rules.
    pub fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Self { inner, rules: Arc::default() }
    }

    /// A store over `inner` that answers every read of a missing object with 403, as S3 does without permission to
    /// list.
    pub fn answering_403(inner: Arc<dyn ObjectStore>) -> Self {
        let store = Self::new(inner);
        store.on_any().always().not_found_as_403();
        store
    }

    /// Begins a rule for requests of this kind.
    pub fn on(&self, op: Op) -> On<'_> {
        On::new(self, Some(op))
    }

    /// Begins a rule for requests of every kind.
    pub fn on_any(&self) -> On<'_> {
        On::new(self, None)
    }

    /// Takes all rules away. Requests that are held stay held.
    pub fn clear(&self) {
        self.rules().clear();
    }

    /// Whether every rule has been for a request at least once: if not, a test did not test what it meant to.
    pub fn all_fired(&self) -> bool {
        self.rules().iter().all(Rule::has_fired)
    }

    pub(super) fn add(&self, rule: Rule) {
        self.rules().push(rule);
    }

    fn rules(&self) -> MutexGuard<'_, Vec<Rule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens to this request; the rules count it.
    fn plan(&self, op: Op, path: &Path) -> Plan {
        let mut plan = Plan::default();
        self.rules().iter_mut().filter_map(|rule| rule.apply(op, path)).for_each(|action| plan.add(action));
        plan
    }

    async fn delete_one(&self, location: Path) -> Result<Path> {
        let plan = self.plan(Op::Delete, &location);
        let (inner, path) = (Arc::clone(&self.inner), location.clone());
        plan.carry_out(&location, async move { inner.delete(&path).await }).await?;
        Ok(location)
    }

    /// A listing that is planned when it is first polled, and read as a whole only if it is to be falsified.
    fn listing(
        &self,
        prefix: Option<&Path>,
        listing: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let (this, prefix) = (self.clone(), prefix.cloned().unwrap_or_default());
        stream::once(async move {
            let plan = this.plan(Op::List, &prefix);
            let listing = plan.carry_out(&prefix, future::ok(listing)).await?;
            if plan.falsify.is_empty() {
                return Ok::<_, Error>(listing);
            }
            let mut entries: Vec<_> = listing.try_collect().await?;
            plan.falsify.iter().for_each(|change| change.apply(&mut entries));
            Ok(stream::iter(entries.into_iter().map(Ok)).boxed())
        })
        .try_flatten()
        .boxed()
    }
}

impl fmt::Debug for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultStore").field("inner", &self.inner).field("rules", &self.rules().len()).finish()
    }
}

impl fmt::Display for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FaultStore({})", self.inner)
    }
}

/// `found` with its bytes changed by `plan`.
async fn corrupted(found: GetResult, plan: &Plan) -> Result<GetResult> {
    let (mut meta, mut range, attributes) = (found.meta.clone(), found.range.clone(), found.attributes.clone());
    let was_whole = range == (0..meta.size);
    let bytes = plan.corrupt.iter().fold(found.bytes().await?, |bytes, change| change(bytes));
    range.end = range.start + bytes.len() as u64;
    if was_whole {
        meta.size = range.end;
    }
    let payload = GetResultPayload::Stream(stream::once(future::ok::<Bytes, Error>(bytes)).boxed());
    Ok(GetResult { payload, meta, range, attributes, extensions: Default::default() })
}

// `get_ranges` is left to the trait, so that its GETs are planned one by one.
#[async_trait]
impl ObjectStore for FaultStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, mut opts: PutOptions) -> Result<PutResult> {
        let plan = self.plan(Op::of_put(&opts.mode), location);
        if plan.ignore_mode {
            opts.mode = PutMode::Overwrite;
        }
        let (inner, path) = (Arc::clone(&self.inner), location.clone());
        plan.carry_out(location, async move { inner.put_opts(&path, payload, opts).await }).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let plan = self.plan(Op::Multipart, location);
        let (inner, path) = (Arc::clone(&self.inner), location.clone());
        plan.carry_out(location, async move { inner.put_multipart_opts(&path, opts).await }).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let op = Op::of_get(&options);
        let plan = self.plan(op, location);
        let (inner, path) = (Arc::clone(&self.inner), location.clone());
        match plan.carry_out(location, async move { inner.get_opts(&path, options).await }).await {
            Err(Error::NotFound { path, source }) if plan.not_found_as_403 => {
                Err(Error::PermissionDenied { path, source })
            }
            Ok(found) if op == Op::Get && !plan.corrupt.is_empty() => corrupted(found, &plan).await,
            answer => answer,
        }
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let this = self.clone();
        locations
            .then(move |location| {
                let this = this.clone();
                async move { this.delete_one(location?).await }
            })
            .boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(prefix, self.inner.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(prefix, self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let path = prefix.cloned().unwrap_or_default();
        let plan = self.plan(Op::List, &path);
        let (inner, prefix) = (Arc::clone(&self.inner), prefix.cloned());
        let effect = async move { inner.list_with_delimiter(prefix.as_ref()).await };
        let mut found = plan.carry_out(&path, effect).await?;
        plan.falsify.iter().for_each(|change| change.apply(&mut found.objects));
        Ok(found)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let plan = self.plan(Op::Copy, to);
        let (inner, from, path) = (Arc::clone(&self.inner), from.clone(), to.clone());
        plan.carry_out(to, async move { inner.copy_opts(&from, &path, options).await }).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        let plan = self.plan(Op::Rename, to);
        let (inner, from, path) = (Arc::clone(&self.inner), from.clone(), to.clone());
        plan.carry_out(to, async move { inner.rename_opts(&from, &path, options).await }).await
    }
}
