//! Why a text was not scrubbed.

use crate::Finding;

/// Why a text was not scrubbed, or a scrubber not made. No text of it ever holds a value that was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text holds a kind whose mode is [`Reject`](crate::Mode::Reject), or a path holds any kind.
    #[error("scrubbing the text: it holds {} and is refused: write it without", summary(.0))]
    Rejected(Vec<Finding>),
    /// The text has more bytes than the scrubber looks at.
    #[error("scrubbing the text: it has {size} bytes, and at most {limit} are looked at: write it in smaller files")]
    TooLarge {
        /// Bytes of the text.
        size: usize,
        /// Bytes that are looked at.
        limit: usize,
    },
    /// It could not be decided whether something must go.
    #[error("scrubbing the text: it cannot be decided whether it holds a secret, since {0}: simplify or split it")]
    Undecided(String),
    /// A rule file or a policy is wrong: which part of it, what is wrong, what to do.
    #[error("{0}")]
    Invalid(String),
}

/// The kinds and lines, as `aws-access-key (line 3)`.
fn summary(findings: &[Finding]) -> String {
    let named: Vec<String> = findings.iter().map(|found| format!("{} (line {})", found.kind, found.line)).collect();
    named.join(", ")
}
