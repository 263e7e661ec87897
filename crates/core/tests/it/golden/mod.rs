//! The golden vault of version 1: made once, read for good. Whoever cannot read it has changed the format.

mod make;

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use memoseal_core::{Depth, HistoryQuery, Key, Vault, VaultOptions, command::Command, state::Retention};
use memoseal_crypto::{Kind, PRELUDE_LEN, Prelude, TOMBSTONE_LEN};
use object_store::{ObjectStoreExt, path::Path};

use crate::support::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1.jsonl");
const KEY: [u8; 32] = *b"the golden key of version 1, raw";
const PASSPHRASE: &str = "correct horse battery staple";
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff";
/// The commits with contents of the store whose history fills a block.
const FILLED: usize = 260;

/// The names and bytes of all objects.
fn objects() -> BTreeMap<String, Vec<u8>> {
    let lines = std::fs::read_to_string(FILE).unwrap();
    let object = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        (object["name"].as_str().unwrap().to_owned(), STANDARD.decode(object["bytes"].as_str().unwrap()).unwrap())
    };
    lines.lines().map(object).collect()
}

async fn golden() -> Bucket {
    let bucket = Bucket::new();
    for (name, bytes) in objects() {
        bucket.memory.put(&Path::from(name), bytes.into()).await.unwrap();
    }
    bucket
}

async fn open(bucket: &Bucket) -> Vault {
    Vault::open(bucket.backend(), Key::raw(KEY), VaultOptions::default()).await.unwrap()
}

async fn files(vault: &Vault, user: &str, store: &str) -> Vec<(String, Vec<u8>)> {
    let store = vault.user(user).store(store).read_only(true).open().await.unwrap();
    let mut files = Vec::new();
    for memory in store.memories().await.unwrap() {
        let path = memory.path.to_string();
        let content = store.read(&path).await.unwrap().to_vec();
        files.push((path, content));
    }
    files
}

fn expected(files: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    files.iter().map(|(path, content)| (format!("/memories/{path}"), content.to_vec())).collect()
}

#[tokio::test]
async fn every_file_comes_back_byte_for_byte() {
    let bucket = golden().await;
    let by_passphrase = Vault::open(bucket.backend(), Key::passphrase(PASSPHRASE), VaultOptions::default());
    for vault in [open(&bucket).await, by_passphrase.await.unwrap()] {
        assert_eq!(vault.users().await.unwrap(), ["alice", "bob"]);
        assert_eq!(vault.user("alice").stores().await.unwrap(), ["again", "default", "long"]);
        let default = expected(&[
            ("empty", b""),
            ("images/dot.png", IMAGE),
            ("kept/a", b"a\n"),
            ("kept/b", b"B\n"),
            ("notes/größe/大.md", "Größe: 大 🦀\r\n\u{2028} no end".as_bytes()),
            ("notes/today.md", b"one\nzwei\n"),
        ]);
        assert_eq!(files(&vault, "alice", "default").await, default);
        let last = (FILLED - 1).to_string();
        assert_eq!(files(&vault, "alice", "long").await, expected(&[("n", last.as_bytes())]));
        for (user, store) in [("bob", "default"), ("alice", "again")] {
            assert_eq!(files(&vault, user, store).await, expected(&[("life", b"new")]));
        }
        for user in ["carol", "nobody"] {
            assert!(files(&vault, user, "default").await.is_empty());
        }
    }
}

#[tokio::test]
async fn an_inspection_finds_nothing() {
    let inspection = open(&golden().await).await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    assert_eq!(inspection.objects, objects().len() as u64);
}

#[tokio::test]
async fn history_is_what_it_was() {
    let bucket = golden().await;
    let vault = open(&bucket).await;
    let store = vault.user("alice").store("default").open().await.unwrap();
    assert_eq!(store.retention().await.unwrap(), Retention::Days(90));
    let mut query = HistoryQuery::default();
    query.path = Some(memoseal_core::path::MemoryPath::parse("/memories/notes/today.md").unwrap());
    let versions = store.history(&query).await.unwrap().versions;
    let redacted: Vec<_> =
        versions.iter().map(|version| (version.id.to_string(), version.redacted.is_some())).collect();
    let redacted: Vec<_> = redacted.iter().map(|(id, redacted)| (id.as_str(), *redacted)).collect();
    assert_eq!(redacted, [("4.0", false), ("3.0", true), ("1.0", false)]);
    assert_eq!(store.read_version("1.0".parse().unwrap()).await.unwrap(), "one\ntwo\n");
    assert!(store.read_version("3.0".parse().unwrap()).await.is_err());
    let restore = memoseal_core::command::Restore { path: Some("/memories/gone".into()), ..Default::default() };
    ok_restore(&store, restore).await;
    assert_eq!(store.read("/memories/gone").await.unwrap(), "deleted\n");
    let mut audit = HistoryQuery::default();
    (audit.audit, audit.limit) = (true, FILLED);
    let long = vault.user("alice").store("long").open().await.unwrap();
    assert_eq!(long.history(&audit).await.unwrap().versions.len(), FILLED);
}

async fn ok_restore(store: &memoseal_core::Store, restore: memoseal_core::command::Restore) {
    store.restore(restore).await.unwrap();
}

#[tokio::test]
async fn it_can_be_written_on() {
    let bucket = golden().await;
    let vault = open(&bucket).await;
    for (user, store) in [("alice", "default"), ("alice", "again"), ("bob", "default"), ("carol", "default")] {
        let store = vault.user(user).store(store).open().await.unwrap();
        ok(&store, Command::Put { path: "/memories/after".into(), content: "it".into() }).await;
    }
    let inspection = vault.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    assert_eq!(vault.users().await.unwrap(), ["alice", "bob", "carol"]);
}

/// Every kind of object that the format knows lies in it.
#[test]
fn it_holds_every_kind_of_object() {
    let mut kinds = BTreeSet::new();
    for (name, bytes) in objects() {
        let is_checkpoint = name.ends_with(".checkpoint");
        kinds.insert(match name.split('/').collect::<Vec<_>>().as_slice() {
            ["clock"] => "clock",
            ["vault", _] if bytes.len() == 57 => "superseded header",
            ["vault", _] => "header",
            ["users", _, "keyring", _] if bytes.len() == 57 => "superseded keyring",
            ["users", _, "keyring", _] if bytes.len() == TOMBSTONE_LEN => "tombstone",
            ["users", _, "keyring", _] => "keyring",
            [.., folder, _, _] if bytes.is_empty() && folder.contains('.') => "emptied",
            ["users", _, "hist", ..] => "block",
            ["users", _, "log", ..] if is_checkpoint => "checkpoint",
            ["users", _, "log", _, lives, ..] if lives.starts_with("fffffffffffffffd.") => {
                "commit of a second user life"
            }
            ["users", _, "log", _, lives, ..] if lives.ends_with(".fffffffffffffffd") => {
                "commit of a second store life"
            }
            ["users", _, "log", ..] => "commit",
            _ => panic!("{name}"),
        });
        if name.contains("/log/") && !bytes.is_empty() {
            let kind = if is_checkpoint { Kind::Checkpoint } else { Kind::Commit };
            assert!(bytes.len() > PRELUDE_LEN && Prelude::parse_kind(&bytes, kind).is_ok(), "{name}");
        }
    }
    let expected = [
        "block",
        "checkpoint",
        "clock",
        "commit",
        "commit of a second store life",
        "commit of a second user life",
        "emptied",
        "header",
        "keyring",
        "superseded header",
        "superseded keyring",
        "tombstone",
    ];
    assert_eq!(kinds, BTreeSet::from(expected));
}
