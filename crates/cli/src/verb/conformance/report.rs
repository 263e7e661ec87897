//! What is told of a run.

use std::{fmt::Write as _, time::Duration};

use memoseal_conformance::Case;
use serde_json::{Value, json};

use crate::{exit::printable, output};

/// How a case ended.
pub(super) struct Outcome {
    pub(super) case: Case,
    /// Why it failed, if it did.
    pub(super) failure: Option<String>,
    pub(super) time: Duration,
}

pub(super) struct Report {
    /// Where in the storage the cases ran.
    pub(super) folder: String,
    /// In the order of the suite.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) time: Duration,
    /// Why something is left in the storage, if it is.
    pub(super) left: Option<String>,
}

impl Report {
    pub(super) fn failed(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.failure.is_some()).count()
    }

    fn groups(&self) -> Vec<(&'static str, Vec<&Outcome>)> {
        let mut groups = Vec::<(&'static str, Vec<&Outcome>)>::new();
        for outcome in &self.outcomes {
            match groups.last_mut() {
                Some((group, outcomes)) if *group == outcome.case.group => outcomes.push(outcome),
                _ => groups.push((outcome.case.group, vec![outcome])),
            }
        }
        groups
    }

    /// What failed, and a table.
    pub(super) fn print(&self) -> anyhow::Result<()> {
        for outcome in &self.outcomes {
            if let Some(failure) = &outcome.failure {
                output::line(format_args!("FAILED {}\n  {}", outcome.case, printable(failure)))?;
            }
        }
        output::line(format_args!("{:<12} {:>7} {:>7} {:>9}", "group", "passed", "failed", "seconds"))?;
        for (group, outcomes) in self.groups() {
            self.row(group, &outcomes, outcomes.iter().map(|outcome| outcome.time).sum())?;
        }
        self.row("all", &self.outcomes.iter().collect::<Vec<_>>(), self.time)?;
        if let Some(error) = &self.left {
            output::line(format_args!("{} could not be removed: {}: remove it", self.folder, printable(error)))?;
        }
        Ok(())
    }

    fn row(&self, name: &str, outcomes: &[&Outcome], time: Duration) -> anyhow::Result<()> {
        let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
        output::line(format_args!("{name:<12} {:>7} {failed:>7} {:>9.1}", outcomes.len() - failed, time.as_secs_f64()))
    }

    pub(super) fn json(&self) -> Value {
        let cases: Vec<_> = self
            .outcomes
            .iter()
            .map(|outcome| {
                json!({ "group": outcome.case.group, "name": outcome.case.name, "passed": outcome.failure.is_none(),
                    "failure": outcome.failure, "seconds": outcome.time.as_secs_f64() })
            })
            .collect();
        json!({ "folder": self.folder, "passed": self.outcomes.len() - self.failed(), "failed": self.failed(),
            "seconds": self.time.as_secs_f64(), "left_behind": self.left, "cases": cases })
    }

    /// As most CI systems read it.
    pub(super) fn junit(&self) -> String {
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"memoseal conformance\" tests=\"{}\" \
             failures=\"{}\" time=\"{:.3}\">\n",
            self.outcomes.len(),
            self.failed(),
            self.time.as_secs_f64()
        );
        for (group, outcomes) in self.groups() {
            let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
            // Nothing that is written to a text fails.
            let _ = writeln!(xml, "  <testsuite name=\"{group}\" tests=\"{}\" failures=\"{failed}\">", outcomes.len());
            for outcome in outcomes {
                let (name, time) = (outcome.case.name, outcome.time.as_secs_f64());
                let _ = write!(xml, "    <testcase classname=\"memoseal.{group}\" name=\"{name}\" time=\"{time:.3}\"");
                let _ = match &outcome.failure {
                    None => writeln!(xml, "/>"),
                    Some(text) => writeln!(xml, ">\n      <failure message=\"{}\"/>\n    </testcase>", escaped(text)),
                };
            }
            xml.push_str("  </testsuite>\n");
        }
        xml.push_str("</testsuites>\n");
        xml
    }
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_text_leaves_its_attribute() {
        assert_eq!(escaped("a\"<b>&c\u{1b}\n"), "a&quot;&lt;b&gt;&amp;c\u{fffd}\u{fffd}");
    }
}
