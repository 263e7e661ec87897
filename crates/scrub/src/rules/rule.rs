//! One rule, compiled when it is first needed.

use std::{ops::Range, sync::OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder};
use regex_syntax::{
    ParserBuilder,
    hir::{
        Hir,
        literal::{ExtractKind, Extractor},
    },
};

use super::{
    allowlist::{Allowlist, Found},
    dialect::from_go,
    file::RuleEntry,
};
use crate::{Error, placeholder::kind_of, scrubber::PATTERN_LIMIT, text};

/// The most bytes of states that one pattern keeps while it is searched for. Beyond it the search is slower, not wrong.
const STATES_LIMIT: usize = 512 << 10;
/// The most literals that a pattern may start with, to be led by them.
const MOST_LEADS: usize = 64;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) kind: String,
    pattern: Option<String>,
    compiled: OnceLock<Result<Regex, Error>>,
    /// The same for a match that starts at the second byte, for led rules: it gives up at once if there is none, so
    /// that a text full of keywords costs no more than another.
    anchored: OnceLock<Result<Regex, Error>>,
    /// The literals with which every match starts, if each starts with a keyword: then a match stands at a keyword
    /// and nowhere else.
    leads: Vec<Vec<u8>>,
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
        let keywords: Vec<String> = entry.keywords.iter().map(|word| word.to_ascii_lowercase()).collect();
        let leads = match &entry.regex {
            Some(pattern) => leads(&parse(pattern, &id)?, &keywords),
            None => Vec::new(),
        };
        let allowlists = entry.allowlists.into_iter().chain(entry.allowlist);
        Ok(Self {
            kind: kind_of(&id),
            path: entry.path.map(|pattern| compile(&pattern, &id)).transpose()?,
            allowlists: allowlists.map(|entry| Allowlist::new(entry, &id)).collect::<Result<_, _>>()?,
            id,
            pattern: entry.regex,
            compiled: OnceLock::new(),
            anchored: OnceLock::new(),
            secret_group: entry.secret_group,
            entropy: entry.entropy,
            keywords,
            leads,
        })
    }

    /// The compiled pattern; nothing if the rule is about paths alone.
    pub(super) fn regex(&self) -> Result<Option<&Regex>, Error> {
        let Some(pattern) = &self.pattern else { return Ok(None) };
        self.compiled.get_or_init(|| compile(pattern, &self.id)).as_ref().map(Some).map_err(Clone::clone)
    }

    fn anchored(&self, pattern: &str) -> Result<&Regex, Error> {
        let anchored = || compile(&format!(r"\A(?s:.)(?:{pattern})"), &self.id);
        self.anchored.get_or_init(anchored).as_ref().map_err(Clone::clone)
    }

    /// Compiles what searches need.
    pub(super) fn prepare(&self) -> Result<(), Error> {
        match &self.pattern {
            Some(pattern) if self.is_led() => self.anchored(pattern).map(drop),
            _ => self.regex().map(drop),
        }
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
        if regex.captures_len() == 1 {
            for found in regex.find_iter(slice) {
                self.judge(slice, found.range(), found.range(), path, shared, &mut |span| {
                    report(at + span.start..at + span.end)
                });
            }
        } else {
            for groups in regex.captures_iter(slice) {
                let whole = groups.get(0).map_or(0..0, |group| group.range());
                let secret = self.secret(&groups).unwrap_or_else(|| whole.clone());
                self.judge(slice, whole, secret, path, shared, &mut |span| report(at + span.start..at + span.end));
            }
        }
        Ok(())
    }

    /// Whether matches stand at keywords only.
    pub(super) fn is_led(&self) -> bool {
        !self.leads.is_empty()
    }

    /// Whether a match may start here, where a keyword does.
    pub(super) fn may_start(&self, text: &[u8], start: usize) -> bool {
        self.leads.iter().any(|lead| text[start..].starts_with(lead))
    }

    /// Finds the one secret of a led rule that may start at `start`, before `end`.
    pub(super) fn find_at(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        shared: &[Allowlist],
        report: &mut dyn FnMut(Range<usize>),
    ) -> Result<(), Error> {
        let Some(pattern) = &self.pattern else { return Ok(()) };
        let regex = if start == 0 {
            self.compiled.get_or_init(|| compile(pattern, &self.id)).as_ref().map_err(Clone::clone)?
        } else {
            self.anchored(pattern)?
        };
        // What stands before decides whether a word starts here.
        let from = start - start.min(1);
        let slice = &text[from..end];
        if let Some(groups) = regex.captures(slice)
            && let Some(whole) = groups.get(0).map(|group| group.range())
            && whole.start == 0
        {
            let whole = start - from..whole.end;
            let secret = self.secret(&groups).unwrap_or_else(|| whole.clone());
            self.judge(slice, whole, secret, None, shared, &mut |span| report(from + span.start..from + span.end));
        }
        Ok(())
    }

    /// Reports a secret, unless it is not random enough or is allowed.
    fn judge(
        &self,
        text: &[u8],
        matched: Range<usize>,
        secret: Range<usize>,
        path: Option<&str>,
        shared: &[Allowlist],
        report: &mut dyn FnMut(Range<usize>),
    ) {
        let value = &text[secret.clone()];
        if value.is_empty() || (self.entropy > 0.0 && text::entropy(value) <= self.entropy) {
            return;
        }
        let shared = shared.iter().filter(|list| list.rules.is_empty() || list.rules.contains(&self.id));
        let mut lists = self.allowlists.iter().chain(shared).peekable();
        if lists.peek().is_some() {
            let line = text::line_around(text, &matched);
            let found = Found { secret: value, matched: &text[matched], line: &text[line], path };
            if lists.any(|list| list.holds(&found)) {
                return;
            }
        }
        report(secret);
    }

    /// The group that holds the secret: the one that is named, or else the first that matched something.
    fn secret(&self, groups: &Captures<'_>) -> Option<Range<usize>> {
        if self.secret_group > 0 {
            return groups.get(self.secret_group).map(|group| group.range());
        }
        groups.iter().skip(1).flatten().map(|group| group.range()).find(|range| !range.is_empty())
    }
}

/// The literals with which every match of a pattern starts, if each of them starts with a keyword.
fn leads(pattern: &Hir, keywords: &[String]) -> Vec<Vec<u8>> {
    let literals = Extractor::new().kind(ExtractKind::Prefix).limit_total(MOST_LEADS).extract(pattern);
    let Some(literals) = literals.literals() else { return Vec::new() };
    let leads: Vec<Vec<u8>> = literals.iter().map(|literal| literal.as_bytes().to_vec()).collect();
    let is_keyword = |lead: &Vec<u8>| {
        let lower = lead.to_ascii_lowercase();
        keywords.iter().any(|word| !word.is_empty() && lower.starts_with(word.as_bytes()))
    };
    if leads.iter().all(is_keyword) { leads } else { Vec::new() }
}

/// Reads a pattern without compiling it, so that a wrong one is known at once.
fn parse(pattern: &str, owner: &str) -> Result<Hir, Error> {
    let pattern = &from_go(pattern);
    let mut ascii = ParserBuilder::new().unicode(false).utf8(false).build();
    let mut unicode = ParserBuilder::new().utf8(false).build();
    if let Ok(read) = ascii.parse(pattern) {
        return Ok(read);
    }
    unicode.parse(pattern).map_err(|error| wrong(owner, &error))
}

fn wrong(owner: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Invalid(format!("reading the rules: the pattern of {owner} does not compile: {error}: correct it"))
}

/// Compiles a pattern as gitleaks' rules are meant: classes such as `\w` are ASCII. One that cannot be without Unicode
/// is compiled with it.
pub(super) fn compile(pattern: &str, owner: &str) -> Result<Regex, Error> {
    let pattern = &from_go(pattern);
    let build = |unicode| {
        RegexBuilder::new(pattern).unicode(unicode).size_limit(PATTERN_LIMIT).dfa_size_limit(STATES_LIMIT).build()
    };
    build(false).or_else(|_| build(true)).map_err(|error| wrong(owner, &error))
}
