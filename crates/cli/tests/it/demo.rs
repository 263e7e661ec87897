//! `memoseal demo` needs nothing and leaves nothing.

use std::fs;

use crate::support::*;

#[test]
fn the_demo_runs_without_a_vault_or_a_key_and_cleans_up() {
    let place = Place::empty();
    let shown = Ended::of(bare().env("TMPDIR", place.path()).env("HOME", place.path()).arg("demo")).ok();
    for expected in ["> rename ", "Successfully renamed", "none stands in any name or byte", "does not open"] {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    #[cfg(feature = "scrub")]
    assert!(shown.contains("1 value was taken out before this was saved: url-password (line 1)"), "{shown}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}
