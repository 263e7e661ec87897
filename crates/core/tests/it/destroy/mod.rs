//! Destroying users and stores: nothing of them can be opened afterwards, whoever works on them stops, and what comes
//! under the same name has nothing of it.

mod beside;
mod crashes;
mod later;
mod lives;
mod races;
mod seen;
mod slow;

use futures_util::TryStreamExt;
use memoseal_core::{Actor, Depth, Error, MaintainOptions, Result, Store, User, Vault, command::Reply};
use memoseal_crypto::{Keyring, RawKey, Unlock, unlock};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, path::Path};

use crate::support::*;

fn actor() -> Actor {
    Actor::Local { name: "operator".into() }
}

async fn destroy(user: &User) {
    let destroyed = user.destroy(&actor(), |_| {}).await.unwrap();
    assert!(destroyed.damaged.is_empty(), "{:?}", destroyed.damaged);
}

async fn destroy_store(vault: &Vault, name: &str) {
    vault.user("alice").destroy_store(name, &actor(), |_| {}).await.unwrap();
}

async fn open(vault: &Vault, store: &str) -> Result<Store> {
    vault.user("alice").store(store).open().await
}

fn is_gone<T>(answer: Result<T>) -> bool {
    match answer {
        Err(Error::NotFound { .. }) => true,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => false,
    }
}

/// Whether a handle that was open says to everything that its store is gone.
async fn stops(store: &Store) -> bool {
    is_gone(store.execute(view("/memories")).await)
        && is_gone(store.execute(create("/memories/late", "x")).await)
        && is_gone(store.memories().await)
        && is_gone(store.read("/memories/a").await)
        && is_gone(store.history(&Default::default()).await)
        && is_gone(store.set_retention(memoseal_core::state::Retention::Forever).await)
        && is_gone(store.maintain(&MaintainOptions::default()).await)
}

async fn objects(bucket: &Bucket) -> Vec<ObjectMeta> {
    let mut objects: Vec<ObjectMeta> = bucket.memory.list(None).try_collect().await.unwrap();
    objects.sort_by(|a, b| a.location.cmp(&b.location));
    objects
}

async fn names(bucket: &Bucket) -> Vec<String> {
    objects(bucket).await.into_iter().map(|object| object.location.to_string()).collect()
}

async fn bytes(bucket: &Bucket, path: &Path) -> Vec<u8> {
    bucket.memory.get(path).await.unwrap().bytes().await.unwrap().to_vec()
}

async fn findings(bucket: &Bucket) -> Vec<String> {
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    inspection.findings.into_iter().map(|finding| format!("{}: {}", finding.place, finding.problem)).collect()
}

async fn maintain(bucket: &Bucket) {
    let done = bucket.open().await.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    assert!(done.stores.iter().all(|store| store.outcome.is_ok()), "{:?}", done.stores);
}

/// How many keyrings in the bucket hold a user's key, by the format alone.
async fn keys_left(bucket: &Bucket) -> usize {
    let number = |path: &Path| u64::MAX - u64::from_str_radix(path.filename().unwrap(), 16).unwrap();
    let (header, rest): (Vec<_>, Vec<_>) =
        objects(bucket).await.into_iter().partition(|object| object.location.as_ref().starts_with("vault/"));
    let header = &header[0].location;
    let raw = RawKey::from_bytes([7; 32]);
    let vault = unlock(&bytes(bucket, header).await, number(header), &Unlock::Raw(&raw)).unwrap();
    let mut left = 0;
    for path in rest.iter().map(|object| &object.location).filter(|path| path.as_ref().contains("/keyring/")) {
        let user = u128::from_str_radix(path.as_ref().split('/').nth(1).unwrap(), 16).unwrap().to_be_bytes();
        left += usize::from(Keyring::open(&bytes(bucket, path).await, &vault, user, number(path)).is_ok());
    }
    left
}

/// Objects in logs that are not empty.
async fn full(bucket: &Bucket) -> usize {
    let objects = objects(bucket).await;
    let is_in_a_log = |name: &str| name.contains("/log/") || name.contains("/hist/");
    objects.iter().filter(|object| is_in_a_log(object.location.as_ref()) && object.size > 0).count()
}

impl Bucket {
    /// A bucket with the same objects, and its vault.
    async fn copy(&self) -> (Self, Vault) {
        let copy = Self::new();
        for object in objects(self).await {
            copy.memory.put(&object.location, bytes(self, &object.location).await.into()).await.unwrap();
        }
        let vault = copy.open().await;
        (copy, vault)
    }
}

/// A vault with a user who has a store `default` with a checkpoint, and one that is called `work`.
async fn lived_in() -> (Bucket, Vault) {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let store = open(&vault, "default").await.unwrap();
    for n in 0..40 {
        ok(&store, create(&format!("/memories/{n}"), "swordfish")).await;
    }
    ok(&store, create("/memories/a", "a")).await;
    store.settle().await;
    ok(&open(&vault, "work").await.unwrap(), create("/memories/a", "w")).await;
    (bucket, vault)
}

#[tokio::test]
async fn nothing_of_a_destroyed_user_is_left() {
    let (bucket, vault) = lived_in().await;
    let bob = vault.user("bob").store("default").open().await.unwrap();
    ok(&bob, create("/memories/b", "b")).await;
    assert_eq!(keys_left(&bucket).await, 2);
    let mut emptied = 0;
    let destroyed = vault.user("alice").destroy(&actor(), |n| emptied = n).await.unwrap();
    assert_eq!((destroyed.emptied, destroyed.damaged.len()), (emptied, 0));
    assert!(emptied > 44, "{emptied}");
    assert_eq!(keys_left(&bucket).await, 1, "bob's");
    assert_eq!(full(&bucket).await, 1, "bob's");
    assert_eq!(findings(&bucket).await, [""; 0]);
    for vault in [vault, bucket.open().await] {
        assert_eq!(vault.users().await.unwrap(), ["bob"]);
        assert!(vault.user("alice").stores().await.unwrap().is_empty());
        for store in ["default", "work"] {
            assert!(open(&vault, store).await.unwrap().memories().await.unwrap().is_empty());
        }
    }
    assert_eq!(tree(&bucket.open().await, "bob").await, [("/memories/b".into(), "b".into())]);
}

#[tokio::test]
async fn a_user_that_was_never_there_is_not_destroyed() {
    let (bucket, vault) = lived_in().await;
    let before = names(&bucket).await;
    let destroyed = vault.user("alise").destroy(&actor(), |_| {}).await;
    assert!(matches!(&destroyed, Err(Error::NotFound { .. })), "{destroyed:?}");
    for (user, store) in [("alise", "default"), ("alice", "wrok"), ("alice", "")] {
        let destroyed = vault.user(user).destroy_store(store, &actor(), |_| {}).await;
        assert!(matches!(&destroyed, Err(Error::NotFound { .. })), "{user} {store}: {destroyed:?}");
    }
    assert_eq!(names(&bucket).await, before);
}

#[tokio::test]
async fn a_destroyed_user_may_be_destroyed_again() {
    let (bucket, vault) = lived_in().await;
    destroy(&vault.user("alice")).await;
    let before = names(&bucket).await;
    destroy(&bucket.open().await.user("alice")).await;
    assert_eq!(names(&bucket).await, before);
}

#[tokio::test]
async fn a_destroyed_store_is_gone_and_the_others_stay() {
    let (bucket, vault) = lived_in().await;
    destroy_store(&vault, "default").await;
    assert_eq!(vault.user("alice").stores().await.unwrap(), ["work"]);
    assert_eq!(vault.users().await.unwrap(), ["alice"]);
    assert_eq!(full(&bucket).await, 3, "the last commit, the other store's, and the catalogue's");
    assert_eq!(findings(&bucket).await, [""; 0]);
    let again = bucket.open().await;
    assert!(open(&again, "default").await.unwrap().memories().await.unwrap().is_empty());
    assert_eq!(open(&again, "work").await.unwrap().read("/memories/a").await.unwrap(), "w");
    destroy_store(&again, "default").await;
    destroy_store(&again, "work").await;
    assert!(again.user("alice").stores().await.unwrap().is_empty());
}

#[tokio::test]
async fn blocks_of_history_go_with_their_log() {
    for whole in [true, false] {
        let (bucket, vault) = lived_in().await;
        let store = open(&vault, "default").await.unwrap();
        for n in 0..230 {
            ok(&store, create(&format!("/memories/more/{n}"), "")).await;
        }
        store.settle().await;
        let blocks = async || names(&bucket).await.iter().filter(|name| name.contains("/hist/")).count();
        assert_eq!(blocks().await, 1);
        let others = 2;
        if whole {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        assert_eq!(full(&bucket).await, if whole { 0 } else { 1 + others });
        assert_eq!(findings(&bucket).await, [""; 0]);
        maintain(&bucket).await;
        assert_eq!(
            (blocks().await, full(&bucket).await),
            (1, if whole { 0 } else { 1 + others }),
            "it stays for a week"
        );
    }
}

#[tokio::test]
async fn a_user_whose_log_is_damaged_can_be_destroyed() {
    let (bucket, _) = lived_in().await;
    let logs = objects(&bucket).await.into_iter().filter(|object| object.location.as_ref().contains("/log/"));
    let firsts = logs.filter(|object| object.location.as_ref().ends_with("/ffe")).map(|object| object.location);
    let newest = objects(&bucket).await.into_iter().find(|object| object.location.as_ref().ends_with("/fd6")).unwrap();
    // The catalogue, the store of one commit, and the end of the one of many.
    for damaged in firsts.chain([newest.location]) {
        let (bucket, vault) = bucket.copy().await;
        bucket.memory.put(&damaged, "junk".into()).await.unwrap();
        let destroyed = vault.user("alice").destroy(&actor(), |_| {}).await.unwrap();
        let is_in_the_middle = full(&bucket).await == 0 && destroyed.damaged.is_empty();
        assert!(destroyed.damaged.len() == 1 || is_in_the_middle, "{damaged}: {:?}", destroyed.damaged);
        assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0), "{damaged}");
        assert_eq!(findings(&bucket).await, [""; 0], "{damaged}");
    }
}
