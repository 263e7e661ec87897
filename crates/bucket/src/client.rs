//! Two clients over one place: one that sends a create once, one that tries the rest again.

use std::sync::Arc;

use memoseal_core::Backend;
use object_store::{ObjectStore, RetryConfig};

use crate::{Error, Location, Settings};

/// Builds both clients of a [`Backend`] at `location`. `build` is called twice: with retries, then without, and then with
/// the store that came of the first call, so that the second shares its credentials: they are fetched once, and with
/// retries.
///
/// # Errors
///
/// What `refused` makes of an error, if the client library refuses the settings.
pub fn two_clients<S: ObjectStore>(
    location: &Location,
    settings: &Settings,
    refused: impl Fn(object_store::Error) -> Error,
    build: impl Fn(RetryConfig, Option<&S>) -> object_store::Result<S>,
) -> Result<Backend, Error> {
    let rest = build(settings.retry(), None).map_err(&refused)?;
    let creates = build(settings.no_retries(), Some(&rest)).map_err(&refused)?;
    Ok(Backend::new(Arc::new(creates), Arc::new(rest)).with_prefix(location.prefix().clone()))
}
