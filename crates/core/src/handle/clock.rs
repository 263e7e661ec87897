//! The store's own clock: the time that it gives to an object when it is written. What is old is told by it alone, never by
//! the clock of a machine.

use bytes::Bytes;
use object_store::ObjectStoreExt;

use super::Vault;
use crate::{
    Error, Result,
    log::{in_time, names},
};

/// What lies in the object whose time tells the store's clock.
const CLOCK: &[u8] = b"memoseal\n";

impl Vault {
    /// The time by the store's own clock. Two requests.
    pub(super) async fn clock(&self) -> Result<i64> {
        let (limit, path) = (self.patience().read, names::clock(self.prefix()));
        let store = self.backend().rest();
        let failed = |error| Error::backend("cannot read the store's clock", error);
        in_time(limit, store.put(&path, Bytes::from_static(CLOCK).into())).await.map_err(failed)?;
        let found = in_time(limit, store.head(&path)).await.map_err(failed)?;
        Ok(found.last_modified.timestamp_millis())
    }
}
