//! How listings are falsified.

use object_store::{ObjectMeta, path::Path};

/// A change to a listing.
#[derive(Clone)]
pub(super) enum Falsify {
    Shuffle(u64),
    Double,
    Remove(Path),
    Insert(Path),
    Truncate(usize),
}

impl Falsify {
    pub(super) fn apply(&self, entries: &mut Vec<ObjectMeta>) {
        match self {
            Self::Shuffle(seed) => shuffle(entries, *seed),
            Self::Double => *entries = entries.drain(..).flat_map(|entry| [entry.clone(), entry]).collect(),
            Self::Remove(path) => entries.retain(|entry| entry.location != *path),
            Self::Insert(path) => {
                let at = entries.partition_point(|entry| entry.location < *path);
                entries.insert(at, empty(path));
            }
            Self::Truncate(length) => entries.truncate(*length),
        }
    }
}

fn empty(path: &Path) -> ObjectMeta {
    let last_modified = std::time::UNIX_EPOCH.into();
    ObjectMeta { location: path.clone(), last_modified, size: 0, e_tag: None, version: None }
}

/// Fisher and Yates, with the numbers of SplitMix64. Two entries or more never stay as they were.
fn shuffle(entries: &mut [ObjectMeta], seed: u64) {
    let before: Vec<Path> = entries.iter().map(|entry| entry.location.clone()).collect();
    let mut state = seed;
    for at in (1..entries.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = state;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^= number >> 31;
        let with = number % (at as u64 + 1);
        entries.swap(at, with as usize);
    }
    if entries.iter().map(|entry| &entry.location).eq(&before) && !entries.is_empty() {
        entries.rotate_left(1);
    }
}
