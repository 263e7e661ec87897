//! Every state of the protocol.

use memoseal_simulation::protocol::{Variant, explore};

#[test]
fn the_protocol_is_right_in_every_state() {
    let explored = explore(Variant::Right, 4);
    println!("{} states", explored.states);
    assert_eq!(explored.violation, None);
    assert!(explored.states > 10_000, "{} states are too few to mean anything", explored.states);
}

#[test]
fn every_wrong_variant_is_found() {
    for variant in Variant::WRONG {
        let explored = explore(variant, 5);
        let (problem, trace) = explored.violation.unwrap_or_else(|| panic!("{variant:?} was not found"));
        println!("{variant:?}: {problem}, after {} steps, among {} states", trace.len(), explored.states);
    }
}
