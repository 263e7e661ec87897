//! What is taken out of a text before it is sealed: secrets and personal data that nobody meant to keep.
//!
//! The engine finds nothing itself. It asks a [`Scrubber`], which the vault was opened with, and obeys the policy that
//! the store's own log holds, so that every writer of the store does the same. A writer that cannot obey it writes
//! nothing.

use std::{fmt::Debug, ops::Range, sync::Arc};

use serde_json::{Map, Value};

use crate::path::MemoryPath;

/// The most findings that a change keeps one by one.
pub const MAX_FINDINGS: usize = 100;

/// The most bytes that a policy may have as JSON.
pub const MAX_POLICY: usize = 64 * 1024;

/// Something that finds secrets. The crate `memoseal` brings one with its feature `scrub`.
pub trait Scrubber: Debug + Send + Sync {
    /// The policy of a store whose log holds none. It goes into the log with the first change.
    fn default_policy(&self) -> Policy;

    /// What scrubs by this policy.
    ///
    /// # Errors
    /// What is not understood in the policy, for people. Nothing is written under it then.
    fn under(&self, policy: &Policy) -> Result<Arc<dyn Scrub>, String>;
}

/// Scrubs by one policy. Whatever it gives back never holds a value that was found, but in [`Scrub::text`] what stays.
pub trait Scrub: Debug + Send + Sync {
    /// The text as it may be kept; nothing if it may be kept as it is. The number of its lines stays the same.
    ///
    /// # Errors
    /// Why it must not be kept.
    fn text(&self, path: &MemoryPath, text: &str) -> Result<Option<Scrubbed>, Refusal>;

    /// Whether a memory may stand at this path.
    ///
    /// # Errors
    /// Why it must not.
    fn path(&self, path: &MemoryPath) -> Result<(), Refusal>;

    /// What is told to somebody, with a placeholder for whatever is found.
    fn hide(&self, text: &str) -> String;

    /// Whether this range of the text covers a part of a placeholder, and not all of it.
    fn cuts_placeholder(&self, text: &str, range: Range<usize>) -> bool;
}

/// A text from which something was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed {
    /// What is left, with placeholders.
    pub text: String,
    /// What was taken out, in the order of the text.
    pub findings: Vec<Finding>,
}

/// That something was found, and never what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// What it is, such as `email`.
    pub kind: String,
    /// The rule that found it.
    pub rule: String,
    /// The line that it begins in, from 1.
    pub line: u64,
}

/// Why a text or a path must not be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It holds this, and the policy refuses it.
    Found(Vec<Finding>),
    /// It could not be decided what it holds; why, without a word of it.
    Undecided(String),
}

/// What a change took out of the text that it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// The first of them, at most [`MAX_FINDINGS`].
    pub listed: Vec<Finding>,
    /// How many more there were.
    pub more: u64,
}

impl Findings {
    pub(crate) fn new(mut found: Vec<Finding>) -> Self {
        let more = found.len().saturating_sub(MAX_FINDINGS) as u64;
        found.truncate(MAX_FINDINGS);
        Self { listed: found, more }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.listed.len() as u64 + self.more
    }
}

/// What a store wants taken out: a JSON object that the [`Scrubber`] reads. The engine knows of it only that
/// `{"level":"off"}` takes nothing out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy(Map<String, Value>);

impl Policy {
    /// A policy of these fields.
    pub fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// The policy that takes nothing out.
    pub fn off() -> Self {
        Self(Map::from_iter([("level".into(), "off".into())]))
    }

    /// Its fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether it takes nothing out, whatever the text holds.
    pub fn is_off(&self) -> bool {
        self.0.len() == 1 && self.0.get("level").is_some_and(|level| level == "off")
    }
}

/// How a store's texts are scrubbed by one process.
#[derive(Clone, Debug, Default)]
pub enum Scrubbing {
    /// Not at all.
    #[default]
    Off,
    /// By this.
    By(Arc<dyn Scrub>),
    /// The policy cannot be obeyed by this process: nothing may be written.
    Impossible,
}
