//! Values that documentation is full of and that open nothing: the default allowlist.

/// Keys that providers print in their documentation.
///
/// What is in parts is so for the sake of scanners that look at this file.
const SAMPLES: &[&[&str]] = &[
    // Amazon: every sample key ends so (see `ENDINGS`); Stripe's and Google's are these.
    &["sk_test_", "4eC39HqLyjWDarjtT1zdp7dc"],
    &["pk_test_", "TYooMQauvdEDq54NiTphI7jx"],
    &["AIza", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"],
];

/// How documented samples end, of Amazon's and others'.
const ENDINGS: &[&str] = &["EXAMPLE", "EXAMPLEKEY", "EXAMPLETOKEN"];

/// Whether a value is a documented sample.
pub(crate) fn is_sample(value: &str) -> bool {
    let is_listed = |parts: &&[&str]| {
        let mut rest = Some(value);
        for part in parts.iter() {
            rest = rest.and_then(|rest| rest.strip_prefix(part));
        }
        rest == Some("")
    };
    ENDINGS.iter().any(|ending| value.len() > ending.len() && value.ends_with(ending)) || SAMPLES.iter().any(is_listed)
}
