//! The bucket in the end, when all has landed and maintenance has been done.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use memoseal_core::{
    Backend, Depth, Key, Operation, Store, Vault,
    state::{Retention, VersionId},
};
use memoseal_testkit::sim::{Client, Objects, Rng, Weather};

use super::{Case, Ledger, removal};
use crate::{
    KEY, STORE, USER,
    model::Tree,
    observe::commit_at,
    opened::{self, Opened},
    surroundings,
};

pub(super) async fn check(case: &Case<'_>, violations: &mut Vec<String>) {
    if let Err(problem) = try_check(case, violations).await {
        violations.push(format!("in the end: {problem}"));
    }
}

async fn try_check(case: &Case<'_>, violations: &mut Vec<String>) -> Result<(), String> {
    let bucket = &case.world.bucket;
    let client = Client::new(bucket, "end", Weather::default());
    let options = surroundings::options(bucket, Rng::new(2), 0, None);
    let vault = Vault::open(Backend::single(Arc::new(client)), Key::raw(KEY), options).await;
    let vault = vault.map_err(|error| error.to_string())?;
    let store = vault.user(USER).store(STORE).open().await.map_err(|error| error.to_string())?;
    let tree = tree(&store).await?;
    if case.trees.last() != Some(&tree) {
        violations.push(format!("in the end {tree:?} stands, and the log says {:?}", case.trees.last()));
    }
    let inspection = vault.inspect(Depth::Contents, |_, _| {}).await.map_err(|error| error.to_string())?;
    violations.extend(
        inspection
            .findings
            .iter()
            .map(|finding| format!("in the end verify finds: {}: {}", finding.place, finding.problem)),
    );
    let mut gone = BTreeSet::new();
    for (id, entry) in &case.ledger.versions {
        let version = store.version(*id).await.map_err(|error| error.to_string())?;
        if entry.seen.operation == Operation::Deleted {
            continue;
        }
        if version.path.is_none() {
            gone.insert(*id);
        }
        match (version.path.is_none(), removal::was_redacted(case, *id, u64::MAX)) {
            (false, true) => violations.push(format!("version {id} was redacted and is back")),
            (true, false) if !removal::may_be_gone(case, *id, u64::MAX) => {
                violations.push(format!("version {id} is gone, and nobody asked for that"));
            }
            _ => {}
        }
    }
    let retention = store.retention().await.map_err(|error| error.to_string())?;
    if retention == Retention::Days(0) {
        let kept = case.ledger.versions.values().filter(|entry| {
            let replaced = entry.next.is_some_and(|(_, _, at_ms)| at_ms < case.world.maintained_ms);
            replaced && entry.seen.operation != Operation::Deleted && !gone.contains(&entry.seen.id)
        });
        violations.extend(kept.map(|entry| format!("version {} is too old and still there", entry.seen.id)));
    }
    bytes(case, &gone, &opened::open(&bucket.objects())?, violations);
    names(case, &bucket.objects(), violations);
    Ok(())
}

async fn tree(store: &Store) -> Result<Tree, String> {
    let mut tree = Tree::new();
    for memory in store.memories().await.map_err(|error| error.to_string())? {
        let path = memory.path.to_string();
        let bytes = store.read(&path).await.map_err(|error| format!("{path} cannot be read: {error}"))?;
        tree.insert(path, String::from_utf8_lossy(&bytes).into());
    }
    Ok(tree)
}

/// What is gone is in no byte, and what is not gone is there.
fn bytes(case: &Case<'_>, gone: &BTreeSet<VersionId>, opened: &Opened, violations: &mut Vec<String>) {
    // Who shares a content: it stays until all of them are gone.
    let mut sharing: BTreeMap<VersionId, bool> = BTreeMap::new();
    for (id, entry) in &case.ledger.versions {
        if let Some(holder) = entry.seen.holder {
            *sharing.entry(holder).or_default() |= !gone.contains(id);
        }
    }
    for (id, entry) in &case.ledger.versions {
        if entry.seen.operation == Operation::Deleted {
            continue;
        }
        let sections = opened.changes.get(id).cloned().unwrap_or_default();
        if sections.meta.is_some() == gone.contains(id) {
            let there = if sections.meta.is_some() { "still" } else { "not" };
            violations.push(format!("the record of version {id} is {there} in the bucket"));
        }
        let is_wanted = Ledger::has_own_content(entry) && sharing.get(id).copied().unwrap_or(false);
        if sections.content.is_some() != is_wanted {
            let there = if sections.content.is_some() { "still" } else { "not" };
            violations.push(format!("the content of version {id} is {there} in the bucket"));
        }
    }
    let path_of = |id: &VersionId| case.ledger.versions.get(id).map(|entry| entry.seen.path.as_str());
    // A deletion holds nothing of its own: where it happened goes with the version before.
    let is_kept = |id: &&VersionId| {
        !gone.contains(id) && case.ledger.versions.get(id).is_some_and(|entry| entry.seen.content.is_some())
    };
    let kept: BTreeSet<_> = case.ledger.versions.keys().filter(is_kept).filter_map(path_of).collect();
    for path in gone.iter().filter_map(path_of).filter(|path| !kept.contains(path)) {
        let text = format!("\"{}\"", path.trim_start_matches("/memories"));
        for (seq, checkpoint) in &opened.checkpoints {
            if checkpoint.windows(text.len()).any(|window| window == text.as_bytes()) {
                violations.push(format!("checkpoint {seq} holds {path}, which was removed"));
            }
        }
    }
}

/// Every commit that landed is there under its name.
fn names(case: &Case<'_>, objects: &Objects, violations: &mut Vec<String>) {
    let there: BTreeSet<u64> = objects.keys().filter_map(commit_at).collect();
    for commit in &case.commits {
        if !there.contains(&commit.seq) {
            violations.push(format!("the name of commit {} is free again", commit.seq));
        }
    }
}
