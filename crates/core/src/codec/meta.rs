//! The meta section of a change: the whole post-image of its memory but for the content. JSON before it is sealed.

use serde::{Deserialize, Serialize};

use super::{base64::Base64, header::VersionText};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    /// The path, without the tool's prefix.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) sha256: Base64<32>,
    /// The version whose content section holds the content; left out where that is this very change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<VersionText>,
}
