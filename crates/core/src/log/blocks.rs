//! Blocks of history in the bucket.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{Created, Log, New, Objects, create, names, read};
use crate::{
    Error, Result,
    codec::{Block, MAX_BLOCK, StoreKeys},
    env::Env,
};

impl Log {
    /// The bytes of block `number`, or nothing if there is no such block. One request.
    pub(crate) async fn block_bytes(&self, number: u64) -> Result<Option<Bytes>> {
        let path = names::block(&names::history(&self.place), number);
        read(&self.backend, self.patience.read, &path, MAX_BLOCK, &what(number)).await
    }

    /// Block `number`, or nothing if there is none. The caller compares its chain value with the log. One request.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is not as it was written.
    pub(crate) async fn block(&self, keys: &StoreKeys, number: u64) -> Result<Option<(Block, usize)>> {
        let Some(bytes) = self.block_bytes(number).await? else { return Ok(None) };
        Ok(Some((Block::open(keys, number, &bytes)?, bytes.len())))
    }

    /// Writes a block, unless there is one already: any writer's has the same bytes.
    ///
    /// # Errors
    /// [`Error::Damaged`] if something else lies there; as [`create`].
    pub(crate) async fn create_block(&self, env: &Env, number: u64, bytes: &Bytes) -> Result<()> {
        let (path, what) = (names::block(&names::history(&self.place), number), what(number));
        let new = New { path: &path, bytes, max: MAX_BLOCK, what: &what };
        match create(&self.backend, env, &self.patience, new, |there| there == bytes).await? {
            Created::Ours => Ok(()),
            Created::Theirs(_) => Err(Error::damaged(what, "something else lies there")),
        }
    }

    /// The numbers of all blocks. One request for each 1,000.
    pub(crate) async fn blocks(&self) -> Result<BTreeSet<u64>> {
        let place = names::history(&self.place);
        let mut objects = Objects::below(&self.backend, &self.patience, &place);
        let mut numbers = BTreeSet::new();
        while let Some(found) = objects.next_in_order().await? {
            numbers.extend(names::parse_generation(&place, &found.location));
        }
        Ok(numbers)
    }
}

fn what(number: u64) -> String {
    format!("block {number} of the history")
}
