//! A store that counts what is asked of it.

use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
    ops::Sub,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result, path::Path,
};

use crate::Op;

/// How many entries a page of a listing has, as S3, GCS and (at our request) Azure send them.
pub const PAGE: usize = 1_000;

/// How many requests of each kind, and how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Puts-if-absent, successful or not.
    pub put_create: u64,
    /// Puts that replace.
    pub put_overwrite: u64,
    /// GETs, whole and ranged, of objects that exist or not.
    pub get: u64,
    /// HEADs.
    pub head: u64,
    /// Pages of listings that were begun to be read: one, and one more for each further 1,000 entries.
    pub list: u64,
    /// Deletes, one for each object.
    pub delete: u64,
    /// Anything that memoseal never sends: conditional updates, multipart uploads, copies, renames.
    pub other: u64,
    /// Bytes of the bodies of puts.
    pub bytes_up: u64,
    /// Bytes of the objects or ranges that successful GETs asked for, even if the body was then not read.
    pub bytes_down: u64,
}

impl Counts {
    /// The requests alone: the same with no bytes.
    #[must_use]
    pub fn requests(self) -> Self {
        Self { bytes_up: 0, bytes_down: 0, ..self }
    }

    /// How many requests of all kinds.
    pub fn total(&self) -> u64 {
        self.put_create + self.put_overwrite + self.get + self.head + self.list + self.delete + self.other
    }

    fn of(&mut self, op: Op) -> &mut u64 {
        match op {
            Op::PutCreate => &mut self.put_create,
            Op::PutOverwrite => &mut self.put_overwrite,
            Op::Get => &mut self.get,
            Op::Head => &mut self.head,
            Op::List => &mut self.list,
            Op::Delete => &mut self.delete,
            Op::PutUpdate | Op::Multipart | Op::Copy | Op::Rename => &mut self.other,
        }
    }
}

/// What was counted since an earlier look, each number clipped at zero.
impl Sub for Counts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            put_create: self.put_create.saturating_sub(earlier.put_create),
            put_overwrite: self.put_overwrite.saturating_sub(earlier.put_overwrite),
            get: self.get.saturating_sub(earlier.get),
            head: self.head.saturating_sub(earlier.head),
            list: self.list.saturating_sub(earlier.list),
            delete: self.delete.saturating_sub(earlier.delete),
            other: self.other.saturating_sub(earlier.other),
            bytes_up: self.bytes_up.saturating_sub(earlier.bytes_up),
            bytes_down: self.bytes_down.saturating_sub(earlier.bytes_down),
        }
    }
}

/// A request as it was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What was asked.
    pub op: Op,
    /// For which object; of a listing, below which prefix.
    pub path: Path,
    /// The range of a GET, if it had one.
    pub range: Option<GetRange>,
    /// A hash of the body of a put: the same for the same bytes.
    pub body: Option<u64>,
}

/// A store that counts the requests to the store that it wraps, and keeps a log of them.
#[derive(Clone, Debug)]
pub struct CountingStore {
    inner: Arc<dyn ObjectStore>,
    book: Arc<Mutex<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    counts: Counts,
    log: Vec<Request>,
}

impl CountingStore {
    /// A store over `inner` that has counted nothing yet.
    pub fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Self { inner, book: Arc::default() }
    }

    /// What was counted since the start or the last [`reset`](Self::reset).
    pub fn counts(&self) -> Counts {
        self.book().counts
    }

    /// The requests since the start or the last [`reset`](Self::reset), in the order in which they arrived.
    pub fn log(&self) -> Vec<Request> {
        self.book().log.clone()
    }

    /// The kinds and paths of [`log`](Self::log).
    pub fn ops(&self) -> Vec<(Op, String)> {
        self.book().log.iter().map(|request| (request.op, request.path.to_string())).collect()
    }

    /// Starts from nothing.
    pub fn reset(&self) {
        *self.book() = Book::default();
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, op: Op, path: &Path, range: Option<GetRange>) {
        self.note(Request { op, path: path.clone(), range, body: None });
    }

    fn note(&self, request: Request) {
        let mut book = self.book();
        *book.counts.of(request.op) += 1;
        book.log.push(request);
    }

    /// `listing` with its pages counted as they are pulled.
    fn paged(
        &self,
        prefix: Option<&Path>,
        listing: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let (this, prefix) = (self.clone(), prefix.cloned().unwrap_or_default());
        futures_util::stream::once(async move {
            this.count(Op::List, &prefix, None);
            listing.enumerate().map(move |(n, entry)| {
                if n > 0 && n % PAGE == 0 {
                    this.count(Op::List, &prefix, None);
                }
                entry
            })
        })
        .flatten()
        .boxed()
    }
}

impl fmt::Display for CountingStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountingStore({})", self.inner)
    }
}

// `get_ranges` is left to the trait, so that its GETs are counted as a remote store would send them.
#[async_trait]
impl ObjectStore for CountingStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let mut hasher = DefaultHasher::new();
        payload.iter().for_each(|part| hasher.write(part));
        let (op, path) = (Op::of_put(&opts.mode), location.clone());
        self.note(Request { op, path, range: None, body: Some(hasher.finish()) });
        self.book().counts.bytes_up += payload.content_length() as u64;
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.count(Op::Multipart, location, None);
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let op = Op::of_get(&options);
        self.count(op, location, options.range.clone());
        let found = self.inner.get_opts(location, options).await?;
        if op == Op::Get {
            self.book().counts.bytes_down += found.range.end - found.range.start;
        }
        Ok(found)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let this = self.clone();
        let counted = locations.inspect(move |location| {
            if let Ok(location) = location {
                this.count(Op::Delete, location, None);
            }
        });
        self.inner.delete_stream(counted.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.paged(prefix, self.inner.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.paged(prefix, self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let path = prefix.cloned().unwrap_or_default();
        self.count(Op::List, &path, None);
        let found = self.inner.list_with_delimiter(prefix).await?;
        let entries = found.objects.len() + found.common_prefixes.len();
        for _ in 1..entries.div_ceil(PAGE) {
            self.count(Op::List, &path, None);
        }
        Ok(found)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.count(Op::Copy, to, None);
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.count(Op::Rename, to, None);
        self.inner.rename_opts(from, to, options).await
    }
}
