//! One rule, compiled when it is first needed.

use std::{ops::Range, sync::OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder};

use super::{
    allowlist::{Allowlist, Found},
    file::RuleEntry,
};
use crate::{Error, placeholder::kind_of, scrubber::PATTERN_LIMIT, text};

/// The most bytes of states that one pattern keeps while it is searched for. Beyond it the search is slower, not wrong.
const STATES_LIMIT: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) kind: String,
    pattern: Option<String>,
    compiled: OnceLock<Result<Regex, Error>>,
    path: Option<Regex>,
    secret_group: usize,
    entropy: f64,
    pub(super) keywords: Vec<String>,
    pub(super) allowlists: Vec<Allowlist>,
}

impl Rule {
    pub(super) fn new(entry: RuleEntry) -> Result<Self, Error> {
        let id = entry.id;
        let wrong = |what: &str| Error::Invalid(format!("reading the rules: rule {id:?} {what}"));
        if id.is_empty() {
            return Err(wrong("has no id: give it one"));
        }
        if entry.regex.is_none() && entry.path.is_none() {
            return Err(wrong("has neither regex nor path: write it out, since rules of another file are not changed"));
        }
        let allowlists = entry.allowlists.into_iter().chain(entry.allowlist);
        Ok(Self {
            kind: kind_of(&id),
            path: entry.path.map(|pattern| compile(&pattern, &id)).transpose()?,
            allowlists: allowlists.map(|entry| Allowlist::new(entry, &id)).collect::<Result<_, _>>()?,
            id,
            pattern: entry.regex,
            compiled: OnceLock::new(),
            secret_group: entry.secret_group,
            entropy: entry.entropy,
            keywords: entry.keywords.iter().map(|word| word.to_ascii_lowercase()).collect(),
        })
    }

    /// The compiled pattern; nothing if the rule is about paths alone.
    pub(super) fn regex(&self) -> Result<Option<&Regex>, Error> {
        let Some(pattern) = &self.pattern else { return Ok(None) };
        self.compiled.get_or_init(|| compile(pattern, &self.id)).as_ref().map(Some).map_err(Clone::clone)
    }

    /// Whether a path alone is what the rule is about, and this one is it.
    pub(super) fn is_about_path(&self, path: &str) -> bool {
        self.pattern.is_none() && self.path.as_ref().is_some_and(|regex| regex.is_match(path.as_bytes()))
    }

    /// Finds the rule's secrets in `window`, a range of `text`.
    pub(super) fn find(
        &self,
        text: &[u8],
        window: Range<usize>,
        path: Option<&str>,
        shared: &[Allowlist],
        report: &mut dyn FnMut(Range<usize>),
    ) -> Result<(), Error> {
        let Some(regex) = self.regex()? else { return Ok(()) };
        if let Some(only) = &self.path
            && !path.is_some_and(|path| only.is_match(path.as_bytes()))
        {
            return Ok(());
        }
        let (at, slice) = (window.start, &text[window]);
        // Without groups, the cheaper search will do.
        let mut each = |matched: Range<usize>, secret: Range<usize>| {
            let value = &slice[secret.clone()];
            if value.is_empty() || (self.entropy > 0.0 && text::entropy(value) <= self.entropy) {
                return;
            }
            let line = text::line_around(slice, &matched);
            let found = Found { secret: value, matched: &slice[matched], line: &slice[line], path };
            let mut lists = self
                .allowlists
                .iter()
                .chain(shared.iter().filter(|list| list.rules.is_empty() || list.rules.contains(&self.id)));
            if !lists.any(|list| list.holds(&found)) {
                report(at + secret.start..at + secret.end);
            }
        };
        if regex.captures_len() == 1 {
            regex.find_iter(slice).for_each(|found| each(found.range(), found.range()));
        } else {
            regex.captures_iter(slice).for_each(|groups| {
                let whole = groups.get(0).map_or(0..0, |group| group.range());
                each(whole.clone(), self.secret(&groups).unwrap_or(whole));
            });
        }
        Ok(())
    }

    /// The group that holds the secret: the one that is named, or else the first that matched something.
    fn secret(&self, groups: &Captures<'_>) -> Option<Range<usize>> {
        if self.secret_group > 0 {
            return groups.get(self.secret_group).map(|group| group.range());
        }
        groups.iter().skip(1).flatten().map(|group| group.range()).find(|range| !range.is_empty())
    }
}

/// Compiles a pattern as gitleaks' rules are meant: classes such as `\w` are ASCII. One that cannot be without Unicode
/// is compiled with it.
pub(super) fn compile(pattern: &str, owner: &str) -> Result<Regex, Error> {
    let build = |unicode| {
        RegexBuilder::new(pattern).unicode(unicode).size_limit(PATTERN_LIMIT).dfa_size_limit(STATES_LIMIT).build()
    };
    build(false).or_else(|_| build(true)).map_err(|error| {
        Error::Invalid(format!("reading the rules: the pattern of {owner} does not compile: {error}: correct it"))
    })
}
