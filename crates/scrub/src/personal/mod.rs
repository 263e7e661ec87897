//! Personal data, by shape and by checksum.

mod email;

use crate::{Mode, Scrubber, hit::Hit};

/// Finds personal data of the kinds that are on.
pub(crate) fn find<'s>(scrubber: &'s Scrubber, text: &[u8], hits: &mut Vec<Hit<'s>>) {
    if scrubber.mode("email") != Mode::Off {
        email::find(text, scrubber.policy().no_default_allowlist, hits);
    }
}
