//! The simulation finds every bug that is planted: it can fail.

use memoseal_core::simulation::Planted;
use memoseal_simulation::run;

/// Finds `bug` within so many seeds.
fn find(bug: Planted, seeds: u64) {
    let found = (0..seeds).find(|seed| !run(*seed, Some(bug)).violations.is_empty());
    assert!(found.is_some(), "{bug:?} was not found in {seeds} seeds");
    let found = found.unwrap_or_default();
    assert!(run(found, None).violations.is_empty(), "seed {found} is wrong without {bug:?} too");
}

macro_rules! finds {
    ($($test:ident: $bug:ident within $seeds:literal;)*) => {
        $(#[test]
        fn $test() {
            find(Planted::$bug, $seeds);
        })*

        #[test]
        fn every_bug_has_its_test() {
            let tested = [$(Planted::$bug),*];
            assert!(Planted::ALL.iter().all(|bug| tested.contains(bug)));
        }
    };
}

finds! {
    freed_names_are_found: FreedNames within 3_000;
    blind_retries_are_found: BlindRetry within 200;
    changes_that_do_not_run_again_are_found: NoRerun within 200;
    creates_called_lost_are_found: FailedMeansLost within 200;
    creates_called_landed_are_found: FailedMeansLanded within 200;
    reading_back_whole_bytes_is_found: WholeReadBack within 3_000;
    strips_that_bring_back_are_found: NoSecondLook within 3_000;
    checkpoints_that_bring_back_are_found: LateCheckpoint within 400;
    errors_that_leave_early_are_found: EarlyErrors within 400;
    no_ops_of_a_stale_state_are_found: StaleNoOp within 300;
    views_of_a_stale_state_are_found: StaleView within 300;
    logs_that_are_not_ended_are_found: OpenEnd within 3_000;
    keyrings_that_stay_are_found: KeptKeyrings within 400;
}
