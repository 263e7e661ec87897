//! What a scrubber finds is in no commit, and every writer of a store obeys its policy.

use std::{ops::Range, sync::Arc};

use memoseal_core::{
    Error, HistoryQuery, Store, Vault, VaultOptions,
    command::{Command, Reply, Restore},
    path::MemoryPath,
    scrub::{Finding, MAX_FINDINGS, Policy, Refusal, Scrub, Scrubbed, Scrubber},
};
use serde_json::{Value, json};

use crate::{redaction::opened::everything, support::*};

/// Finds `key` and four digits, refuses `bad` and four digits if the policy says so, and gives up on `riddle`.
#[derive(Debug)]
struct Digits;

#[derive(Debug)]
struct Rules {
    rejects: bool,
}

const MARK: &str = "[REDACTED:key]";

fn spans(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let digits = |at: usize| text.get(at..at + 4).is_some_and(|four| four.bytes().all(|byte| byte.is_ascii_digit()));
    let found = |word: &'static str| {
        let starts = text.match_indices(word).map(|(at, _)| at);
        starts.filter(move |at| digits(at + 3)).map(move |at| (at..at + 7, word))
    };
    let mut spans: Vec<_> = found("key").chain(found("bad")).collect();
    spans.sort_by_key(|(range, _)| range.start);
    spans
}

fn findings(text: &str) -> Vec<Finding> {
    let line = |at: usize| 1 + text[..at].matches('\n').count() as u64;
    let finding = |(range, kind): (Range<usize>, &str)| Finding {
        kind: kind.into(),
        rule: format!("{kind}-digits"),
        line: line(range.start),
    };
    spans(text).into_iter().map(finding).collect()
}

impl Scrubber for Digits {
    fn default_policy(&self) -> Policy {
        policy(json!({ "level": "secrets" }))
    }

    fn under(&self, policy: &Policy) -> Result<Arc<dyn Scrub>, String> {
        match policy.fields().get("level").and_then(Value::as_str) {
            Some(level @ ("secrets" | "strict")) => Ok(Arc::new(Rules { rejects: level == "strict" })),
            _ => Err("the level is not understood: use another".into()),
        }
    }
}

impl Scrub for Rules {
    fn text(&self, _path: &MemoryPath, text: &str) -> Result<Option<Scrubbed>, Refusal> {
        if text.contains("riddle") {
            return Err(Refusal::Undecided("it is a riddle".into()));
        }
        let findings = findings(text);
        let refused: Vec<_> = findings.iter().filter(|found| self.rejects && found.kind == "bad").cloned().collect();
        if !refused.is_empty() {
            return Err(Refusal::Found(refused));
        }
        Ok((!findings.is_empty()).then(|| Scrubbed { text: self.hide(text), findings }))
    }

    fn path(&self, path: &MemoryPath) -> Result<(), Refusal> {
        if path.as_str().contains("locked/1") {
            return Err(Refusal::Found(vec![Finding { kind: "locked".into(), rule: "locked".into(), line: 1 }]));
        }
        match findings(path.as_str()) {
            found if found.is_empty() => Ok(()),
            found => Err(Refusal::Found(found)),
        }
    }

    fn hide(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        spans(text).into_iter().rev().for_each(|(range, _)| hidden.replace_range(range, MARK));
        hidden
    }

    fn cuts_placeholder(&self, text: &str, range: Range<usize>) -> bool {
        text.match_indices(MARK).any(|(at, _)| {
            let overlaps = range.start < at + MARK.len() && at < range.end;
            overlaps && !(range.start <= at && at + MARK.len() <= range.end)
        })
    }
}

fn policy(fields: Value) -> Policy {
    let Value::Object(fields) = fields else { panic!("{fields}") };
    Policy::new(fields)
}

fn scrubbing() -> VaultOptions {
    let mut options = options();
    options.scrubber = Some(Arc::new(Digits));
    options
}

async fn open(bucket: &Bucket) -> Vault {
    Vault::open(bucket.backend(), key(), scrubbing()).await.unwrap()
}

async fn scrubbed() -> (Bucket, Store) {
    let bucket = Bucket::new();
    bucket.create().await;
    let store = roomy(&open(&bucket).await, "alice").await;
    (bucket, store)
}

/// With the limits that a store has by default.
async fn store_of(bucket: &Bucket) -> Store {
    open(bucket).await.user("alice").store("default").open().await.unwrap()
}

async fn read(store: &Store, path: &str) -> String {
    String::from_utf8(store.read(path).await.unwrap().to_vec()).unwrap()
}

fn insert(path: &str, line: i64, text: &str) -> Command {
    command(json!({ "command": "insert", "path": path, "insert_line": line, "insert_text": text }))
}

const TOLD: &str = "Placeholders stand there now; do not write what was taken out again.";

#[tokio::test]
async fn what_is_found_in_a_new_file_is_taken_out_and_told() {
    let (bucket, store) = scrubbed().await;
    let said = ok(&store, create("/memories/a", "one\nkey1234 and bad5678\nkey1234\n")).await;
    assert_eq!(
        said,
        format!(
            "File created successfully at: /memories/a\n3 values were taken out before this was saved: key (lines 2, 3), \
             bad (line 2). {TOLD}"
        )
    );
    assert_eq!(read(&store, "/memories/a").await, format!("one\n{MARK} and {MARK}\n{MARK}\n"));
    let said = ok(&store, create("/memories/b", "nothing\n")).await;
    assert_eq!(said, "File created successfully at: /memories/b");
    let all = everything(&bucket).await;
    assert!(!all.windows(7).any(|window| window == b"key1234" || window == b"bad5678"));
}

#[tokio::test]
async fn a_secret_that_comes_in_two_edits_is_found_when_it_is_whole() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "key12\nend\n")).await;
    let said = ok(&store, replace("/memories/a", "12", "1234")).await;
    assert!(said.contains(&format!("     1\t{MARK}\n     2\tend")), "{said}");
    assert!(said.ends_with(&format!("1 value was taken out before this was saved: key (line 1). {TOLD}")), "{said}");
    ok(&store, create("/memories/b", "a\nke\n")).await;
    let said = ok(&store, insert("/memories/b", 1, "key9999\n")).await;
    assert!(said.contains("key (line 2)"), "{said}");
    assert_eq!(read(&store, "/memories/b").await, format!("a\n{MARK}\nke\n"));
    assert!(!everything(&bucket).await.windows(7).any(|window| window == b"key1234" || window == b"key9999"));
}

#[tokio::test]
async fn whole_files_and_what_is_brought_back_are_looked_at_too() {
    let bucket = Bucket::new();
    let before = roomy(&bucket.create().await, "alice").await;
    ok(&before, create("/memories/old", "key1234\n")).await;
    ok(&before, replace("/memories/old", "key1234", "gone")).await;
    let store = roomy(&open(&bucket).await, "alice").await;
    let put = |text: &'static str| Command::Put { path: "/memories/p".into(), content: text.into() };
    let said = ok(&store, put("key1234")).await;
    assert!(said.contains("key (line 1)"), "{said}");
    let new = Command::PutNew { path: "/memories/p".into(), content: "key1234".into() };
    ok(&store, new).await;
    let restore = Restore { version: Some("1.0".parse().unwrap()), ..Restore::default() };
    let Reply::Restored(restored) = store.execute(Command::Restore(restore)).await.unwrap() else { panic!() };
    assert!(restored.changed && restored.text().contains("key (line 1)"), "{}", restored.text());
    assert_eq!(read(&store, "/memories/old").await, format!("{MARK}\n"));
    // A picture is not text.
    let png = b"\x89PNG\r\n\x1a\nkey1234".as_slice();
    ok(&store, Command::Put { path: "/memories/p.png".into(), content: png.into() }).await;
    assert_eq!(store.read("/memories/p.png").await.unwrap(), png);
}

#[tokio::test]
async fn no_memory_stands_at_a_path_that_holds_a_secret_and_no_error_repeats_it() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "x")).await;
    let put = Command::Put { path: "/memories/key1234".into(), content: "x".into() };
    for refused in [
        create("/memories/key1234/a", "x"),
        put,
        rename("/memories/a", "/memories/key1234"),
        rename("/memories/a", "/memories/b/key1234"),
    ] {
        let said = fails(&store, refused).await;
        assert!(said.starts_with("Error: The path holds what no path may hold: key; nothing was changed"), "{said}");
    }
    // The directory's name alone says nothing.
    ok(&store, create("/memories/d/1234", "x")).await;
    let said = fails(&store, rename("/memories/d", "/memories/locked")).await;
    assert!(said.starts_with("Error: The path holds what no path may hold: locked"), "{said}");
    for missing in [view("/memories/key1234"), delete("/memories/key1234"), replace("/memories/a", "key1234", "y")] {
        let said = fails(&store, missing).await;
        assert!(said.contains(MARK) && !said.contains("key1234"), "{said}");
    }
    let no_command = store.handle_input(&json!({ "command": "view", "path": "/etc/key1234" })).await;
    assert_eq!(no_command["content"], format!("Error: Path must start with /memories, got: /etc/{MARK}"));
    assert!(!everything(&bucket).await.windows(7).any(|window| window == b"key1234"));
    assert_eq!(store.seq(), 2);
}

#[tokio::test]
async fn what_is_refused_or_cannot_be_decided_changes_nothing() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "x\n")).await;
    store.set_scrub_policy(policy(json!({ "level": "strict" }))).await.unwrap();
    let said = fails(&store, insert("/memories/a", 1, "y bad1234 key1234")).await;
    assert!(said.starts_with("Error: Nothing was saved") && said.contains("bad (line 2)"), "{said}");
    let large = "x".repeat(200_000) + " riddle";
    let limited = store_of(&bucket).await;
    let said = fails(&limited, insert("/memories/a", 1, &large)).await;
    assert!(said.contains("may hold at most"), "its size is looked at first: {said}");
    let said = fails(&store, create("/memories/b", "a riddle")).await;
    assert!(said.contains("cannot be told") && said.contains("it is a riddle"), "{said}");
    assert_eq!(store.seq(), 2);
    ok(&store, insert("/memories/a", 1, "y key1234")).await;
}

#[tokio::test]
async fn an_edit_finds_what_was_taken_out_and_leaves_no_half_of_a_placeholder() {
    let (_bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "token key1234 end\n")).await;
    let said = fails(&store, replace("/memories/a", "REDACTED:key] end", "x")).await;
    assert!(said.contains("part of a placeholder"), "{said}");
    // The model goes on with what it wrote itself.
    ok(&store, replace("/memories/a", "token key1234 end", "token key5678 stop")).await;
    assert_eq!(read(&store, "/memories/a").await, format!("token {MARK} stop\n"));
    // Another value than the one that stood there: nothing says that this was meant.
    let said = fails(&store, replace("/memories/a", "key5678", "x")).await;
    assert!(said.contains("did not appear") && !said.contains("key5678"), "{said}");
    ok(&store, replace("/memories/a", MARK, "none")).await;
    assert_eq!(read(&store, "/memories/a").await, "token none stop\n");
}

#[tokio::test]
async fn the_policy_goes_into_the_log_with_the_first_change_and_costs_no_request() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "x")).await;
    bucket.spent();
    ok(&store, create("/memories/b", "key1234")).await;
    let spent = bucket.spent();
    assert_eq!((spent.total(), spent.put_create), (1, 1));
    let stored = roomy(&bucket.open().await, "alice").await.scrub_policy().await.unwrap();
    assert_eq!(stored, Some(Digits.default_policy()));
}

#[tokio::test]
async fn a_note_of_a_process_that_scrubs_binds_the_store_too() {
    let bucket = Bucket::new();
    let before = roomy(&bucket.create().await, "alice").await;
    ok(&before, create("/memories/a", "x")).await;
    let store = roomy(&open(&bucket).await, "alice").await;
    store.set_retention(memoseal_core::state::Retention::Forever).await.unwrap();
    assert_eq!(before.scrub_policy().await.unwrap(), Some(Digits.default_policy()));
    fails(&before, create("/memories/b", "x")).await;
    assert_eq!(store.retention().await.unwrap(), memoseal_core::state::Retention::Forever);
}

#[tokio::test]
async fn who_cannot_scrub_reads_and_deletes_and_writes_nothing() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "x")).await;
    ok(&store, create("/memories/b", "y")).await;
    let unable = roomy(&bucket.open().await, "alice").await;
    for write in [create("/memories/c", "x"), replace("/memories/a", "x", "z"), rename("/memories/a", "/memories/d")] {
        let said = fails(&unable, write).await;
        assert!(said.contains("takes out secrets"), "{said}");
    }
    ok(&unable, view("/memories/a")).await;
    ok(&unable, delete("/memories/b")).await;
    let refused = unable.set_scrub_policy(Digits.default_policy()).await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
    // Whoever may write may also say that nothing is to be taken out; it stands in the log.
    assert!(unable.set_scrub_policy(Policy::off()).await.unwrap());
    ok(&unable, create("/memories/c", "key1234")).await;
    ok(&store, create("/memories/d", "key1234")).await;
    assert_eq!(read(&store, "/memories/d").await, "key1234");
}

#[tokio::test]
async fn a_policy_of_another_writer_is_obeyed_by_the_very_change_that_meets_it() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", "bad1234")).await;
    let other = roomy(&open(&bucket).await, "alice").await;
    other.set_scrub_policy(policy(json!({ "level": "strict" }))).await.unwrap();
    // This handle has not seen it: its commit loses, and the command runs again.
    let said = fails(&store, create("/memories/b", "bad1234")).await;
    assert!(said.starts_with("Error: Nothing was saved"), "{said}");
    let unknown = other.set_scrub_policy(policy(json!({ "level": "odd" }))).await;
    assert!(matches!(unknown, Err(Error::Invalid(problem)) if problem.contains("not understood")));
    let large = other.set_scrub_policy(policy(json!({ "level": "strict", "allowed": "x".repeat(70_000) }))).await;
    assert!(matches!(large, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn what_was_taken_out_is_told_by_the_history_for_good() {
    let (bucket, store) = scrubbed().await;
    ok(&store, create("/memories/a", &"key1234\n".repeat(MAX_FINDINGS + 7))).await;
    ok(&store, create("/memories/b", "x")).await;
    let mut query = HistoryQuery::default();
    for audit in [false, true] {
        query.audit = audit;
        let reader = roomy(&bucket.open().await, "alice").await;
        let versions = reader.history(&query).await.unwrap().versions;
        let first = &versions.last().unwrap().findings;
        assert_eq!((first.listed.len(), first.more, first.count()), (MAX_FINDINGS, 7, MAX_FINDINGS as u64 + 7));
        assert_eq!(first.listed[3], Finding { kind: "key".into(), rule: "key-digits".into(), line: 4 });
        assert_eq!(versions[0].findings.count(), 0);
    }
    store.redact(&["1.0".parse().unwrap()]).await.unwrap_err();
    ok(&store, delete("/memories/a")).await;
    store.redact(&["1.0".parse().unwrap()]).await.unwrap();
    let versions = store.history(&HistoryQuery::default()).await.unwrap().versions;
    assert_eq!(versions.last().unwrap().findings.count(), MAX_FINDINGS as u64 + 7);
}

#[tokio::test]
async fn a_checkpoint_holds_the_policy() {
    let (bucket, store) = scrubbed().await;
    store.set_scrub_policy(policy(json!({ "level": "strict" }))).await.unwrap();
    for n in 0..40 {
        ok(&store, Command::Put { path: "/memories/a".into(), content: n.to_string().into() }).await;
    }
    store.settle().await;
    bucket.spent();
    let reader = roomy(&bucket.open().await, "alice").await;
    assert!(bucket.spent().get < 40, "it was read from the checkpoint");
    assert_eq!(reader.scrub_policy().await.unwrap(), Some(policy(json!({ "level": "strict" }))));
}
