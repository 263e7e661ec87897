//! Redaction: versions lose what they held. It holds from the change in the log on; stripping makes it physical.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Store,
    blocks::Down,
    checkpoints,
    order::{Links, Order, Outcome, Planned},
    replica::Replica,
    strip,
};
use crate::{
    Error, Result,
    codec::VersionLink,
    state::{MemoryId, Note, Removal, VersionId},
};

/// What became of a redaction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Redacted {
    /// The commit that says so; none if all of it had been redacted before.
    pub seq: Option<u64>,
    /// Versions that are not redacted and share a content with one that is: it stays until they are redacted too.
    pub still_shared_by: Vec<VersionId>,
    /// What kept the removal from being finished. The versions are redacted all the same, for whoever reads through
    /// memoseal; [`Store::maintain`] goes on with the bytes in the bucket.
    pub unfinished: Option<Error>,
}

/// What a redaction would do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RedactionPreview {
    /// Versions that would be redacted, and are not yet.
    pub versions: Vec<VersionId>,
    /// As [`Redacted::still_shared_by`].
    pub still_shared_by: Vec<VersionId>,
}

impl Store {
    /// Redacts versions: path, size, hash and content are removed from the log; who changed what memory when stays.
    ///
    /// A content goes when every version that shares it is redacted or expired: a rename shares the content of the
    /// version before. Deletions hold nothing and are passed over. Bucket versions, backups and processes that have
    /// read the versions before are out of reach.
    ///
    /// # Errors
    /// [`Error::Invalid`] for the current version of a file that stands; [`Error::NotFound`] for a version that does
    /// not exist; those of [`Store::execute`]. Nothing was redacted then.
    pub async fn redact(&self, versions: &[VersionId]) -> Result<Redacted> {
        let replica = &self.replica;
        self.check_writable()?;
        replica.catch_up().await?;
        let ordered = self.writer.order(Order::Redact(versions.to_vec())).await;
        let ordered = replica.unless_destroyed(ordered).await?;
        let Outcome { removal, still_shared_by } = ordered.outcome;
        let commits: BTreeSet<u64> = removal.versions().map(|(id, _)| id.seq).collect();
        let finish = async {
            strip::strip(replica, commits).await?;
            checkpoints::after_removal(replica).await
        };
        let unfinished = replica.unless_destroyed(finish.await).await.err();
        Ok(Redacted { seq: ordered.seq, still_shared_by, unfinished })
    }

    /// Tells what [`Store::redact`] would do now, and changes nothing.
    ///
    /// # Errors
    /// Those of [`Store::redact`].
    pub async fn preview_redaction(&self, versions: &[VersionId]) -> Result<RedactionPreview> {
        self.replica.unless_destroyed(self.redaction(versions).await).await
    }

    async fn redaction(&self, versions: &[VersionId]) -> Result<RedactionPreview> {
        let planned = loop {
            let base = self.replica.at_head(|now| now.seq).await?;
            let planned = plan(&self.replica, versions).await;
            // Another task may have gone on meanwhile, and be on its way to the head.
            if self.replica.confirmed().seq == base {
                break planned?;
            }
        };
        let confirmed = self.replica.confirmed();
        let redacted = &confirmed.state.ledger().redacted;
        let news = planned.note.iter().flat_map(|note| match note {
            Note::Redacted(removal) => removal.versions().map(|(id, _)| id).collect(),
            _ => Vec::new(),
        });
        let versions: BTreeSet<VersionId> = news.filter(|id| !redacted.contains_key(id)).collect();
        Ok(RedactionPreview {
            versions: versions.into_iter().collect(),
            still_shared_by: planned.outcome.still_shared_by,
        })
    }
}

/// What redacting these versions comes to.
pub(super) async fn plan(replica: &Replica, versions: &[VersionId]) -> Result<Planned> {
    let mut links = Links::new(replica);
    let mut asked: BTreeMap<MemoryId, BTreeSet<VersionId>> = BTreeMap::new();
    for id in versions {
        let missing =
            || Error::NotFound { what: format!("version {id}"), hint: "look for it with `memoseal history`".into() };
        let link = links.find(*id).await?.ok_or_else(missing)?;
        if link.is_deletion {
            continue;
        }
        let current = replica.confirmed().state.get_id(link.memory).map(|memory| (memory.version, memory.path.clone()));
        if let Some((current, path)) = current
            && current == *id
        {
            return Err(Error::Invalid(format!("version {id} is what {path} holds now: write or delete it first")));
        }
        asked.entry(link.memory).or_default().insert(*id);
    }
    let mut removal = Removal::default();
    let mut shared = BTreeSet::new();
    let mut is_new = false;
    for (memory, asked) in asked {
        let chain = chain(&mut links, memory, &asked).await?;
        let confirmed = replica.confirmed();
        let ledger = confirmed.state.ledger();
        let goes = |at: usize| {
            let Some(link) = chain.get(at) else { return false };
            let successor = chain.get(at + 1).map(|link| link.version.seq);
            asked.contains(&link.version)
                || ledger.redacted.contains_key(&link.version)
                || successor.is_some_and(|seq| seq <= ledger.expired)
        };
        for (at, link) in chain.iter().enumerate().filter(|(_, link)| asked.contains(&link.version)) {
            is_new |= !ledger.redacted.contains_key(&link.version);
            let root = (0..=at).rev().find(|at| chain.get(*at).is_some_and(|link| !link.is_move)).unwrap_or(0);
            let end = (root + 1..chain.len()).find(|at| chain.get(*at).is_some_and(|link| !link.is_move));
            let sharing = root..end.unwrap_or(chain.len());
            let stay: Vec<_> =
                sharing.filter(|at| !goes(*at)).filter_map(|at| chain.get(at)).map(|link| link.version).collect();
            if stay.is_empty() {
                removal.gone.push(link.version);
                removal.gone.extend(chain.get(root).map(|link| link.version));
            } else {
                let list = if link.is_move { &mut removal.gone } else { &mut removal.bare };
                list.push(link.version);
                shared.extend(stay);
            }
        }
    }
    removal.gone.sort_unstable();
    removal.gone.dedup();
    let note = is_new.then(|| Note::Redacted(removal.clone()));
    Ok(Planned { note, outcome: Outcome { removal, still_shared_by: shared.into_iter().collect() } })
}

/// The versions of a memory, oldest first: from the one whose content the oldest of `asked` has, to the newest.
async fn chain(links: &mut Links<'_>, memory: MemoryId, asked: &BTreeSet<VersionId>) -> Result<Vec<VersionLink>> {
    let Some(oldest) = asked.first().copied() else { return Ok(Vec::new()) };
    let link = links.get(oldest).await?;
    let first = links.root(link).await?;
    let replica = links.replica;
    let mut chain = Vec::new();
    match replica.newest_of(memory) {
        Some((_, newest)) => {
            let mut next = Some(newest);
            while let Some(id) = next.filter(|id| *id >= first) {
                let link = links.get(id).await?;
                chain.push(link);
                next = link.previous.filter(|previous| *previous < id);
            }
            chain.reverse();
        }
        // Its record is gone, so nothing names its newest version: the log is read from here on.
        None => {
            let head = replica.confirmed().seq;
            let mut down = Down::new(replica, head, first.seq).await?;
            while !down.is_done() {
                for header in down.next(head).await? {
                    let links = header.links().into_iter().rev();
                    chain.extend(links.filter(|link| link.memory == memory && link.version >= first));
                }
            }
            chain.reverse();
        }
    }
    // A deletion has no content, so it ends what is shared.
    Ok(chain)
}
