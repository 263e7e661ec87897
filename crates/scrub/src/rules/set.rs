//! Many rules behind one search for their keywords.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use super::{
    allowlist::Allowlist,
    file::{Extend, File},
    rule::Rule,
};
use crate::{
    Error,
    detect::Detector,
    hit::{Hit, Rank},
    text,
};

/// What a keyword stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Rule(usize),
    Detector(Detector),
}

#[derive(Debug)]
pub(crate) struct RuleSet {
    rules: Vec<Rule>,
    shared: Vec<Allowlist>,
    keywords: AhoCorasick,
    /// What each keyword stands for.
    targets: Vec<Vec<Target>>,
    /// Rules that are searched for in any text.
    always: Vec<usize>,
}

impl RuleSet {
    /// The rules of this crate, with the keywords of its detectors.
    pub(super) fn ours(text: &str) -> Result<Self, Error> {
        Self::read(text, Detector::keywords())
    }

    /// Rules of the user's.
    pub(super) fn users(text: &str) -> Result<Self, Error> {
        Self::read(text, std::iter::empty())
    }

    fn read<'d>(text: &str, detectors: impl Iterator<Item = (&'d str, Detector)>) -> Result<Self, Error> {
        let file: File = toml::from_str(text).map_err(|error| {
            Error::Invalid(format!(
                "reading the rules: not a rule file in gitleaks' format: {}: correct it",
                error.message()
            ))
        })?;
        if let Some(Extend { path, url, disabled_rules, .. }) = &file.extend {
            let wrong = |what: &str, advice: &str| {
                Err(Error::Invalid(format!("reading the rules: [extend] has {what}: {advice}")))
            };
            if path.is_some() || url.is_some() {
                return wrong("a path or url, which is not followed", "put those rules into this file");
            }
            if !disabled_rules.is_empty() {
                return wrong("disabledRules, and gitleaks' own rules are not used", "turn kinds off in the policy");
            }
        }
        let rules = file.rules.into_iter().map(Rule::new).collect::<Result<Vec<_>, _>>()?;
        let shared = file.allowlists.into_iter().chain(file.allowlist);
        let shared = shared.map(|entry| Allowlist::new(entry, "the allowlist")).collect::<Result<Vec<_>, _>>()?;

        let mut words: Vec<String> = Vec::new();
        let mut targets: Vec<Vec<Target>> = Vec::new();
        let mut place = std::collections::HashMap::new();
        let mut add = |word: &str, target: Target| {
            let at = *place.entry(word.to_owned()).or_insert_with(|| {
                words.push(word.to_owned());
                targets.push(Vec::new());
                words.len() - 1
            });
            if !targets[at].contains(&target) {
                targets[at].push(target);
            }
        };
        for (i, rule) in rules.iter().enumerate() {
            rule.keywords.iter().for_each(|word| add(word, Target::Rule(i)));
        }
        detectors.for_each(|(word, detector)| add(word, Target::Detector(detector)));
        let keywords = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&words)
            .map_err(|error| Error::Invalid(format!("reading the rules: too many keywords: {error}: use fewer")))?;
        let always = (0..rules.len()).filter(|&i| rules[i].keywords.is_empty()).collect();
        Ok(Self { rules, shared, keywords, targets, always })
    }

    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.kind.as_str())
    }

    pub(crate) fn compile(&self) -> Result<(), Error> {
        self.rules.iter().try_for_each(Rule::prepare)
    }

    /// Tells each keyword of a text: what it stands for, where it starts and where it ends.
    pub(crate) fn keywords(
        &self,
        text: &[u8],
        mut each: impl FnMut(Target, usize, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for found in self.keywords.find_overlapping_iter(text) {
            for target in &self.targets[found.pattern().as_usize()] {
                each(*target, found.start(), found.end())?;
            }
        }
        Ok(())
    }

    /// Whether a rule's matches stand at its keywords only, and none can start at this one.
    pub(crate) fn is_elsewhere(&self, index: usize, text: &[u8], start: usize) -> bool {
        self.rules[index].is_led() && !self.rules[index].may_start(text, start)
    }

    /// Whether a rule's matches stand at its keywords only.
    pub(crate) fn is_led(&self, index: usize) -> bool {
        self.rules[index].is_led()
    }

    /// Finds a led rule's secret that starts at `start`, before `end`.
    pub(crate) fn find_at<'s>(
        &'s self,
        index: usize,
        text: &[u8],
        start: usize,
        end: usize,
        hits: &mut Vec<Hit<'s>>,
    ) -> Result<(), Error> {
        let rule = &self.rules[index];
        rule.find_at(text, start, end, &self.shared, &mut |span| hits.push(rule_hit(rule, text, span)))
    }

    /// Finds a rule's secrets in a part of a text.
    pub(crate) fn find<'s>(
        &'s self,
        index: usize,
        text: &[u8],
        window: std::ops::Range<usize>,
        path: Option<&str>,
        hits: &mut Vec<Hit<'s>>,
    ) -> Result<(), Error> {
        let rule = &self.rules[index];
        rule.find(text, window, path, &self.shared, &mut |span| hits.push(rule_hit(rule, text, span)))
    }

    /// Finds all rules' secrets, each rule in the whole text if a keyword of it stands anywhere, as gitleaks does.
    pub(crate) fn find_anywhere<'s>(
        &'s self,
        text: &[u8],
        path: Option<&str>,
        hits: &mut Vec<Hit<'s>>,
    ) -> Result<(), Error> {
        let mut wanted = vec![false; self.rules.len()];
        self.always.iter().for_each(|&i| wanted[i] = true);
        self.keywords(text, |target, _, _| {
            if let Target::Rule(i) = target {
                wanted[i] = true;
            }
            Ok(())
        })?;
        for index in (0..wanted.len()).filter(|&i| wanted[i]) {
            self.find(index, text, 0..text.len(), path, hits)?;
        }
        Ok(())
    }

    /// A rule that is about paths alone, and about this one.
    pub(crate) fn about_path(&self, path: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.is_about_path(path))
    }
}

/// The whole value goes: a token that runs on belongs to it.
fn rule_hit<'s>(rule: &'s Rule, text: &[u8], span: std::ops::Range<usize>) -> Hit<'s> {
    Hit { span: text::whole_word(text, span), kind: &rule.kind, rule: &rule.id, rank: Rank::Shape }
}
