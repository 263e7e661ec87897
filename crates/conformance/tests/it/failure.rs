//! What a failure tells.

use memoseal_conformance::{Failure, check, check_eq};

fn of_a_check(value: u32) -> Result<(), Failure> {
    check!(value > 1);
    check!(value > 2, "{value} is not enough");
    check_eq!(value, 3);
    check_eq!(value, 4, "the value of {}", "it");
    Ok(())
}

fn of_an_error() -> Result<u32, Failure> {
    Ok("four".parse::<u32>()?)
}

#[test]
fn a_failure_tells_what_and_where() {
    for (value, message, line) in [
        (1, "does not hold: value > 1", 6),
        (2, "2 is not enough", 7),
        (4, "value: found 4, expected 3", 8),
        (3, "the value of it: found 3, expected 4", 9),
    ] {
        let failure = of_a_check(value).unwrap_err();
        assert_eq!((failure.message(), failure.location().line()), (message, line));
        assert!(failure.location().file().ends_with("failure.rs"));
    }
    let failure = of_an_error().unwrap_err();
    assert_eq!((failure.message(), failure.location().line()), ("invalid digit found in string", 14));
    assert!(format!("{failure:?}").ends_with("failure.rs:14)"), "{failure:?}");
}

#[test]
fn a_failure_is_short_also_about_large_objects() {
    fn compare() -> Result<(), Failure> {
        check_eq!(bytes::Bytes::from(vec![0; 100_000]), "");
        Ok(())
    }
    let failure = compare().unwrap_err();
    assert!(failure.message().len() < 1_000);
}
