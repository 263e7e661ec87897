//! Names in the bucket: keyed hashes, so that no user id, store name or path stands there in the clear.

use crate::encode::Fields;
use crate::{NameKey, mac};

/// Length of a keyed name, in bytes; in the bucket it is written as twice as many lowercase hex digits.
pub const NAME_LEN: usize = 16;

/// The name under which something stands in the bucket: HMAC-SHA-256 (RFC 2104) under the vault's name key, truncated to
/// 128 bits, over a label of ours, `label` and each of `parts`, all length-prefixed (u32 big-endian).
///
/// `label` says what kind of thing is named (`"user"`, `"store"`); different labels or differently split parts give
/// unrelated names. Each part must be shorter than 4 GiB.
#[must_use]
pub fn keyed_name(key: &NameKey, label: &str, parts: &[&[u8]]) -> [u8; NAME_LEN] {
    let fields = Fields::new("memoseal/v1 name").put(label.as_bytes());
    let message = parts.iter().fold(fields, |fields, part| fields.put(part)).finish();
    let full = mac::tag(key.expose(), &message);
    let mut name = [0; NAME_LEN];
    for (to, from) in name.iter_mut().zip(full) {
        *to = from;
    }
    name
}
