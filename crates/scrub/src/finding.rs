//! What was found, without its value.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Something that was found. It never holds the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is, as it stands in the placeholder: `github-token`.
    pub kind: String,
    /// The rule or detector that found it.
    pub rule: String,
    /// The line on which it starts, counted from 1; the lines of the result are the same.
    pub line: usize,
    /// Where it starts in the text as it was given, in UTF-8 bytes.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
}

/// A text without what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed<'a> {
    /// The text with placeholders; borrowed if nothing was found. It has as many lines as before.
    pub text: Cow<'a, str>,
    /// What was taken out, in the order of the text.
    pub findings: Vec<Finding>,
}
