//! The contents of many files of a store, read side by side.

use std::{collections::VecDeque, vec};

use memoseal::{Error, Store, core::state::Memory};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;

/// How many are read at once.
const SIDE_BY_SIDE: usize = 16;

type Reading = JoinHandle<Result<Vec<u8>, Error>>;

/// The contents of memories as they were listed, in that order, whatever is changed meanwhile.
pub(crate) struct Contents<'a> {
    store: &'a Store,
    rest: vec::IntoIter<Memory>,
    reading: VecDeque<(Memory, Reading)>,
}

impl<'a> Contents<'a> {
    pub(crate) fn of(store: &'a Store, memories: Vec<Memory>) -> Self {
        Self { store, rest: memories.into_iter(), reading: VecDeque::new() }
    }

    /// The next memory and what it held; nothing after the last.
    pub(crate) async fn next(&mut self) -> Option<(Memory, Result<Vec<u8>, Error>)> {
        while self.reading.len() < SIDE_BY_SIDE
            && let Some(memory) = self.rest.next()
        {
            let reading = tokio::spawn(read(self.store.clone(), memory.clone()));
            self.reading.push_back((memory, reading));
        }
        let (memory, reading) = self.reading.pop_front()?;
        let broken = |error| Err(Error::Invalid(format!("reading {} broke off: {error}: try again", memory.path)));
        let content = reading.await.unwrap_or_else(broken);
        Some((memory, content))
    }
}

async fn read(store: Store, memory: Memory) -> Result<Vec<u8>, Error> {
    let content = match store.read(&memory.path.to_string()).await {
        Ok(content) if holds(&memory, &content) => content,
        // Something else stands there by now; the version that was listed is in the log.
        Ok(_) | Err(Error::NotFound { .. } | Error::Invalid(_)) => store.read_version(memory.version).await?,
        Err(error) => return Err(error),
    };
    Ok(content.to_vec())
}

/// Whether this is what `memory` holds.
pub(crate) fn holds(memory: &Memory, content: &[u8]) -> bool {
    memory.size == content.len() as u64 && Sha256::digest(content).as_slice() == memory.sha256
}
