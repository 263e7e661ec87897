//! What is looked for, and what happens to what is found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Allowed;

/// What a store, or a call, wants scrubbed. Serialises as a JSON object, so that it can be kept in a log and obeyed by
/// every writer. An unknown field is an error: who does not understand a policy must not write under it.
///
/// Rules of the user's own are not part of it ([`Rules`](crate::Rules)): they belong to a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Which kinds are looked for, before `modes` is asked.
    #[serde(default)]
    pub level: Level,
    /// What happens to a kind, where it is not what the level says. A kind that is off by default is turned on by a
    /// mode here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modes: BTreeMap<String, Mode>,
    /// Also takes out documented sample keys and addresses of reserved domains, which are left alone otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_default_allowlist: bool,
    /// What the user wants left alone.
    #[serde(default, skip_serializing_if = "Allowed::is_empty")]
    pub allowed: Allowed,
}

impl Policy {
    /// Nothing is looked for.
    pub fn off() -> Self {
        Self { level: Level::Off, ..Self::default() }
    }

    /// Secrets: what a store gets if it does not say otherwise.
    pub fn secrets() -> Self {
        Self::default()
    }

    /// Secrets and personal data.
    pub fn all() -> Self {
        Self { level: Level::All, ..Self::default() }
    }

    /// This policy with `mode` for one kind.
    #[must_use]
    pub fn with_mode(mut self, kind: &str, mode: Mode) -> Self {
        self.modes.insert(kind.to_owned(), mode);
        self
    }
}

/// Which kinds are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// None.
    Off,
    /// Secrets.
    #[default]
    Secrets,
    /// Secrets and personal data.
    All,
}

/// What happens to a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A placeholder takes the value's place.
    #[default]
    Redact,
    /// The text is refused.
    Reject,
    /// It is left alone.
    Off,
}
