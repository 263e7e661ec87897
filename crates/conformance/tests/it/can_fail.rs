//! Each case fails on a store that breaks what the case is about.

use std::{collections::BTreeSet, sync::Arc};

use memoseal_conformance::{Failure, Place, cases, run};
use memoseal_core::Backend;
use memoseal_testkit::{FaultStore, On, Op, errors};
use object_store::{ObjectStore, memory::InMemory};

use crate::broken::{Broken, How};

/// A way to make broken backends.
enum Breakage {
    /// Memory that does this wrong.
    Does(How),
    /// Memory behind a fault that is always there.
    Has(Op, fn(On<'_>)),
    /// Two clients that do not lead to the same place.
    Apart,
}

#[async_trait::async_trait]
impl Place for Breakage {
    async fn fresh(&self) -> Result<Backend, Failure> {
        let memory = || Arc::new(InMemory::new()) as Arc<dyn ObjectStore>;
        Ok(match self {
            Self::Does(how) => Backend::single(Broken::store(*how)),
            Self::Has(op, fault) => {
                let store = FaultStore::new(memory());
                fault(store.on(*op).always());
                Backend::single(Arc::new(store))
            }
            Self::Apart => Backend::new(memory(), memory()),
        })
    }
}

/// Cases, each with what it fails on, and a part of what it then says.
fn table() -> Vec<(&'static str, Breakage, &'static str)> {
    use Breakage::{Apart, Does, Has};
    const IGNORED: Breakage = Has(Op::PutCreate, |on| on.ignore_mode());
    const FORBIDDEN: Breakage = Has(Op::PutCreate, |on| on.fail_before(errors::permission_denied()));
    vec![
        ("create_raced_by_sixteen_is_won_by_one", IGNORED, "16 creators were told that they won"),
        (
            "create_raced_by_sixteen_is_won_by_one",
            Has(Op::PutCreate, |on| on.land_then_fail(errors::already_exists())),
            "0 creators were told that they won",
        ),
        ("create_raced_by_sixteen_is_won_by_one", Does(How::RefusesAndWrites), "not the winner's bytes"),
        ("create_raced_by_sixteen_is_won_by_one", Does(How::RefusesWithoutReason), "got another error"),
        ("create_of_an_existing_object_is_refused", IGNORED, "a second create of created succeeded"),
        ("create_of_an_existing_object_is_refused", Does(How::RefusesAndWrites), "after a create that was refused"),
        ("create_of_an_existing_object_is_refused", Does(How::RefusesWithoutReason), "got another error"),
        ("overwrite_replaces", Does(How::KeepsOld), "not the 6000 bytes that were put last"),
        ("overwrite_replaces", Does(How::KeepsTail), "bytes that were put last"),
        ("overwrite_replaces", Has(Op::PutOverwrite, |on| on.fail_before(errors::precondition())), "precondition"),
        ("an_overwrite_is_never_seen_by_halves", Does(How::KeepsTail), "something else"),
        ("an_empty_object_is_an_object", Does(How::DropsEmpty), "not found"),
        ("an_empty_object_is_an_object", IGNORED, "created a second time"),
        ("a_large_object_comes_back_whole", Does(How::CutsLarge), "came back changed"),
        (
            "a_large_object_comes_back_whole",
            Has(Op::Get, |on| on.corrupt(|bytes| bytes.slice(..bytes.len().min(5 << 20)))),
            "came back changed",
        ),
        ("a_missing_object_is_not_found", Does(How::EmptyForMissing), "a GET of a missing object succeeded"),
        ("a_missing_object_is_not_found", Has(Op::Get, |on| on.not_found_as_403()), "got another error"),
        ("a_missing_object_is_not_found", Has(Op::Head, |on| on.not_found_as_403()), "a HEAD"),
        ("ranges_are_exact", Does(How::ShortRanges), "range of the head"),
        ("ranges_are_exact", Does(How::IgnoresRanges), "range of the head"),
        (
            "ranges_are_exact",
            Has(Op::Get, |on| on.corrupt(|bytes| bytes.iter().rev().copied().collect())),
            "wrong bytes in the head",
        ),
        ("a_range_beyond_the_end_is_an_error", Does(How::ClampsRanges), "of 1000 bytes was answered"),
        ("a_range_beyond_the_end_is_an_error", Does(How::IgnoresRanges), "of 1000 bytes was answered"),
        (
            "a_range_beyond_the_end_is_an_error",
            Has(Op::Get, |on| on.fail_before(errors::not_found())),
            "as if the object were missing",
        ),
        ("a_deleted_object_is_gone", Does(How::KeepsDeleted), "a deleted object was read"),
        ("a_deleted_object_is_gone", Does(How::DeletesTooMuch), "names after a delete"),
        ("a_deleted_object_is_gone", Has(Op::List, |on| on.extra("log/ffe")), "names after a delete"),
        ("delete_of_a_missing_object_is_harmless", Does(How::FailsForMissing), "which is missing"),
        ("delete_of_a_missing_object_is_harmless", Does(How::DeletesTooMuch), "not found"),
        ("names_of_the_format_come_back", Does(How::EncodesPoints), "all names"),
        ("long_and_deep_names_come_back", Does(How::CutsNames), "already exists"),
        ("eleven_hundred_names_are_listed_newest_first", Has(Op::List, |on| on.unordered(1)), "out of order"),
        ("eleven_hundred_names_are_listed_newest_first", Has(Op::List, |on| on.doubled()), "out of order"),
        (
            "eleven_hundred_names_are_listed_newest_first",
            Has(Op::List, |on| on.missing("log/ffffffffffffe/ed6")),
            "how many names",
        ),
        ("eleven_hundred_names_are_listed_newest_first", Has(Op::List, |on| on.extra("log/0/0")), "how many names"),
        ("eleven_hundred_names_are_listed_newest_first", Does(How::OnePage), "found 1000, expected 1100"),
        ("eleven_hundred_names_are_listed_newest_first", Does(How::IgnoresOffset), "listed from the offset"),
        ("a_listing_begins_after_its_offset", Does(How::IgnoresOffset), "names after log"),
        ("a_listing_begins_after_its_offset", Does(How::IncludesOffset), "names below log after log/1/a"),
        ("a_listing_keeps_to_its_prefix", Does(How::PrefixOfString), "log-x/1"),
        ("a_listing_keeps_to_its_prefix", Does(How::IgnoresPrefix), "lo/1"),
        ("a_listing_is_in_byte_order", Does(How::OrdersSegments), "expected"),
        ("a_listing_is_in_byte_order", Does(How::IgnoresCase), "expected"),
        ("a_listing_of_nothing_is_empty", Does(How::FailsForNothing), "for no reason"),
        ("a_listing_of_nothing_is_empty", Has(Op::List, |on| on.extra("log")), "of an empty place"),
        ("a_listing_tells_sizes", Does(How::NoSizes), "expected [0, 1, 10, 100000]"),
        ("a_listing_tells_sizes", Does(How::KeepsOld), "expected [0, 1, 10, 100000]"),
        ("a_second_client_sees_every_write", Apart, "not found"),
        ("a_second_client_sees_every_write", Does(How::KeepsOld), "round 0"),
        ("a_403_for_a_missing_object_changes_nothing_else", IGNORED, "a second create succeeded"),
        ("a_403_for_a_missing_object_changes_nothing_else", FORBIDDEN, "lacked the necessary privileges"),
        ("a_403_for_a_missing_object_changes_nothing_else", Does(How::EmptyForMissing), "not answered with 403"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_fails_on_a_store_that_is_broken_for_it() {
    for (name, breakage, says) in table() {
        let what = match &breakage {
            Breakage::Does(how) => format!("{name} on {how:?}"),
            Breakage::Has(op, _) => format!("{name} with a fault of {op:?}, to say {says:?}"),
            Breakage::Apart => format!("{name} on two places"),
        };
        match run("objects", name, &breakage).await {
            Ok(()) => panic!("{what} passes"),
            Err(failure) => assert!(failure.message().contains(says), "{what} says {failure}"),
        }
    }
}

#[test]
fn no_case_of_this_group_is_left_out_of_the_table() {
    let broken: BTreeSet<_> = table().into_iter().map(|(name, ..)| name).collect();
    let all: BTreeSet<_> = cases().iter().filter(|case| case.group == "objects").map(|case| case.name).collect();
    assert_eq!(broken, all);
}

#[tokio::test]
async fn a_case_that_does_not_exist_fails() {
    let failure = run("objects", "no_such_case", &Breakage::Apart).await.unwrap_err();
    assert_eq!(failure.message(), "there is no case objects::no_such_case");
}

#[test]
fn names_are_unique() {
    let cases = cases();
    let names: BTreeSet<_> = cases.iter().map(|case| case.to_string()).collect();
    assert_eq!(names.len(), cases.len());
}
