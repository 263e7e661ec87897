//! Rules as data, in the format of gitleaks' configuration: ours, and the user's.

mod allowlist;
mod dialect;
mod file;
mod rule;
mod set;

use std::sync::{Arc, LazyLock};

pub(crate) use self::set::{RuleSet, Target};
use crate::Error;

/// The rules that come with the crate.
const OURS: &str = include_str!("default.toml");

static DEFAULT: LazyLock<Result<RuleSet, Error>> = LazyLock::new(|| RuleSet::ours(OURS));

/// The rules that come with the crate, read once in a process.
pub(crate) fn default_rules() -> Result<&'static RuleSet, Error> {
    DEFAULT.as_ref().map_err(Clone::clone)
}

/// Compiles now what is otherwise compiled when a text first needs it, for a program that would rather wait at its start.
///
/// # Errors
/// [`Error::Invalid`] if a rule that comes with the crate is wrong, which a test rules out.
pub fn compile() -> Result<(), Error> {
    default_rules()?.compile()
}

/// Rules of the user's own, which add to those that come with the crate.
///
/// They are searched for in the whole text, as gitleaks does it. Patterns are compiled when a keyword of theirs is
/// first met, without Unicode classes, each within a size limit.
#[derive(Clone, Debug)]
pub struct Rules(Arc<RuleSet>);

impl Rules {
    /// Reads a rule file in gitleaks' TOML format: `[[rules]]` with `id`, `regex`, `path`, `secretGroup`, `entropy`,
    /// `keywords` and `allowlists`, and `[allowlist]` or `[[allowlists]]` for all of them. What concerns commits is
    /// left out: there are none here.
    ///
    /// `[extend]` with `useDefault` is taken as met by the rules that come with the crate; with `path`, `url` or
    /// `disabledRules` it is refused.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the text is not such a file, or a pattern does not compile.
    pub fn parse(text: &str) -> Result<Self, Error> {
        RuleSet::users(text).map(|set| Self(Arc::new(set)))
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Compiles every pattern now, to learn of one that cannot be.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the rule's id.
    pub fn compile(&self) -> Result<(), Error> {
        self.0.compile()
    }

    /// The kinds that the rules find, as they stand in a placeholder.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.0.kinds()
    }

    pub(crate) fn has_kind(&self, kind: &str) -> bool {
        self.0.kinds().any(|known| known == kind)
    }

    pub(crate) fn set(&self) -> &RuleSet {
        &self.0
    }
}
