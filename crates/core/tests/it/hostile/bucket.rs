//! A bucket that lies, and keeps count of what it is asked.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, future, stream, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory, path::Path,
};

/// A lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lie {
    /// No listing tells of names that hold this.
    Hides(&'static str),
    /// No listing tells of the first name in its place, which is the newest of its series.
    HidesTheNewest,
    /// A create is always answered with "exists", and does nothing.
    AlwaysExists,
    /// As `AlwaysExists`, and nothing can be read.
    ExistsButIsMissing,
    /// A create is always answered with "exists", and somebody else's bytes can be read there, of which no listing tells.
    ExistsAsAnothers,
    /// A GET finds nothing.
    AlwaysMissing,
    /// A listing begins with newer generations, commits and lives that are not there.
    TellsNewer,
    /// A listing goes on for ever, with names of our own kind, which are not there.
    NeverEnds,
    /// The same in names that nobody uses.
    NeverEndsInOthers,
    /// A listing tells its page again and again.
    Repeats,
}

pub(super) const LIES: [Lie; 12] = [
    Lie::Hides(""),
    Lie::Hides("vault/"),
    Lie::Hides("/keyring/"),
    Lie::HidesTheNewest,
    Lie::AlwaysExists,
    Lie::ExistsButIsMissing,
    Lie::ExistsAsAnothers,
    Lie::AlwaysMissing,
    Lie::TellsNewer,
    Lie::NeverEnds,
    Lie::NeverEndsInOthers,
    Lie::Repeats,
];

/// So many requests are answered: whoever asks more often never stops asking.
pub(super) const MOST: u64 = 40_000;

/// How many entries make a page, and so a request.
const PAGE: u64 = 20;

#[derive(Clone, Debug)]
pub(super) struct Liar {
    inner: Arc<dyn ObjectStore>,
    lie: Lie,
    lies: Arc<AtomicBool>,
    asked: Arc<AtomicU64>,
}

impl Liar {
    pub(super) fn over(inner: Arc<dyn ObjectStore>, lie: Lie) -> Self {
        Self { inner, lie, lies: Arc::default(), asked: Arc::default() }
    }

    /// From here on it lies, and counts; before, it is honest.
    pub(super) fn lies(self) -> Self {
        self.lies.store(true, Ordering::Relaxed);
        self
    }

    fn lie(&self) -> Option<Lie> {
        self.lies.load(Ordering::Relaxed).then_some(self.lie)
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Counts a request. One too many is never answered.
    async fn ask(&self) {
        let lies = self.lies.load(Ordering::Relaxed);
        if lies && self.asked.fetch_add(1, Ordering::Relaxed) >= MOST {
            future::pending().await
        }
    }

    fn falsified(&self, found: Vec<ObjectMeta>) -> BoxStream<'static, Result<ObjectMeta>> {
        let all = |found: Vec<ObjectMeta>| stream::iter(found.into_iter().map(Ok)).boxed();
        let Some(lie) = self.lie() else { return all(found) };
        match lie {
            Lie::Hides(part) => {
                all(found.into_iter().filter(|object| !object.location.as_ref().contains(part)).collect())
            }
            Lie::HidesTheNewest => all(found.into_iter().skip(1).collect()),
            Lie::TellsNewer => all(newer(&found).take(3).chain(found.clone()).collect()),
            Lie::NeverEnds => stream::iter(newer(&found)).map(Ok).boxed(),
            Lie::NeverEndsInOthers => {
                let last = found.last().cloned();
                let more = stream::iter(last.into_iter().flat_map(|last| (0_u64..).map(move |n| other(&last, n))));
                stream::iter(found).chain(more).map(Ok).boxed()
            }
            Lie::Repeats if found.is_empty() => all(found),
            Lie::Repeats => stream::iter(found.into_iter().cycle()).map(Ok).boxed(),
            Lie::AlwaysExists | Lie::ExistsButIsMissing | Lie::ExistsAsAnothers | Lie::AlwaysMissing => all(found),
        }
    }

    fn listing(&self, listing: BoxStream<'static, Result<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
        let this = self.clone();
        stream::once(async move {
            this.ask().await;
            let mut found: Vec<_> = listing.try_collect().await?;
            found.sort_by(|a, b| a.location.cmp(&b.location));
            let falsified = this.falsified(found).enumerate();
            Ok::<_, Error>(falsified.then(move |(n, entry)| {
                let this = this.clone();
                async move {
                    if n as u64 % PAGE == PAGE - 1 {
                        this.ask().await;
                    }
                    entry
                }
            }))
        })
        .try_flatten()
        .boxed()
    }
}

/// Names of the kind of the first, without end as far as anybody gets: newer ones in their order, each of which is before
/// the first.
fn newer(found: &[ObjectMeta]) -> impl Iterator<Item = ObjectMeta> + use<> {
    let first = found.first().cloned();
    first.into_iter().flat_map(|first| {
        (0..u64::from(u32::MAX)).map_while(move |n| {
            let parts: Vec<_> = first.location.as_ref().split('/').collect();
            let (last, folders) = parts.split_last()?;
            // The last folder of a commit holds most of its number.
            let name = match folders.split_last() {
                Some((folder, above)) if folder.len() == 13 => {
                    format!("{}/{:013x}/{:03x}", above.join("/"), n >> 12, n & 0xfff)
                }
                _ if last.len() == 16 => format!("{}/{n:016x}", folders.join("/")),
                _ => return None,
            };
            Some(ObjectMeta { location: Path::from(name), size: 57, ..first.clone() })
        })
    })
}

fn other(last: &ObjectMeta, n: u64) -> ObjectMeta {
    ObjectMeta { location: Path::from(format!("{}zz/{n:016x}/other", last.location)), ..last.clone() }
}

impl fmt::Display for Liar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Liar({:?})", self.lie)
    }
}

#[async_trait]
impl ObjectStore for Liar {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.ask().await;
        let is_create = matches!(opts.mode, object_store::PutMode::Create);
        if is_create && matches!(self.lie(), Some(Lie::AlwaysExists | Lie::ExistsButIsMissing | Lie::ExistsAsAnothers))
        {
            return Err(Error::AlreadyExists { path: location.to_string(), source: "a lie".into() });
        }
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.ask().await;
        if matches!(self.lie(), Some(Lie::AlwaysMissing | Lie::ExistsButIsMissing)) {
            return Err(Error::NotFound { path: location.to_string(), source: "a lie".into() });
        }
        match self.inner.get_opts(location, options.clone()).await {
            Err(Error::NotFound { .. }) if self.lie() == Some(Lie::ExistsAsAnothers) => {
                let others = InMemory::new();
                others.put(location, "somebody else's".into()).await?;
                others.get_opts(location, options).await
            }
            found => found,
        }
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let this = self.clone();
        let asked = locations.then(move |location| {
            let this = this.clone();
            async move {
                this.ask().await;
                location
            }
        });
        self.inner.delete_stream(asked.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(self.inner.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.ask().await;
        let mut found = self.inner.list_with_delimiter(prefix).await?;
        let folders = &mut found.common_prefixes;
        let Some(lie) = self.lie() else { return Ok(found) };
        match lie {
            Lie::Hides(part) => folders.retain(|folder| !folder.as_ref().contains(part)),
            Lie::HidesTheNewest => _ = folders.drain(..1.min(folders.len())),
            Lie::TellsNewer => {
                let life = "0000000000000001.0000000000000001";
                let names = [format!("{:032x}", 7), life.to_owned()];
                let parent = prefix.cloned().unwrap_or_default();
                folders.splice(..0, names.map(|name| parent.clone().join(name)));
            }
            // All pages in one answer: it never comes.
            Lie::NeverEnds | Lie::NeverEndsInOthers | Lie::Repeats => future::pending().await,
            Lie::AlwaysExists | Lie::ExistsButIsMissing | Lie::ExistsAsAnothers | Lie::AlwaysMissing => {}
        }
        Ok(found)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
