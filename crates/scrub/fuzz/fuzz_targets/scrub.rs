//! Any text is clean after one scrub, with its lines as they were: `cargo +nightly fuzz run scrub` in `crates/scrub`.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use memoseal_scrub::{Error, Mode, Policy, Scrubber, kinds};

static EVERYTHING: LazyLock<Scrubber> = LazyLock::new(|| {
    let policy = Policy { no_default_allowlist: true, ..Policy::all() };
    let policy = kinds().iter().fold(policy, |policy, (kind, _)| policy.with_mode(kind, Mode::Redact));
    Scrubber::new(policy).expect("every kind exists")
});

fuzz_target!(|text: &str| {
    let scrubbed = match EVERYTHING.scrub(text) {
        Ok(scrubbed) => scrubbed,
        // Who nests more than the scrubber follows is refused.
        Err(Error::Undecided(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let again = EVERYTHING.scrub(&scrubbed.text).expect("a clean text is decided");
    assert_eq!(again.text, scrubbed.text, "scrubbing twice changes nothing");
    assert_eq!(text.matches('\n').count(), scrubbed.text.matches('\n').count(), "lines stay");
    for found in &scrubbed.findings {
        assert!(text.get(found.start..found.end).is_some_and(|value| !value.is_empty()), "{found:?}");
    }
});
