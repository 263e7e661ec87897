//! One object against another of the same name: which of them holds less, or whether they are no copies of each other.

use bytes::Bytes;
use memoseal_crypto::TOMBSTONE_LEN;

use crate::{
    codec,
    log::{names::Name, series},
};

/// What becomes of an object of the target.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// It is the same.
    Same,
    /// It holds less than that of the source, lawfully so if the target is an older copy.
    Less,
    /// It is overwritten with this.
    Overwrite(Bytes),
    /// Neither came from the other.
    Differs,
}

/// Compares the objects that the source and the target hold under `name`. `is_newest`: whether the source has no newer
/// generation of it.
pub(super) fn merge(name: &Name, is_newest: bool, source: &Bytes, target: &Bytes) -> Merge {
    if source == target {
        return Merge::Same;
    }
    match name {
        // Something else under the newest number was written there, not put in its place.
        Name::Header(_) | Name::Keyring { .. } if is_newest => Merge::Differs,
        Name::Header(_) | Name::Keyring { .. } => match (is_superseded(name, source), is_superseded(name, target)) {
            (true, _) => Merge::Overwrite(source.clone()),
            (false, true) => Merge::Less,
            (false, false) => Merge::Differs,
        },
        _ if source.is_empty() => Merge::Overwrite(Bytes::new()),
        _ if target.is_empty() => Merge::Less,
        Name::Log { name, .. } if !name.is_checkpoint => match codec::common(source, target) {
            Some(common) if common == target => Merge::Less,
            Some(common) => Merge::Overwrite(common),
            None => Merge::Differs,
        },
        // It may have been deleted and written anew; all of it follows from the log.
        Name::Log { .. } => Merge::Overwrite(source.clone()),
        Name::Block { .. } | Name::Clock => Merge::Differs,
    }
}

/// Whether this is what stands in place of a generation that is superseded, or of a user that was destroyed.
fn is_superseded(name: &Name, bytes: &Bytes) -> bool {
    series::is_stub(bytes) || (matches!(name, Name::Keyring { .. }) && bytes.len() == TOMBSTONE_LEN)
}
