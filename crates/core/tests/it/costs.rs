//! What a command costs, counted: the same with 10 memories and with 100,000.

use memoseal_core::{Store, Vault, command::Command};
use memoseal_testkit::Counts;
use serde_json::json;

use crate::support::*;

const PUT: Counts = counts(1, 0, 0);
const GET: Counts = counts(0, 1, 0);

const fn counts(put_create: u64, get: u64, list: u64) -> Counts {
    Counts { put_create, get, list, put_overwrite: 0, head: 0, delete: 0, other: 0, bytes_up: 0, bytes_down: 0 }
}

/// A store with `n` memories in directories of 100, written in few commits.
async fn filled(vault: &Vault, n: usize) -> Store {
    let store = roomy(vault, "alice").await;
    for chunk in (0..n).collect::<Vec<_>>().chunks(250) {
        let turn = chunk.iter().map(|i| create(&path(*i), &format!("memory {i}\n"))).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    // What checkpoints cost is counted apart.
    store.settle().await;
    store
}

fn path(i: usize) -> String {
    format!("/memories/{}/{i}.md", i / 100)
}

#[tokio::test]
async fn a_warm_command_costs_what_the_table_says_whatever_the_size() {
    for n in [10, 1_000, 100_000] {
        let bucket = Bucket::new();
        let vault = bucket.create().await;
        let written = filled(&vault, n).await;
        bucket.spent();

        ok(&written, create("/memories/new.md", "one\ntwo\n")).await;
        assert_eq!(bucket.spent(), PUT, "create, {n}");
        ok(&written, replace("/memories/new.md", "two", "three")).await;
        assert_eq!(bucket.spent(), PUT, "str_replace of what this handle wrote, {n}");
        let insert =
            json!({ "command": "insert", "path": "/memories/new.md", "insert_line": 0, "insert_text": "zero" });
        ok(&written, command(insert)).await;
        assert_eq!(bucket.spent(), PUT, "insert, {n}");
        ok(&written, view("/memories/new.md")).await;
        assert_eq!(bucket.spent(), GET, "view of a file with cached content, {n}");
        ok(&written, view("/memories")).await;
        assert_eq!(bucket.spent(), GET, "view of a directory, {n}");
        ok(&written, rename("/memories/0", "/memories/moved/0")).await;
        assert_eq!(bucket.spent(), PUT, "rename of a directory, {n}");
        ok(&written, rename("/memories/moved/0", "/memories/0")).await;
        bucket.spent();
        fails(&written, create("/memories/new.md", "again")).await;
        assert_eq!(bucket.spent(), GET, "an error, {n}");
        ok(&written, replace("/memories/new.md", "one", "one")).await;
        assert_eq!(bucket.spent(), GET, "a no-op, {n}");
        ok(&written, delete("/memories/new.md")).await;
        assert_eq!(bucket.spent(), PUT, "delete, {n}");
    }
}

#[tokio::test]
async fn content_that_is_not_at_hand_costs_one_get_more_at_the_same_time() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    filled(&vault, 10).await;
    let store = roomy(&bucket.open().await, "alice").await;
    bucket.spent();

    ok(&store, view(&path(1))).await;
    assert_eq!(bucket.spent(), counts(0, 2, 0), "view");
    ok(&store, view(&path(1))).await;
    assert_eq!(bucket.spent(), GET, "the same again");
    ok(&store, replace(&path(2), "memory", "note")).await;
    // The probe is the first mutation's; the content is the one GET.
    assert_eq!(bucket.spent(), counts(2, 1, 0), "str_replace");
    ok(&store, replace(&path(3), "memory", "note")).await;
    assert_eq!(bucket.spent(), counts(1, 1, 0), "str_replace after that");
    ok(&store, replace(&path(1), "memory", "note")).await;
    assert_eq!(bucket.spent(), PUT, "str_replace of what this handle has read");
}

#[tokio::test]
async fn both_gets_of_a_view_are_on_their_way_at_once() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    filled(&vault, 10).await;
    let store = roomy(&bucket.open().await, "alice").await;
    let gate = bucket.faults.on(memoseal_testkit::Op::Get).always().hold();
    let viewing = tokio::spawn({
        let store = store.clone();
        async move { ok(&store, view(&path(1))).await }
    });
    gate.reached().await;
    gate.reached().await;
    gate.release();
    viewing.await.unwrap();
}

#[tokio::test]
async fn the_keyring_and_what_it_opens_are_on_their_way_at_once() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    filled(&vault, 10).await;
    let vault = bucket.open().await;
    let gate = bucket.faults.on(memoseal_testkit::Op::Get).always().hold();
    let opening = tokio::spawn(async move { tree(&vault, "alice").await });
    // The keyring and the one commit.
    gate.reached().await;
    gate.reached().await;
    gate.release();
    assert_eq!(opening.await.unwrap().len(), 10);
}

#[tokio::test]
async fn opening_and_first_changes_cost_what_the_table_says() {
    let bucket = Bucket::new();
    bucket.create().await;
    bucket.spent();

    let vault = bucket.open().await;
    assert_eq!(bucket.spent(), counts(0, 1, 1), "opening the vault");
    let alice = roomy(&vault, "alice").await;
    assert_eq!(bucket.spent(), counts(0, 0, 2), "opening a store of nobody");
    ok(&alice, create("/memories/a", "a")).await;
    assert_eq!(bucket.spent(), counts(3, 0, 0), "the process's first change, and the user's: probe, keyring, commit");
    let bob = roomy(&vault, "bob").await;
    bucket.spent();
    ok(&bob, create("/memories/b", "b")).await;
    assert_eq!(bucket.spent(), counts(2, 0, 0), "the first change of a new user in a process that has probed");

    for i in 0..9 {
        ok(&alice, create(&format!("/memories/{i}"), "")).await;
    }
    let vault = bucket.open().await;
    bucket.spent();
    let alice = roomy(&vault, "alice").await;
    assert_eq!(bucket.spent(), counts(0, 1 + 10, 2), "opening a store: two lists, keyring, commits");
    ok(&alice, view("/memories")).await;
    assert_eq!(bucket.spent(), GET);
}

#[tokio::test]
async fn a_lost_race_costs_one_put_and_one_get() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let here = roomy(&vault, "alice").await;
    ok(&here, create("/memories/first", "")).await;
    let there = roomy(&bucket.again().open().await, "alice").await;
    ok(&there, create("/memories/theirs", "")).await;
    bucket.spent();
    ok(&here, create("/memories/ours", "")).await;
    assert_eq!(bucket.spent(), counts(2, 1, 0));
}

#[tokio::test]
async fn renaming_a_directory_of_a_thousand_files_adds_one_object() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let store = roomy(&vault, "alice").await;
    for chunk in (0..1_000).collect::<Vec<_>>().chunks(250) {
        let turn: Vec<Command> = chunk.iter().map(|i| create(&format!("/memories/d/{i}"), "x")).collect();
        assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    }
    let before = objects(&bucket).await;
    bucket.spent();
    ok(&store, rename("/memories/d", "/memories/e")).await;
    assert_eq!(bucket.spent(), PUT);
    assert_eq!(objects(&bucket).await, before + 1);
    assert_eq!(tree(&bucket.open().await, "alice").await.len(), 1_000);
}

async fn objects(bucket: &Bucket) -> usize {
    use futures_util::StreamExt;
    bucket.memory.list(None).count().await
}
