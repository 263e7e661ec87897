//! The header of a commit, as JSON before it is sealed. It is never changed and never stripped.
//!
//! Readers ignore fields that they do not know; an operation that they do not know stops them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::base64::Base64;
use crate::{
    history::Operation,
    scrub::{Finding, Findings, Policy},
    state::{Closing, MemoryId, Note, Removal, Retention, VersionId},
};

/// Who made a change. The ids are the caller's own; memoseal gives them no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Actor {
    /// A session of an agent.
    #[serde(rename = "session_actor")]
    Session {
        /// The session.
        session_id: String,
    },
    /// An API key.
    #[serde(rename = "api_actor")]
    Api {
        /// The key's id, not the key.
        api_key_id: String,
    },
    /// A person.
    #[serde(rename = "user_actor")]
    User {
        /// The person.
        user_id: String,
    },
    /// A service account.
    #[serde(rename = "service_account_actor")]
    ServiceAccount {
        /// The account.
        service_account_id: String,
    },
    /// Somebody with the vault's key, such as the program on an operator's machine.
    #[serde(rename = "local")]
    Local {
        /// A name for people to read.
        name: String,
    },
    /// A kind that a newer writer knows.
    #[serde(other, rename = "unknown")]
    Unknown,
}

/// What a change did to its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Op {
    Created,
    Modified,
    Deleted,
    /// The store's: versions were redacted.
    Redacted,
    /// The store's: versions are older than it keeps them.
    Expired,
    /// The store's: how long it keeps versions.
    Retention,
    /// The store's: what is taken out of what is written.
    Scrub,
    /// The store's: what was removed was looked for, and was not there any more.
    Looked,
    /// The store's: it was destroyed, or its user was. The last change of its log.
    Closed,
    /// The catalogue's: a store is about to be made.
    Entered,
    /// The store's: memories were read.
    Used,
    /// Written by a newer memoseal: whoever meets it must not go on.
    #[serde(other)]
    Unknown,
}

impl Op {
    /// The operation as callers read it; none for one that is not about a memory, or that only a newer memoseal knows.
    pub(crate) fn operation(self) -> Option<Operation> {
        match self {
            Self::Created => Some(Operation::Created),
            Self::Modified => Some(Operation::Modified),
            Self::Deleted => Some(Operation::Deleted),
            Self::Redacted | Self::Expired | Self::Retention | Self::Scrub | Self::Looked => None,
            Self::Used | Self::Closed | Self::Entered | Self::Unknown => None,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) seq: u64,
    /// Random: tells this commit from any other that was tried at the same number.
    pub(super) id: Base64<16>,
    /// The time of all changes that have none of their own, in milliseconds since the Unix epoch.
    pub(super) at: i64,
    /// Who is named by `by` in the changes.
    pub(super) actors: Vec<Actor>,
    /// The name of the store, in commit 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<String>,
    pub(super) changes: Vec<HeaderChange>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderChange {
    pub(super) op: Op,
    /// The memory; left out for a change of the store itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mem: Option<Base64<16>>,
    /// The version of the same memory before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prev: Option<VersionText>,
    /// SHA-256 of the sealed meta section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) meta: Option<Base64<32>>,
    /// SHA-256 of the sealed content section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Base64<32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<i64>,
    /// Index into `actors`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) by: u32,
    /// What was taken out of the content before it was sealed: the first of it, one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) found: Vec<FoundFields>,
    /// How many more were taken out.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) more: u64,
    /// What it says, where it is a change of the store itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<Box<NoteFields>>,
}

/// That something was taken out.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FoundFields {
    kind: String,
    rule: String,
    line: u64,
    /// What was done about it.
    did: Did,
}

/// What was done about something that was found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Did {
    /// A placeholder stands in its place.
    Redacted,
    /// What a newer memoseal knows.
    #[serde(other)]
    Other,
}

impl FoundFields {
    pub(super) fn of(finding: &Finding) -> Self {
        let Finding { kind, rule, line } = finding.clone();
        Self { kind, rule, line, did: Did::Redacted }
    }

    fn finding(&self) -> Finding {
        Finding { kind: self.kind.clone(), rule: self.rule.clone(), line: self.line }
    }
}

impl HeaderChange {
    pub(super) fn findings(&self) -> Findings {
        let mut findings = Findings::new(self.found.iter().map(FoundFields::finding).collect());
        findings.more = findings.more.saturating_add(self.more);
        findings
    }
}

/// What a change of the store itself says.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct NoteFields {
    /// Redacted and expired: versions that lose every section of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone: Vec<VersionText>,
    /// Redacted and expired: versions that lose their meta section only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bare: Vec<VersionText>,
    /// Expired: what the changes up to this commit replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upto: Option<u64>,
    /// Retention: left out for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    days: Option<u32>,
    /// Scrub: what is taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<serde_json::Map<String, serde_json::Value>>,
    /// Looked: versions that were found clean for the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clean: Vec<VersionText>,
    /// Looked: versions that need not be looked at again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    done: Vec<VersionText>,
    /// Looked: the time by the store's own clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<i64>,
    /// Closed: whether the user goes, and with it every store.
    #[serde(default, skip_serializing_if = "is_false")]
    user: bool,
    /// Entered: the keyed hash of the store's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<Base64<16>>,
    /// Entered: the life that the store will have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life: Option<u64>,
    /// Used: the day, in days since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<u32>,
    /// Used: the memories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mems: Vec<Base64<16>>,
}

impl NoteFields {
    pub(super) fn op(note: &Note) -> Op {
        match note {
            Note::Redacted(_) => Op::Redacted,
            Note::Expired { .. } => Op::Expired,
            Note::Retention(_) => Op::Retention,
            Note::Scrub(_) => Op::Scrub,
            Note::Looked { .. } => Op::Looked,
            Note::Closed(_) => Op::Closed,
            Note::Entered { .. } => Op::Entered,
            Note::Used { .. } => Op::Used,
        }
    }

    pub(super) fn of(note: &Note) -> Self {
        let removal =
            |removal: &Removal| Self { gone: texts(&removal.gone), bare: texts(&removal.bare), ..Self::default() };
        match note {
            Note::Redacted(removed) => removal(removed),
            Note::Expired { upto, removal: removed } => Self { upto: Some(*upto), ..removal(removed) },
            Note::Retention(retention) => Self { days: retention.days(), ..Self::default() },
            Note::Scrub(policy) => Self { policy: Some(policy.fields().clone()), ..Self::default() },
            Note::Looked { clean, done, clock_ms } => {
                Self { clean: texts(clean), done: texts(done), clock: Some(*clock_ms), ..Self::default() }
            }
            Note::Closed(closing) => Self { user: *closing == Closing::User, ..Self::default() },
            Note::Entered { store, life } => Self { store: Some(Base64(*store)), life: Some(*life), ..Self::default() },
            Note::Used { day, memories } => {
                let mems = memories.iter().map(|id| Base64(id.0)).collect();
                Self { day: Some(*day), mems, ..Self::default() }
            }
        }
    }

    /// What a change with this operation says; nothing for a change of a memory.
    pub(super) fn note(&self, op: Op) -> Option<Note> {
        let removal = || Removal { gone: ids(&self.gone), bare: ids(&self.bare) };
        match op {
            Op::Redacted => Some(Note::Redacted(removal())),
            Op::Expired => Some(Note::Expired { upto: self.upto.unwrap_or(0), removal: removal() }),
            Op::Retention => Some(Note::Retention(Retention::of_days(self.days))),
            Op::Scrub => Some(Note::Scrub(Policy::new(self.policy.clone().unwrap_or_default()))),
            Op::Looked => {
                let (clean, done) = (ids(&self.clean), ids(&self.done));
                Some(Note::Looked { clean, done, clock_ms: self.clock.unwrap_or(i64::MAX) })
            }
            Op::Closed => Some(Note::Closed(if self.user { Closing::User } else { Closing::Store })),
            Op::Entered => Some(Note::Entered { store: self.store?.0, life: self.life? }),
            Op::Used => {
                let memories = self.mems.iter().map(|id| MemoryId(id.0)).collect();
                Some(Note::Used { day: self.day.unwrap_or(0), memories })
            }
            Op::Created | Op::Modified | Op::Deleted | Op::Unknown => None,
        }
    }
}

fn texts(ids: &[VersionId]) -> Vec<VersionText> {
    ids.iter().copied().map(VersionText).collect()
}

fn ids(texts: &[VersionText]) -> Vec<VersionId> {
    texts.iter().map(|text| text.0).collect()
}

fn is_none(more: &u64) -> bool {
    *more == 0
}

fn is_zero(by: &u32) -> bool {
    *by == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A version as text: the number of its commit, a dot, its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VersionText(pub(super) VersionId);

impl Serialize for VersionText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for VersionText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}
