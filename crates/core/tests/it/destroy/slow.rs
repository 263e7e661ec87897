//! A bucket that is slow, and a user or a vault that is large: what goes on as long as there is progress.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::{StreamExt, stream, stream::BoxStream};
use memoseal_core::Backend;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result as StoreResult,
};
use tokio::time::sleep;

use super::*;

/// A page of a listing takes as long as this, and holds so many entries.
const A_PAGE: Duration = Duration::from_secs(10);
const ENTRIES: usize = 10;

/// A store whose listings come in small pages, slowly. Of one with a delimiter nothing is told before the last page.
#[derive(Debug)]
struct Slow(Arc<dyn ObjectStore>);

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slow")
    }
}

fn slowly(listing: BoxStream<'static, StoreResult<ObjectMeta>>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
    let paged = listing.enumerate().then(|(n, entry)| async move {
        if n % ENTRIES == 0 {
            sleep(A_PAGE).await;
        }
        entry
    });
    paged.boxed()
}

#[async_trait]
impl ObjectStore for Slow {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> StoreResult<PutResult> {
        self.0.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> StoreResult<Box<dyn MultipartUpload>> {
        self.0.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> StoreResult<GetResult> {
        self.0.get_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, StoreResult<Path>>) -> BoxStream<'static, StoreResult<Path>> {
        self.0.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        slowly(self.0.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        slowly(self.0.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
        let found = self.0.list_with_delimiter(prefix).await?;
        let pages = found.common_prefixes.len().div_ceil(ENTRIES).max(1);
        stream::iter(0..pages).for_each(|_| sleep(A_PAGE)).await;
        Ok(found)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
        self.0.copy_opts(from, to, options).await
    }
}

impl Bucket {
    /// The same bucket, slow and counted.
    fn slow(&self) -> (memoseal_testkit::CountingStore, Backend) {
        let counting = memoseal_testkit::CountingStore::new(Arc::new(Slow(Arc::clone(&self.memory))));
        (counting.clone(), Backend::single(Arc::new(counting)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_of_many_stores_is_destroyed_however_slowly_they_are_listed() {
    let (bucket, vault) = lived_in().await;
    for n in 0..50 {
        ok(&open(&vault, &format!("store {n}")).await.unwrap(), create("/memories/a", "a")).await;
    }
    let (_, slow) = bucket.slow();
    let vault = Vault::open(slow, key(), options()).await.unwrap();
    assert_eq!(vault.user("alice").stores().await.unwrap().len(), 52);
    destroy(&vault.user("alice")).await;
    assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
    let done = vault.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    assert_eq!((done.emptied, done.stores.len()), (0, 0));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_vault_of_many_users_is_looked_through_however_slowly_they_are_listed() {
    let (bucket, vault) = lived_in().await;
    for n in 0..50 {
        ok(&roomy(&vault, &format!("user {n}")).await, create("/memories/a", "a")).await;
    }
    let expected = vault.users().await.unwrap();
    // One of them has far more than a page of objects; the others are behind it, and what lies there is not listed whole.
    let first = names(&bucket).await.into_iter().find(|name| name.starts_with("users/")).unwrap();
    let large = first.split('/').nth(1).unwrap();
    for n in 0..3_000 {
        bucket.memory.put(&Path::from(format!("users/{large}/log/x/{n:04}")), "".into()).await.unwrap();
    }
    let (counting, slow) = bucket.slow();
    let vault = Vault::open(slow, key(), options()).await.unwrap();
    counting.reset();
    assert_eq!(vault.users().await.unwrap(), expected);
    let listings = counting.ops().into_iter().filter(|(_, path)| path == "users").count();
    assert_eq!(listings, 4, "the folders, which does not come in time; two pages, until it is skipped; the rest");
}
