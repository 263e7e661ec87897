//! The header of a commit, as JSON before it is sealed. It is never changed and never stripped.
//!
//! Readers ignore fields that they do not know; an operation that they do not know stops them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::base64::Base64;
use crate::{history::Operation, state::VersionId};

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
    /// Written by a newer memoseal: whoever meets it must not go on.
    #[serde(other)]
    Unknown,
}

impl Op {
    /// The operation as callers read it; none for one that only a newer memoseal knows.
    pub(crate) fn operation(self) -> Option<Operation> {
        match self {
            Self::Created => Some(Operation::Created),
            Self::Modified => Some(Operation::Modified),
            Self::Deleted => Some(Operation::Deleted),
            Self::Unknown => None,
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
    pub(super) mem: Base64<16>,
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
}

fn is_zero(by: &u32) -> bool {
    *by == 0
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
