//! What the log says, commit by commit, from the bytes as they landed: before anything was removed from them.

use std::{collections::BTreeMap, sync::Arc};

use memoseal_core::{
    Actor, Backend, Error, Key, Operation, Vault,
    state::{MemoryId, VersionId},
};
use memoseal_testkit::sim::{Bucket, Client, Landing, Objects, Rng, Weather};
use object_store::path::Path;

use crate::{KEY, STORE, USER, surroundings};

/// One change to one memory, as the log has it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its version.
    pub id: VersionId,
    /// Of which memory.
    pub memory: MemoryId,
    /// What was done.
    pub operation: Operation,
    /// Where it stands since; for a deletion, where it stood.
    pub path: String,
    /// Its content since; for a deletion, none.
    pub content: Option<Arc<str>>,
    /// The version that holds the content: another one if this one moved the memory.
    pub holder: Option<VersionId>,
    /// The version of the same memory before.
    pub previous: Option<VersionId>,
}

/// One commit.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its number.
    pub seq: u64,
    /// When it took effect, among all events.
    pub event: u64,
    /// The same in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// Who made it; nothing if it changed no memory.
    pub actor: Option<String>,
    /// Its changes to memories, in order.
    pub changes: Vec<Seen>,
}

/// The number of the commit that lies at this path, if one does.
pub fn commit_at(path: &Path) -> Option<u64> {
    let text = path.as_ref();
    if !text.contains("/log/") || text.ends_with(".checkpoint") {
        return None;
    }
    let mut parts = text.rsplit('/');
    let (last, first) = (parts.next()?, parts.next()?);
    Some(u64::MAX - u64::from_str_radix(&format!("{first}{last}"), 16).ok()?)
}

/// Reads the commits that landed, one after another, over what was there before and the keys that are there now.
pub async fn observe(before: &Objects, now: &Objects, landings: &[Landing]) -> Result<Vec<Commit>, String> {
    let is_key = |path: &Path| !path.as_ref().contains("/log/");
    let keys = now.iter().filter(|(path, _)| is_key(path));
    let log = before.iter().filter(|(path, _)| commit_at(path).is_some());
    let objects = keys.chain(log).map(|(path, object)| (path.clone(), object.clone())).collect();
    let bucket = Bucket::new(objects, 0, Rng::new(0));
    let backend = Backend::single(Arc::new(Client::new(&bucket, "observer", Weather::default())));
    let options = surroundings::options(&bucket, Rng::new(1), 0, None);
    let failed = |what: &str, error: Error| format!("the log cannot be replayed: {what}: {error}");
    let vault = Vault::open(backend, Key::raw(KEY), options).await.map_err(|error| failed("opening", error))?;
    let store = vault.user(USER).store(STORE).open().await.map_err(|error| failed("opening", error))?;
    let mut commits = Vec::new();
    let mut landed = BTreeMap::new();
    for landing in landings.iter().filter(|landing| landing.is_new) {
        let (Some(seq), Some(bytes)) = (commit_at(&landing.path), &landing.bytes) else { continue };
        if seq != store.seq() + 1 || landed.insert(seq, landing.event).is_some() {
            return Err(format!("commit {seq} landed when the log had {}", store.seq()));
        }
        bucket.put(landing.path.clone(), bytes.clone());
        store.memories().await.map_err(|error| failed(&format!("commit {seq}"), error))?;
        let mut commit = Commit { seq, event: landing.event, at_ms: landing.at_ms, actor: None, changes: Vec::new() };
        for index in 0.. {
            let id = VersionId { seq, index };
            let version = match store.version(id).await {
                Ok(version) => version,
                Err(Error::NotFound { .. }) => break,
                Err(error) => return Err(failed(&format!("version {id}"), error)),
            };
            let content = match version.content {
                Some(_) => {
                    let bytes =
                        store.read_version(id).await.map_err(|error| failed(&format!("version {id}"), error))?;
                    Some(String::from_utf8_lossy(&bytes).into())
                }
                None => None,
            };
            if let Actor::Local { name } = &version.actor {
                commit.actor = Some(name.clone());
            }
            commit.changes.push(Seen {
                id,
                memory: version.memory,
                operation: version.operation,
                path: version.path.map(|path| path.to_string()).unwrap_or_default(),
                content,
                holder: version.content.map(|content| content.version),
                previous: version.previous,
            });
        }
        commits.push(commit);
    }
    Ok(commits)
}
