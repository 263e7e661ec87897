//! Changes of the store itself, planned against a confirmed state: what the log is to say, and what follows from it.

use std::collections::HashMap;

use super::{
    blocks::{Down, Seeker},
    reads, redact,
    replica::Replica,
};
use crate::{
    Result,
    codec::VersionLink,
    scrub::Policy,
    state::{Note, Removal, Retention, VersionId},
};

/// So many commits are marked as looked through even if none of them replaced anything.
const EMPTY: u64 = 256;

/// A change of the store itself that somebody asks for.
#[derive(Debug)]
pub(super) enum Order {
    /// These versions are to be redacted.
    Redact(Vec<VersionId>),
    /// Versions are to be kept for so long.
    Retain(Retention),
    /// This is to be taken out of what is written.
    Scrub(Policy),
    /// What the changes up to this commit replaced is too old.
    Expire { upto: u64 },
    /// These were found clean: for the first time, or for good.
    Looked { clean: Vec<VersionId>, done: Vec<VersionId>, clock_ms: i64 },
    /// What this handle has read is to be noted.
    NoteReads,
}

/// What an order comes to on one state.
#[derive(Debug, Default)]
pub(super) struct Planned {
    /// What the log is to say; nothing if it says so already.
    pub(super) note: Option<Note>,
    pub(super) outcome: Outcome,
}

/// What whoever asked wants to know.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What is to be stripped.
    pub(super) removal: Removal,
    /// Versions that keep the content of one that was redacted.
    pub(super) still_shared_by: Vec<VersionId>,
}

/// What became of an order.
#[derive(Debug)]
pub(super) struct Ordered {
    /// The commit that it made, if it made one.
    pub(super) seq: Option<u64>,
    pub(super) outcome: Outcome,
}

impl Order {
    /// What is to be done on the confirmed state. It may read, and be out of date when it has.
    pub(super) async fn plan(&self, replica: &Replica) -> Result<Planned> {
        let note = match self {
            Self::Redact(versions) => return redact::plan(replica, versions).await,
            Self::Expire { upto } => return expire(replica, *upto).await,
            Self::Retain(retention) => {
                let kept = replica.confirmed().state.retention();
                (kept != *retention).then_some(Note::Retention(*retention))
            }
            Self::Scrub(policy) => {
                let is_new = replica.confirmed().state.scrub_policy() != Some(policy);
                is_new.then(|| Note::Scrub(policy.clone()))
            }
            Self::NoteReads => replica.unwritten_reads(reads::ALONE),
            Self::Looked { clean, done, clock_ms } => {
                // Another process may have noted the same.
                let confirmed = replica.confirmed();
                let pending = &confirmed.state.ledger().pending;
                let first = |id: &&VersionId| pending.get(*id).is_some_and(|pending| pending.clean_ms.is_none());
                let clean: Vec<_> = clean.iter().filter(first).copied().collect();
                let done: Vec<_> = done.iter().filter(|id| pending.contains_key(*id)).copied().collect();
                let nothing = clean.is_empty() && done.is_empty();
                (!nothing).then_some(Note::Looked { clean, done, clock_ms: *clock_ms })
            }
        };
        Ok(Planned { note, outcome: Outcome::default() })
    }
}

/// The versions that the changes of the commits up to `upto` replaced.
async fn expire(replica: &Replica, upto: u64) -> Result<Planned> {
    let (from, upto, redacted) = {
        let confirmed = replica.confirmed();
        let ledger = confirmed.state.ledger();
        (ledger.expired + 1, upto.min(confirmed.seq), ledger.redacted.clone())
    };
    if from > upto {
        return Ok(Planned::default());
    }
    let mut links = Links::new(replica);
    let mut replacing = Vec::new();
    let mut down = Down::new(replica, upto, from).await?;
    while !down.is_done() {
        for header in down.next(upto).await? {
            replacing.extend(header.links().into_iter().rev());
        }
    }
    replacing.reverse();
    links.known.extend(replacing.iter().map(|link| (link.version, *link)));
    let mut removal = Removal::default();
    for by in replacing {
        let Some(replaced) = by.previous else { continue };
        let link = links.get(replaced).await?;
        let is_new = !redacted.contains_key(&replaced);
        match (by.is_move, link.is_move) {
            (true, false) => removal.bare.extend(is_new.then_some(replaced)),
            (true, true) => removal.gone.extend(is_new.then_some(replaced)),
            (false, is_move) => {
                removal.gone.extend(is_new.then_some(replaced));
                if is_move {
                    // The last of those that shared the content goes, and the content with it.
                    removal.gone.push(links.root(link).await?);
                }
            }
        }
    }
    // What loses its content in the same breath is not told twice.
    let gone: std::collections::HashSet<_> = removal.gone.iter().copied().collect();
    removal.bare.retain(|id| !gone.contains(id));
    if removal.is_empty() && upto - from + 1 < EMPTY {
        return Ok(Planned::default());
    }
    let note = Some(Note::Expired { upto, removal: removal.clone() });
    Ok(Planned { note, outcome: Outcome { removal, still_shared_by: Vec::new() } })
}

/// Versions and how they hang together, read as they are asked for.
pub(super) struct Links<'a> {
    pub(super) replica: &'a Replica,
    known: HashMap<VersionId, VersionLink>,
    headers: Seeker<'a>,
}

impl<'a> Links<'a> {
    pub(super) fn new(replica: &'a Replica) -> Self {
        Self { replica, known: HashMap::new(), headers: Seeker::new(replica) }
    }

    /// The link of a version of a memory, or nothing if there is none.
    pub(super) async fn find(&mut self, id: VersionId) -> Result<Option<VersionLink>> {
        if let Some(link) = self.known.get(&id) {
            return Ok(Some(*link));
        }
        if id.seq == 0 || id.seq > self.replica.confirmed().seq {
            return Ok(None);
        }
        let header = self.headers.header(id.seq).await?;
        self.known.extend(header.links().into_iter().map(|link| (link.version, link)));
        Ok(self.known.get(&id).copied())
    }

    /// The link of a version that another one names.
    pub(super) async fn get(&mut self, id: VersionId) -> Result<VersionLink> {
        let missing = || crate::Error::damaged(format!("version {id}"), "another names it, and it does not exist");
        self.find(id).await?.ok_or_else(missing)
    }

    /// The version whose content section holds the content of `link`.
    pub(super) async fn root(&mut self, mut link: VersionLink) -> Result<VersionId> {
        while link.is_move {
            let Some(previous) = link.previous.filter(|previous| *previous < link.version) else { break };
            link = self.get(previous).await?;
        }
        Ok(link.version)
    }
}
