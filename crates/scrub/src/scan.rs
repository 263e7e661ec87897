//! One look at a text.

use crate::{
    Error, Mode, Scrubber,
    detect::Detector,
    hit::Hit,
    personal,
    rules::{self, Target},
    text,
};

/// A look at a text, or at a view of it, for one scrubber.
pub(crate) struct Scan<'s, 'a> {
    pub(crate) scrubber: &'s Scrubber,
    pub(crate) path: Option<&'a str>,
}

impl<'s> Scan<'s, '_> {
    /// What the policy wants to be gone.
    pub(crate) fn run(&self, text: &str) -> Result<Vec<Hit<'s>>, Error> {
        let mut hits = Vec::new();
        self.look(text.as_bytes(), &mut hits)?;
        hits.retain(|hit| self.scrubber.mode(hit.kind) != Mode::Off);
        Ok(hits)
    }

    fn look(&self, text: &[u8], hits: &mut Vec<Hit<'s>>) -> Result<(), Error> {
        let ours = rules::default_rules()?;
        let mut seen = vec![0; ours.len()];
        // Up to where names were looked at.
        let mut named = 0;
        ours.keywords(text, |target, start, end| match target {
            // A rule looks at a line once.
            Target::Rule(index) if start < seen[index] => Ok(()),
            Target::Rule(index) => {
                let window = text::window(text, start..end);
                seen[index] = window.end;
                ours.find(index, text, window, self.path, hits)
            }
            Target::Detector(Detector::Assignment) if start < named => Ok(()),
            Target::Detector(detector) => {
                let end = detector.find(text, start..end, hits);
                if detector == Detector::Assignment {
                    named = end;
                }
                Ok(())
            }
        })?;
        if let Some(rules) = self.scrubber.rules() {
            rules.set().find_anywhere(text, self.path, hits)?;
        }
        personal::find(self.scrubber, text, hits);
        Ok(())
    }
}
