//! Contents that were read or written lately.

use std::collections::HashMap;

use bytes::Bytes;

use crate::state::VersionId;

/// Keeps contents up to a number of bytes. When half of that is full, what was not asked for since goes.
#[derive(Debug)]
pub(super) struct Cache {
    half: usize,
    bytes: usize,
    young: HashMap<VersionId, Bytes>,
    old: HashMap<VersionId, Bytes>,
}

impl Cache {
    pub(super) fn new(bytes: usize) -> Self {
        Self { half: bytes / 2, bytes: 0, young: HashMap::new(), old: HashMap::new() }
    }

    pub(super) fn get(&mut self, version: VersionId) -> Option<Bytes> {
        if let Some(content) = self.young.get(&version) {
            return Some(content.clone());
        }
        let content = self.old.remove(&version)?;
        self.insert(version, content.clone());
        Some(content)
    }

    pub(super) fn insert(&mut self, version: VersionId, content: Bytes) {
        if content.len() > self.half {
            return;
        }
        if self.bytes + content.len() > self.half {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += content.len();
        if let Some(replaced) = self.young.insert(version, content) {
            self.bytes -= replaced.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes_in_bounded_space() {
        let mut cache = Cache::new(2000);
        let version = |seq| VersionId { seq, index: 0 };
        for seq in 0..1000 {
            cache.insert(version(seq), Bytes::from(vec![0; 100]));
            assert!(cache.get(version(0)).is_some(), "asked for all the time, {seq}");
            assert!(cache.young.len() + cache.old.len() <= 20);
        }
        assert!(cache.get(version(500)).is_none());
        cache.insert(version(2000), Bytes::from(vec![0; 1001]));
        assert!(cache.get(version(2000)).is_none(), "larger than half");
    }
}
