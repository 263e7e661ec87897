//! A bucket that lies: whatever it answers, every operation ends, with an error or without.

mod bucket;

use std::{sync::Arc, time::Duration};

use futures_util::TryStreamExt;
use memoseal_core::{
    Actor, Backend, CopyOptions, Depth, HistoryQuery, MaintainOptions, Result, Store, Vault, VaultOptions,
    command::Restore,
    state::{Retention, VersionId},
};
use object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};

use self::bucket::{LIES, Liar, Lie, MOST};
use crate::support::*;

/// An enum, and a list of all that is in it.
macro_rules! asked {
    ($($operation:ident),*) => {
        /// What a caller can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Asked {
            $($operation),*
        }

        const ASKED: &[Asked] = &[$($operation),*];
    };
}

asked! {
    CreateVault, OpenVault, OpenStore, OpenNewStore, Write, WriteAsSomebodyNew, View, Read, History, Audit,
    HistoryOfOne, Restore, Redact, PreviewRedaction, Retain, Expire, MaintainVault, Verify, Slots, AddSlot,
    RemoveSlot, Rotate, Reseal, Users, Stores, PreviewDestruction, DestroyUser, DestroyStore, CopyFrom, CopyTo,
    CopyToNothing
}

use Asked::*;

fn actor() -> Actor {
    Actor::Local { name: "operator".into() }
}

fn patient() -> VaultOptions {
    let mut options = options();
    options.patience.names = 3_000;
    options
}

/// A vault with everything in it that an operation can come across.
async fn lived_in() -> Arc<dyn ObjectStore> {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let alice = roomy(&vault, "alice").await;
    for n in 0..257 {
        ok(&alice, create(&format!("/memories/{}", n % 250), "x")).await;
        if n >= 7 {
            continue;
        }
        ok(&alice, delete(&format!("/memories/{n}"))).await;
    }
    alice.redact(&[VersionId { seq: 1, index: 0 }]).await.unwrap();
    alice.settle().await;
    for name in ["work", "gone"] {
        let store = vault.user("alice").store(name).open().await.unwrap();
        ok(&store, create("/memories/a", "a")).await;
    }
    vault.user("alice").destroy_store("gone", &actor(), |_| {}).await.unwrap();
    ok(&roomy(&vault, "bob").await, create("/memories/b", "b")).await;
    vault.user("bob").destroy(&actor(), |_| {}).await.unwrap();
    vault.rotate(vec![key()], false, |_, _| {}).await.unwrap();
    Arc::clone(&bucket.memory)
}

async fn copied(from: &Arc<dyn ObjectStore>) -> Arc<dyn ObjectStore> {
    let copy: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    for object in from.list(None).try_collect::<Vec<_>>().await.unwrap() {
        let bytes = from.get(&object.location).await.unwrap().bytes().await.unwrap();
        copy.put(&object.location, bytes.into()).await.unwrap();
    }
    copy
}

/// A process that has opened its vault, and a store in it, before the bucket begins to lie.
struct Warm {
    vault: Vault,
    store: Store,
}

async fn ask(asked: Asked, liar: &Liar, warm: &Warm, whole: &Arc<dyn ObjectStore>) -> Result<()> {
    let (vault, store) = (&warm.vault, &warm.store);
    let backend = || Backend::single(Arc::new(liar.clone()));
    let first = VersionId { seq: 3, index: 0 };
    let alice = vault.user("alice");
    let history = |audit, path: Option<&str>| {
        let mut query = HistoryQuery::default();
        (query.audit, query.limit) = (audit, 100);
        query.path = path.map(|path| memoseal_core::path::MemoryPath::parse(path).unwrap());
        query
    };
    match asked {
        CreateVault => Vault::create(backend(), key(), patient()).await.map(drop),
        OpenVault => Vault::open(backend(), key(), patient()).await.map(drop),
        OpenStore => alice.store("default").open().await.map(drop),
        OpenNewStore => {
            let store = alice.store("new").open().await?;
            store.execute(create("/memories/new", "x")).await.map(drop)
        }
        Write => store.execute(create("/memories/new", "x")).await.map(drop),
        WriteAsSomebodyNew => {
            let carol = vault.user("carol").store("default").open().await?;
            carol.execute(create("/memories/new", "x")).await.map(drop)
        }
        View => store.execute(view("/memories")).await.map(drop),
        Read => store.read("/memories/100").await.map(drop),
        History => store.history(&history(false, None)).await.map(drop),
        Audit => store.history(&history(true, None)).await.map(drop),
        HistoryOfOne => store.history(&history(false, Some("/memories/100"))).await.map(drop),
        Asked::Restore => {
            let restore = Restore { version: Some(first), ..Restore::default() };
            store.restore(restore).await.map(drop)
        }
        Redact => store.redact(&[first]).await.map(drop),
        PreviewRedaction => store.preview_redaction(&[first]).await.map(drop),
        Retain => store.set_retention(Retention::Forever).await.map(drop),
        Expire => {
            store.set_retention(Retention::Days(0)).await?;
            store.maintain(&MaintainOptions::default()).await.map(drop)
        }
        MaintainVault => vault.maintain(&MaintainOptions::default(), |_, _| {}).await.map(drop),
        Verify => vault.inspect(Depth::Contents, |_, _| {}).await.map(drop),
        Slots => vault.slots().await.map(drop),
        AddSlot => vault.add_slot(memoseal_core::Key::raw([8; 32])).await.map(drop),
        RemoveSlot => {
            let slots = vault.slots().await?;
            vault.remove_slot(&slots[0].id).await
        }
        Rotate => vault.rotate(vec![key()], false, |_, _| {}).await.map(drop),
        Reseal => vault.reseal_keyrings(|_, _| {}).await.map(drop),
        Users => vault.users().await.map(drop),
        Stores => alice.stores().await.map(drop),
        PreviewDestruction => alice.preview_destruction().await.map(drop),
        DestroyUser => alice.destroy(&actor(), |_| {}).await.map(drop),
        DestroyStore => alice.destroy_store("default", &actor(), |_| {}).await.map(drop),
        CopyFrom => {
            let to = Backend::in_memory();
            vault.copy_to(&to, &CopyOptions::default(), |_, _| {}).await.map(drop)
        }
        CopyTo | CopyToNothing => {
            let from = Vault::open(Backend::single(Arc::clone(whole)), key(), patient()).await.unwrap();
            from.copy_to(&backend(), &CopyOptions::default(), |_, _| {}).await.map(drop)
        }
    }
}

/// Longer than anything takes that ends, by a clock that only waiting moves.
const FOR_EVER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Asks for one thing under one lie. Gives the number of requests.
async fn ends(asked: Asked, lie: Lie, whole: &Arc<dyn ObjectStore>) -> std::result::Result<u64, String> {
    let liar = Liar::over(copied(whole).await, lie);
    let vault = Vault::open(Backend::single(Arc::new(liar.clone())), key(), patient()).await.unwrap();
    let store = vault.user("alice").store("default").open().await.unwrap();
    let warm = Warm { vault, store };
    let liar = match asked {
        CreateVault | CopyToNothing => Liar::over(Arc::new(InMemory::new()), lie).lies(),
        _ => liar.lies(),
    };
    let answer = tokio::time::timeout(FOR_EVER, async {
        let answer = ask(asked, &liar, &warm, whole).await;
        warm.store.settle().await;
        answer
    });
    let answer = answer.await.map_err(|_| format!("no end after {} requests", liar.asked()))?;
    match (liar.asked(), answer) {
        (asked, _) if asked >= MOST => Err(format!("more than {MOST} requests")),
        (_, Err(error)) if error.to_string().len() > 2_000 => Err(format!("an error without end: {error:.100}")),
        (asked, _) => Ok(asked),
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_a_bucket_answers_every_operation_ends() {
    let whole = lived_in().await;
    let (mut wrong, mut requests) = (Vec::new(), 0);
    for lie in LIES {
        for &asked in ASKED {
            match ends(asked, lie, &whole).await {
                Ok(most) => requests = requests.max(most),
                Err(problem) => wrong.push(format!("{lie:?}, {asked:?}: {problem}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(requests > 100, "they have asked for something: {requests}");
}
