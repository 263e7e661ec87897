//! How the golden vault was made: once, when version 1 became final. It is kept so that it can be seen what lies in it.

use std::fmt::Write as _;

use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::TryStreamExt;
use memoseal_core::{
    Actor, Key, MaintainOptions, Store, Vault, VaultOptions,
    command::{Command, Limits},
    state::Retention,
};
use object_store::{ObjectStore, ObjectStoreExt};

use super::{FILE, FILLED, IMAGE, KEY, PASSPHRASE};
use crate::{redaction::clock::Ahead, support::*};

async fn open(vault: &Vault, user: &str, store: &str) -> Store {
    let mut limits = Limits::default();
    limits.files = 10_000;
    let actor = Actor::Session { session_id: "session-1".into() };
    vault.user(user).store(store).limits(limits).actor(actor).open().await.unwrap()
}

async fn put(store: &Store, path: &str, content: &[u8]) {
    ok(store, Command::Put { path: path.into(), content: content.to_vec().into() }).await;
}

async fn maintain(vault: &Vault) {
    let done = vault.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    assert!(done.stores.iter().all(|store| store.outcome.is_ok()), "{:?}", done.stores);
}

/// Everything that a log can hold, but for what ends it.
async fn live(vault: &Vault) {
    let store = open(vault, "alice", "default").await;
    let turn = vec![
        create("/memories/notes/today.md", "one\ntwo\n"),
        create("/memories/notes/größe/大.md", "Größe: 大 🦀\r\n\u{2028} no end"),
        create("/memories/empty", ""),
    ];
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    put(&store, "/memories/images/dot.png", IMAGE).await;
    ok(&store, replace("/memories/notes/today.md", "two", "a text that was redacted")).await;
    ok(&store, replace("/memories/notes/today.md", "a text that was redacted", "zwei")).await;
    ok(&store, create("/memories/moved/a", "a\n")).await;
    ok(&store, create("/memories/moved/b", "b\n")).await;
    ok(&store, rename("/memories/moved", "/memories/kept")).await;
    ok(&store, replace("/memories/kept/b", "b", "B")).await;
    ok(&store, create("/memories/gone", "deleted\n")).await;
    ok(&store, delete("/memories/gone")).await;
    store.set_retention(Retention::Days(90)).await.unwrap();
    for version in ["3.0".parse().unwrap(), "6.0".parse().unwrap()] {
        store.redact(&[version]).await.unwrap();
    }
    ok(&store, view("/memories/kept/a")).await;
    store.settle().await;
}

/// So many commits that a block of history is full.
async fn fill(vault: &Vault) {
    let store = open(vault, "alice", "long").await;
    put(&store, "/memories/n", b"0").await;
    for n in 1..FILLED {
        put(&store, "/memories/n", n.to_string().as_bytes()).await;
    }
    store.settle().await;
}

#[tokio::test]
#[ignore = "the golden vault is made once"]
async fn the_golden_vault_is_made() {
    let bucket = Bucket::new();
    let ahead = Ahead::new(std::sync::Arc::clone(&bucket.memory));
    let backend = memoseal_core::Backend::single(std::sync::Arc::new(ahead.clone()));
    let vault = Vault::create(backend.clone(), Key::raw(KEY), VaultOptions::default()).await.unwrap();
    vault.add_slot(Key::passphrase(PASSPHRASE)).await.unwrap();
    live(&vault).await;
    fill(&vault).await;
    let operator = Actor::User { user_id: "operator@example.com".into() };
    for life in ["old", "new"] {
        // A user and a store of an older life, and of the present one.
        for (user, store) in [("bob", "default"), ("carol", "default"), ("alice", "again")] {
            put(&open(&vault, user, store).await, "/memories/life", life.as_bytes()).await;
        }
        if life == "old" {
            vault.user("bob").destroy(&operator, |_| {}).await.unwrap();
            vault.user("carol").destroy(&operator, |_| {}).await.unwrap();
            vault.user("alice").destroy_store("again", &operator, |_| {}).await.unwrap();
        }
    }
    vault.user("carol").destroy(&operator, |_| {}).await.unwrap();
    let secrets = vec![Key::raw(KEY), Key::passphrase(PASSPHRASE)];
    vault.rotate(secrets, false, |_, _| {}).await.unwrap().keyrings.unwrap();
    // What was replaced expires in one store, and is looked at again a day later.
    let long = open(&vault, "alice", "long").await;
    long.set_retention(Retention::Days(1)).await.unwrap();
    ahead.advance(2);
    maintain(&vault).await;
    ahead.advance(2);
    maintain(&vault).await;
    let mut lines = String::new();
    let mut objects: Vec<_> = bucket.memory.list(None).try_collect::<Vec<_>>().await.unwrap();
    objects.sort_by(|a, b| a.location.cmp(&b.location));
    for object in objects {
        let bytes = bucket.memory.get(&object.location).await.unwrap().bytes().await.unwrap();
        writeln!(lines, r#"{{"name":"{}","bytes":"{}"}}"#, object.location, STANDARD.encode(&bytes)).unwrap();
    }
    assert!(!std::path::Path::new(FILE).exists(), "it is made once");
    std::fs::write(FILE, lines).unwrap();
}
