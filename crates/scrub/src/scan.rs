//! One look at a text, in all its readings.

use std::cell::Cell;

use crate::{
    Error, Mode, Scrubber,
    detect::Detector,
    hit::{Hit, Rank},
    personal,
    rules::{self, RuleSet, Target},
    text,
    view::{self, View},
};

/// How deep what was decoded is decoded again.
const DEPTH: usize = 3;
/// The most bytes that are decoded of one text, all depths together.
const BUDGET: usize = 8 << 20;

/// A look at a text, or at a reading of it, for one scrubber.
pub(crate) struct Scan<'s, 'a> {
    scrubber: &'s Scrubber,
    path: Option<&'a str>,
    /// The bytes that may still be decoded.
    budget: Cell<usize>,
}

impl<'s, 'a> Scan<'s, 'a> {
    pub(crate) fn new(scrubber: &'s Scrubber, path: Option<&'a str>) -> Self {
        Self { scrubber, path, budget: Cell::new(BUDGET) }
    }

    /// What the policy wants to be gone.
    pub(crate) fn run(&self, text: &str) -> Result<Vec<Hit<'s>>, Error> {
        self.readings(text.as_bytes(), DEPTH)
    }

    /// What is found in a text as it is, and in what it reads like.
    fn readings(&self, text: &[u8], depth: usize) -> Result<Vec<Hit<'s>>, Error> {
        let mut hits = Vec::new();
        self.look(text, &mut hits)?;
        if let Some(view) = view::joined(text) {
            let mut found = Vec::new();
            self.look(&view.bytes, &mut found)?;
            // Pieces that belong to nothing may join to what looks random; a shape is no accident.
            found.retain(|hit| hit.rank == Rank::Shape);
            lift(&view, found, &mut hits);
        }
        if depth > 0 {
            if let Some(view) = view::undisguised(text) {
                lift(&view, self.readings(&view.bytes, depth - 1)?, &mut hits);
            }
            for run in view::runs(text) {
                let Some(left) = self.budget.get().checked_sub(run.bytes.len()) else { break };
                self.budget.set(left);
                // The run as it was written goes, whatever is found in it.
                if let Some(found) = self.readings(&run.bytes, depth - 1)?.into_iter().max_by_key(|hit| hit.rank) {
                    hits.push(Hit { span: run.span, ..found });
                }
            }
        }
        hits.retain(|hit| self.scrubber.mode(hit.kind) != Mode::Off);
        Ok(hits)
    }

    /// What is found in a text as it is.
    fn look(&self, text: &[u8], hits: &mut Vec<Hit<'s>>) -> Result<(), Error> {
        let ours = rules::default_rules()?;
        let mut seen = vec![0; ours.len()];
        // Up to where names, and documents, were looked at.
        let (mut named, mut documented) = (0, 0);
        ours.keywords(text, |target, start, end| match target {
            Target::Rule(index) => self.rule(ours, index, text, start..end, &mut seen[index], hits),
            Target::Detector(Detector::Assignment) if start < named => Ok(()),
            Target::Detector(Detector::Kubernetes) if start < documented => Ok(()),
            Target::Detector(detector) => {
                let end = detector.find(text, start..end, hits);
                match detector {
                    Detector::Assignment => named = end,
                    Detector::Kubernetes => documented = end,
                    _ => {}
                }
                Ok(())
            }
        })?;
        Detector::find_others(text, hits);
        if let Some(rules) = self.scrubber.rules() {
            rules.set().find_anywhere(text, self.path, hits)?;
        }
        personal::find(self.scrubber, text, hits);
        Ok(())
    }

    /// Looks for a rule in the line around its keyword, once a line; for one that starts with a keyword, at the
    /// keyword, and over the line's end if the token runs up to it.
    fn rule(
        &self,
        rules: &'s RuleSet,
        index: usize,
        text: &[u8],
        keyword: std::ops::Range<usize>,
        seen: &mut usize,
        hits: &mut Vec<Hit<'s>>,
    ) -> Result<(), Error> {
        if !rules.is_led(index) {
            if keyword.start >= *seen {
                let window = text::window(text, keyword);
                *seen = window.end;
                rules.find(index, text, window, self.path, hits)?;
            }
            return Ok(());
        }
        if keyword.start < *seen || rules.is_elsewhere(index, text, keyword.start) {
            return Ok(());
        }
        let before = hits.len();
        let window = text::window(text, keyword.clone());
        rules.find_at(index, text, keyword.start, window.end, hits)?;
        if let Some(hit) = hits[before..].last() {
            *seen = hit.span.end;
        } else if let Some(view) = view::wrapped(text, keyword.start) {
            let mut found = Vec::new();
            rules.find_at(index, &view.bytes, 1, view.bytes.len(), &mut found)?;
            lift(&view, found, hits);
        }
        Ok(())
    }
}

/// Takes what was found in a view to where it stands in the text.
fn lift<'s>(view: &View, found: Vec<Hit<'s>>, hits: &mut Vec<Hit<'s>>) {
    hits.extend(found.into_iter().map(|hit| Hit { span: view.origin(hit.span), ..hit }));
}
