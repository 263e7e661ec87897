//! Places where a secret stands, whatever it looks like.

mod pem;

use std::ops::Range;

use crate::hit::Hit;

/// A detector, which runs where a keyword of it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    Pem,
}

impl Detector {
    /// Each keyword, in lower case, and whose it is.
    pub(crate) const KEYWORDS: &[(&str, Self)] = &[("-----begin", Self::Pem)];

    /// Reports what stands at a keyword.
    pub(crate) fn find(self, text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) {
        match self {
            Self::Pem => pem::find(text, at, hits),
        }
    }
}
