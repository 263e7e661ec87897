//! The scrubber: a policy and its rules, ready to be used.

use std::borrow::Cow;

use memchr::memchr_iter;
use regex::bytes::{Regex, RegexBuilder};

use crate::{
    Error, Finding, Level, Mode, Policy, Rules, Scrubbed,
    hit::{self, Hit},
    kinds::{self, Class},
    placeholder::placeholders_in,
    redact::Redacted,
    sample,
    scan::Scan,
};

/// The most bytes that a text may have.
pub const MAX_TEXT: usize = 32 << 20;

/// How often a result is looked at again. What is found in a result was hidden by what was taken out before it; each
/// round takes something out, and real texts need one.
const MOST_ROUNDS: usize = 8;

/// The most bytes that a compiled pattern of a policy or of a user's rule may take.
pub(crate) const PATTERN_LIMIT: usize = 4 << 20;

/// Finds what a [`Policy`] names, and takes it out.
#[derive(Clone, Debug)]
pub struct Scrubber {
    policy: Policy,
    rules: Option<Rules>,
    patterns: Vec<Regex>,
}

impl Scrubber {
    /// A scrubber with the rules that come with it. Making one is cheap: rules are compiled when a text first needs
    /// them, once in a process.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a kind that the policy wants redacted or refused does not exist, or a pattern of it does
    /// not compile.
    pub fn new(policy: Policy) -> Result<Self, Error> {
        Self::with_rules(policy, None)
    }

    /// A scrubber that also obeys rules of the user's own.
    ///
    /// # Errors
    /// As [`Scrubber::new`].
    pub fn with_rules(policy: Policy, rules: Option<Rules>) -> Result<Self, Error> {
        for (kind, mode) in &policy.modes {
            let is_known = kinds::class(kind).is_some() || rules.as_ref().is_some_and(|rules| rules.has_kind(kind));
            // Who does not know a kind finds none of it, so that it is off; anything else cannot be obeyed.
            if !is_known && *mode != Mode::Off {
                return Err(Error::Invalid(format!(
                    "reading the policy: there is no kind {kind}: choose one of `memoseal scrub --kinds`, or load the rules \
                     that it is of"
                )));
            }
        }
        let compile = |pattern: &String| {
            RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(PATTERN_LIMIT).build().map_err(|error| {
                Error::Invalid(format!("reading the policy: the pattern {pattern} is wrong: {error}: correct it"))
            })
        };
        let patterns = policy.allowed.patterns().iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { policy, rules, patterns })
    }

    /// What this scrubber obeys.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Takes out of a text what the policy names.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the text holds a kind whose mode is [`Mode::Reject`]; [`Error::TooLarge`] above
    /// [`MAX_TEXT`]; [`Error::Undecided`] if a rule failed. The text must not be kept then.
    pub fn scrub<'a>(&self, text: &'a str) -> Result<Scrubbed<'a>, Error> {
        self.scrub_file(text, None)
    }

    /// [`scrub`](Self::scrub) for a file whose path is known: a rule of the user's may be for some paths only.
    ///
    /// # Errors
    /// As [`Scrubber::scrub`].
    pub fn scrub_file<'a>(&self, text: &'a str, path: Option<&str>) -> Result<Scrubbed<'a>, Error> {
        let mut result: Cow<'a, str> = Cow::Borrowed(text);
        let mut steps: Vec<Redacted> = Vec::new();
        let mut findings = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let hits = self.find(&result, path)?;
            if hits.is_empty() {
                findings.sort_by_key(|found: &Finding| (found.start, found.end));
                return self.decide(result, findings);
            }
            for hit in &hits {
                let origin = steps.iter().rev().fold(hit.span.clone(), |span, step| step.origin(span));
                findings.push(Finding {
                    kind: hit.kind.to_owned(),
                    rule: hit.rule.to_owned(),
                    line: line_of(&result, hit.span.start),
                    start: origin.start,
                    end: origin.end,
                });
            }
            let step = Redacted::new(&result, &hits);
            result = Cow::Owned(step.text.clone());
            steps.push(step);
        }
        Err(Error::Undecided(format!("something is found in it even after {MOST_ROUNDS} rounds")))
    }

    /// Refuses a path in which something is found, whatever the mode of its kind, unless it is off.
    ///
    /// # Errors
    /// [`Error::Rejected`], with offsets into the path, and as [`Scrubber::scrub`].
    pub fn check_path(&self, path: &str) -> Result<(), Error> {
        let mut findings = self.scrub(path)?.findings;
        let by_path = self.rules.as_ref().and_then(|rules| rules.set().about_path(path));
        findings.extend(by_path.filter(|rule| self.mode(&rule.kind) != Mode::Off).map(|rule| Finding {
            kind: rule.kind.clone(),
            rule: rule.id.clone(),
            line: 1,
            start: 0,
            end: path.len(),
        }));
        if findings.is_empty() { Ok(()) } else { Err(Error::Rejected(findings)) }
    }

    fn decide<'a>(&self, text: Cow<'a, str>, findings: Vec<Finding>) -> Result<Scrubbed<'a>, Error> {
        let refused = |found: &&Finding| self.mode(&found.kind) == Mode::Reject;
        let rejected: Vec<Finding> = findings.iter().filter(refused).cloned().collect();
        if rejected.is_empty() { Ok(Scrubbed { text, findings }) } else { Err(Error::Rejected(rejected)) }
    }

    /// What happens to a kind.
    pub fn mode(&self, kind: &str) -> Mode {
        let by_level = || match (self.policy.level, kinds::class_of_found(kind)) {
            (Level::Secrets | Level::All, Class::Secret) | (Level::All, Class::Personal) => Mode::Redact,
            _ => Mode::Off,
        };
        self.policy.modes.get(kind).copied().unwrap_or_else(by_level)
    }

    /// The spans that must go, in order.
    fn find<'s>(&'s self, text: &str, path: Option<&str>) -> Result<Vec<Hit<'s>>, Error> {
        if text.len() > MAX_TEXT {
            return Err(Error::TooLarge { size: text.len(), limit: MAX_TEXT });
        }
        let holes = placeholders_in(text.as_bytes());
        let scan = Scan::new(self, path);
        let hits = scan.run(text)?.into_iter().flat_map(|hit| hit::without(hit, &holes));
        let hits = hits.filter_map(|hit| {
            let span = text.floor_char_boundary(hit.span.start)..text.ceil_char_boundary(hit.span.end);
            let value = text.get(span.clone())?;
            // What is left of a value around a placeholder is no value without a letter or a digit.
            (value.chars().any(char::is_alphanumeric) && !self.is_allowed(value)).then_some(Hit { span, ..hit })
        });
        Ok(hit::merge(hits.collect()))
    }

    fn is_allowed(&self, value: &str) -> bool {
        !self.policy.no_default_allowlist && sample::is_sample(value)
            || self.policy.allowed.holds(value.as_bytes())
            || self.patterns.iter().any(|pattern| pattern.is_match(value.as_bytes()))
    }

    pub(crate) fn rules(&self) -> Option<&Rules> {
        self.rules.as_ref()
    }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + memchr_iter(b'\n', &text.as_bytes()[..at]).count()
}
