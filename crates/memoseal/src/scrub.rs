//! Taking secrets and personal data out of what is written: `memoseal-scrub` as the engine's scrubber.

use std::{ops::Range, sync::Arc};

use memoseal_core::{
    path::MemoryPath,
    scrub::{self, Refusal, Scrub, Scrubbed},
};
pub use memoseal_scrub::{Allowed, Class, Error, Level, Mode, Policy, Rules, kinds};
use memoseal_scrub::{Finding, cuts_placeholder};
use serde_json::Value;

/// The scrubber of this crate. [`default_options`](crate::default_options) has one without rules of one's own.
#[derive(Debug, Default)]
pub struct Scrubber {
    rules: Option<Rules>,
}

impl Scrubber {
    /// One that obeys these rules too, in this process. They are no part of a store's policy.
    pub fn with_rules(rules: Rules) -> Self {
        Self { rules: Some(rules) }
    }
}

impl scrub::Scrubber for Scrubber {
    fn default_policy(&self) -> scrub::Policy {
        to_log(&Policy::secrets())
    }

    fn under(&self, policy: &scrub::Policy) -> Result<Arc<dyn Scrub>, String> {
        let policy = from_log(policy)?;
        let made = |policy| memoseal_scrub::Scrubber::with_rules(policy, self.rules.clone());
        let mut redacting = policy.clone();
        redacting.modes.values_mut().filter(|mode| **mode == Mode::Reject).for_each(|mode| *mode = Mode::Redact);
        let (by_policy, hiding) = (made(policy).map_err(text)?, made(redacting).map_err(text)?);
        Ok(Arc::new(Bound { by_policy, hiding }))
    }
}

/// A policy as a store's log holds it.
pub fn to_log(policy: &Policy) -> scrub::Policy {
    match serde_json::to_value(policy) {
        Ok(Value::Object(fields)) => scrub::Policy::new(fields),
        // It is an object, and there is nothing in it that JSON could not say.
        _ => scrub::Policy::new(serde_json::Map::new()),
    }
}

/// The policy that a store's log holds.
///
/// # Errors
/// What is not understood in it, and what to do.
pub fn from_log(policy: &scrub::Policy) -> Result<Policy, String> {
    serde_json::from_value(Value::Object(policy.fields().clone())).map_err(|error| {
        format!("reading the store's policy: {error}: update memoseal, or set another with `memoseal policy`")
    })
}

/// A policy, and the same where what it refuses is hidden instead.
#[derive(Debug)]
struct Bound {
    by_policy: memoseal_scrub::Scrubber,
    hiding: memoseal_scrub::Scrubber,
}

impl Scrub for Bound {
    fn text(&self, path: &MemoryPath, text: &str) -> Result<Option<Scrubbed>, Refusal> {
        let scrubbed = self.by_policy.scrub_file(text, Some(path.as_str())).map_err(refusal)?;
        if scrubbed.findings.is_empty() {
            return Ok(None);
        }
        let findings = scrubbed.findings.into_iter().map(finding).collect();
        Ok(Some(Scrubbed { text: scrubbed.text.into_owned(), findings }))
    }

    fn path(&self, path: &MemoryPath) -> Result<(), Refusal> {
        self.by_policy.check_path(path.as_str()).map_err(refusal)
    }

    fn hide(&self, text: &str) -> String {
        match self.hiding.scrub(text) {
            Ok(scrubbed) => scrubbed.text.into_owned(),
            Err(_) => "It cannot be told whether the answer holds a secret, so it is left out".into(),
        }
    }

    fn cuts_placeholder(&self, text: &str, range: Range<usize>) -> bool {
        cuts_placeholder(text, range)
    }
}

fn finding(found: Finding) -> scrub::Finding {
    scrub::Finding { kind: found.kind, rule: found.rule, line: found.line as u64 }
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Rejected(found) => Refusal::Found(found.into_iter().map(finding).collect()),
        Error::TooLarge { size, limit } => {
            Refusal::Undecided(format!("it has {size} bytes, and at most {limit} are looked at"))
        }
        Error::Undecided(why) => Refusal::Undecided(why),
        other => Refusal::Undecided(other.to_string()),
    }
}

fn text(error: Error) -> String {
    error.to_string()
}
