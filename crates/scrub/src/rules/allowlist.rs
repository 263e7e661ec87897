//! What a rule finds and leaves alone.

use regex::bytes::Regex;

use super::{file::AllowEntry, rule::compile};
use crate::Error;

/// An allowlist of a rule file.
#[derive(Debug)]
pub(super) struct Allowlist {
    all: bool,
    /// Commits do not exist here: an allowlist that also asks for one never holds.
    wants_commit: bool,
    paths: Vec<Regex>,
    regexes: Vec<Regex>,
    target: About,
    stopwords: Vec<String>,
    /// The rules that it is for; all if empty.
    pub(super) rules: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum About {
    Secret,
    Match,
    Line,
}

/// What an allowlist may look at.
pub(super) struct Found<'a> {
    pub(super) secret: &'a [u8],
    pub(super) matched: &'a [u8],
    pub(super) line: &'a [u8],
    pub(super) path: Option<&'a str>,
}

impl Allowlist {
    pub(super) fn new(entry: AllowEntry, owner: &str) -> Result<Self, Error> {
        let wrong = |what: &str, value: &str, choices: &str| {
            Error::Invalid(format!("reading the rules: {what} of {owner} is {value}: write {choices}"))
        };
        let all = match entry.condition.as_deref() {
            None | Some("" | "OR" | "or" | "||") => false,
            Some("AND" | "and" | "&&") => true,
            Some(other) => return Err(wrong("the condition of an allowlist", other, "AND or OR")),
        };
        let target = match entry.regex_target.as_deref() {
            None | Some("" | "secret") => About::Secret,
            Some("match") => About::Match,
            Some("line") => About::Line,
            Some(other) => return Err(wrong("regexTarget", other, "secret, match or line")),
        };
        let compiled = |patterns: &[String]| -> Result<Vec<Regex>, Error> {
            patterns.iter().map(|pattern| compile(pattern, owner)).collect()
        };
        Ok(Self {
            all,
            wants_commit: !entry.commits.is_empty(),
            paths: compiled(&entry.paths)?,
            regexes: compiled(&entry.regexes)?,
            target,
            stopwords: entry.stopwords.iter().map(|word| word.to_ascii_lowercase()).collect(),
            rules: entry.target_rules,
        })
    }

    /// Whether what was found is left alone.
    pub(super) fn holds(&self, found: &Found<'_>) -> bool {
        let about = match self.target {
            About::Secret => found.secret,
            About::Match => found.matched,
            About::Line => found.line,
        };
        let path = || found.path.is_some_and(|path| self.paths.iter().any(|regex| regex.is_match(path.as_bytes())));
        let regex = || self.regexes.iter().any(|regex| regex.is_match(about));
        let word = || {
            let lower = found.secret.to_ascii_lowercase();
            self.stopwords.iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
        };
        if self.all {
            let some = !(self.paths.is_empty() && self.regexes.is_empty() && self.stopwords.is_empty());
            some && !self.wants_commit
                && (self.paths.is_empty() || path())
                && (self.regexes.is_empty() || regex())
                && (self.stopwords.is_empty() || word())
        } else {
            path() || regex() || word()
        }
    }
}
