//! Every state of the protocol.

use memoseal_simulation::protocol::{Bounds, Variant, explore};

#[test]
fn the_protocol_is_right_in_every_state() {
    for bounds in [Bounds::COMMITS, Bounds::STRIPS] {
        let explored = explore(Variant::Right, bounds);
        println!("{bounds:?}: {} states", explored.states);
        assert_eq!(explored.violation, None);
        assert!(explored.states > 10_000, "{} states are too few to mean anything", explored.states);
    }
}

#[test]
fn every_wrong_variant_is_found() {
    for variant in Variant::WRONG {
        let bounds = match variant {
            Variant::StaleStrip | Variant::NoSecondLook | Variant::OldReads => Bounds::STRIPS,
            _ => Bounds::COMMITS,
        };
        let explored = explore(variant, bounds);
        let (problem, trace) = explored.violation.unwrap_or_else(|| panic!("{variant:?} was not found"));
        println!("{variant:?}: {problem}, after {} steps, among {} states", trace.len(), explored.states);
    }
}
