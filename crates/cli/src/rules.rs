//! Rules of one's own for scrubbing: one file for all that this process writes.

use std::fs;

use memoseal::{
    Error,
    scrub::{Rules, kinds},
};

use crate::args::Common;

/// The rules that the option, the variable or a file of settings names.
pub(crate) fn read(common: &Common) -> Result<Option<Rules>, Error> {
    let Some(file) = common.rules.as_deref().filter(|file| !file.is_empty()) else { return Ok(None) };
    let text = fs::read_to_string(file).map_err(|error| {
        Error::Invalid(format!("cannot read the rules in {file}: {error}: name a file that you may read"))
    })?;
    let rules =
        Rules::parse(&text).map_err(|error| Error::Invalid(format!("cannot use the rules in {file}: {error}")))?;
    Ok(Some(rules))
}

/// Refuses to leave alone a kind that nobody knows: mistyped, it would be taken out.
pub(crate) fn check_off(off: &[String], rules: Option<&Rules>) -> Result<(), Error> {
    let known = kinds();
    let is_known = |kind: &String| {
        known.iter().any(|(name, _)| name == kind) || rules.is_some_and(|rules| rules.kinds().any(|name| name == kind))
    };
    match off.iter().find(|kind| !is_known(kind)) {
        None => Ok(()),
        Some(kind) => Err(Error::Invalid(format!("there is no kind {kind}: choose one of `memoseal scrub --kinds`"))),
    }
}
