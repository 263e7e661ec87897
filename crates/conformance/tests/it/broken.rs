//! Stores that break one promise each.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory,
    path::Path,
};

/// What a store does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A create of an existing object is refused, but replaces it.
    RefusesAndWrites,
    /// A create of an existing object fails with an error of no kind.
    RefusesWithoutReason,
    /// A put onto an existing object does nothing.
    KeepsOld,
    /// A put onto a longer object replaces the beginning only.
    KeepsTail,
    /// A put of nothing does nothing.
    DropsEmpty,
    /// Objects over 1 MiB lose their last byte.
    CutsLarge,
    /// A missing object is read as an empty one.
    EmptyForMissing,
    /// A ranged GET loses its last byte.
    ShortRanges,
    /// A ranged GET gives the whole object.
    IgnoresRanges,
    /// A ranged GET beyond the end gives the last byte instead.
    ClampsRanges,
    /// A delete does nothing.
    KeepsDeleted,
    /// A delete deletes whatever begins with the name.
    DeletesTooMuch,
    /// A delete of a missing object fails with an error of no kind.
    FailsForMissing,
    /// Names are cut at 200 bytes a segment.
    CutsNames,
    /// Points in names come back encoded from a listing.
    EncodesPoints,
    /// A listing has no more than one page.
    OnePage,
    /// A listing ignores its offset.
    IgnoresOffset,
    /// A listing begins at its offset.
    IncludesOffset,
    /// A prefix need not end where a segment does.
    PrefixOfString,
    /// A listing is of everything.
    IgnoresPrefix,
    /// Names are ordered segment by segment.
    OrdersSegments,
    /// Names are ordered without regard to case.
    IgnoresCase,
    /// A listing knows no sizes.
    NoSizes,
    /// A listing of nothing is an error.
    FailsForNothing,
}

/// A store in memory that is broken.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    inner: InMemory,
    how: How,
}

impl Broken {
    pub(crate) fn store(how: How) -> Arc<dyn ObjectStore> {
        Arc::new(Self { inner: InMemory::new(), how })
    }

    fn listing(&self, prefix: Option<&Path>, offset: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (this, prefix, offset) = (self.clone(), prefix.cloned().unwrap_or_default(), offset.cloned());
        stream::once(async move { this.listed(&prefix, offset.as_ref()).await })
            .map_ok(|objects| stream::iter(objects.into_iter().map(Ok)))
            .try_flatten()
            .boxed()
    }

    async fn listed(&self, prefix: &Path, offset: Option<&Path>) -> Result<Vec<ObjectMeta>> {
        let mut listed: Vec<ObjectMeta> = self.inner.list(None).try_collect().await?;
        listed.retain(|object| match self.how {
            How::IgnoresPrefix => true,
            How::PrefixOfString => object.location.as_ref().starts_with(prefix.as_ref()),
            _ => object.location != *prefix && object.location.prefix_matches(prefix),
        });
        listed.retain(|object| match (self.how, offset) {
            (How::IgnoresOffset, _) | (_, None) => true,
            (How::IncludesOffset, Some(offset)) => object.location >= *offset,
            (_, Some(offset)) => object.location > *offset,
        });
        match self.how {
            How::OnePage => listed.truncate(1_000),
            How::OrdersSegments => {
                listed.sort_by_key(|object| object.location.as_ref().split('/').map(String::from).collect::<Vec<_>>());
            }
            How::IgnoresCase => listed.sort_by_key(|object| object.location.as_ref().to_lowercase()),
            How::NoSizes => listed.iter_mut().for_each(|object| object.size = 0),
            How::EncodesPoints => listed.iter_mut().for_each(|object| {
                object.location = Path::parse(object.location.as_ref().replace('.', "%2E")).unwrap();
            }),
            How::FailsForNothing if listed.is_empty() => return Err(no_reason()),
            _ => {}
        }
        Ok(listed)
    }

    /// The name under which an object is kept.
    fn kept(&self, location: &Path) -> Path {
        if self.how != How::CutsNames {
            return location.clone();
        }
        Path::from_iter(location.parts().map(|part| part.as_ref().chars().take(200).collect::<String>()))
    }

    async fn read(&self, location: &Path) -> Option<Bytes> {
        self.inner.get(location).await.ok()?.bytes().await.ok()
    }

    async fn delete_one(&self, location: Path) -> Result<()> {
        match self.how {
            How::KeepsDeleted => Ok(()),
            How::FailsForMissing if self.read(&location).await.is_none() => Err(no_reason()),
            How::DeletesTooMuch => {
                for object in self.inner.list(None).try_collect::<Vec<_>>().await? {
                    let (folder, _) = location.as_ref().rsplit_once('/').unwrap_or(("never", ""));
                    if object.location.as_ref().starts_with(folder) {
                        self.inner.delete(&object.location).await?;
                    }
                }
                Ok(())
            }
            _ => self.inner.delete(&self.kept(&location)).await,
        }
    }
}

fn no_reason() -> Error {
    Error::Generic { store: "broken", source: "for no reason".into() }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Broken({:?})", self.how)
    }
}

#[async_trait]
impl ObjectStore for Broken {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let location = self.kept(location);
        let is_create = opts.mode == PutMode::Create;
        let put = PutResult { e_tag: None, version: None, extensions: Default::default() };
        match (self.how, self.read(&location).await) {
            (How::RefusesAndWrites, Some(_)) if is_create => {
                self.inner.put(&location, payload).await?;
                Err(Error::AlreadyExists { path: location.to_string(), source: "and yet it was written".into() })
            }
            (How::RefusesWithoutReason, Some(_)) if is_create => Err(no_reason()),
            (How::KeepsOld, Some(_)) if !is_create => Ok(put),
            (How::KeepsTail, Some(old)) if !is_create => {
                let new = Bytes::from(payload);
                let new = [&new[..new.len() / 2], &old[(new.len() / 2).min(old.len())..]].concat();
                self.inner.put(&location, new.into()).await
            }
            (How::DropsEmpty, _) if payload.content_length() == 0 => Ok(put),
            _ => self.inner.put_opts(&location, payload, opts).await,
        }
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, mut options: GetOptions) -> Result<GetResult> {
        let location = self.kept(location);
        let length = self.read(&location).await.map(|bytes| bytes.len() as u64);
        match (self.how, length, &mut options.range) {
            (How::EmptyForMissing, None, _) => {
                self.inner.put(&location, PutPayload::new()).await?;
                let empty = self.inner.get(&location).await;
                self.inner.delete(&location).await?;
                return empty;
            }
            (How::CutsLarge, Some(length), range @ None) if length > 1024 * 1024 => {
                *range = Some(GetRange::Bounded(0..length - 1));
            }
            (How::ShortRanges, _, Some(GetRange::Bounded(range))) if range.end > range.start + 1 => range.end -= 1,
            (How::IgnoresRanges, _, range) => *range = None,
            (How::ClampsRanges, Some(length), Some(range)) if range.as_range(length).is_err() => {
                *range = GetRange::Offset(length - 1);
            }
            _ => {}
        }
        self.inner.get_opts(&location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let this = self.clone();
        locations
            .and_then(move |location| {
                let this = this.clone();
                async move { this.delete_one(location.clone()).await.map(|()| location) }
            })
            .boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(prefix, None)
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.listing(prefix, Some(offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
