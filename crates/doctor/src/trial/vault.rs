//! Whether a vault is there already.

use futures_util::TryStreamExt;
use object_store::ObjectStore;
use serde_json::Value;

use super::{Trial, failed};
use crate::Check;

const NAME: &str = "vault";

/// The largest header, in bytes.
const MAX_HEADER: u64 = 64 * 1024;

impl Trial {
    pub(super) async fn vault(&self) -> Check {
        let folder = self.backend.prefix().clone().join("vault");
        let newest = match self.backend.rest().list(Some(&folder)).try_next().await {
            Ok(None) => return Check::good(NAME, "none is here yet"),
            Ok(Some(newest)) => newest,
            Err(error) => return failed(NAME, "list where its header would be", &error),
        };
        if newest.size > MAX_HEADER {
            return strange();
        }
        let header = match self.get(&newest.location).await {
            Ok(header) => header,
            Err(error) => return failed(NAME, "read its header", &error),
        };
        let first = header.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let Ok(text) = serde_json::from_slice::<Value>(first) else { return strange() };
        let (Some("vault"), Some(id)) = (text["memoseal"].as_str(), text["vault"].as_str()) else { return strange() };
        let kinds = text["slots"].as_array().into_iter().flatten().filter_map(|slot| slot["type"].as_str());
        let kinds: Vec<_> = kinds.map(shown).collect();
        Check::good(
            NAME,
            format!(
                "one is here: {}, header {}, slots: {} (not opened; `memoseal verify` looks into it)",
                shown(id),
                text["generation"],
                kinds.join(", ")
            ),
        )
    }
}

fn strange() -> Check {
    Check::danger(
        NAME,
        "something lies where a vault's header would be, and it is none",
        "choose another prefix, or put the header back from a backup",
    )
}

/// Nothing here is authentic yet: what is no plain word is not shown.
fn shown(text: &str) -> String {
    let is_plain = text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain { text.to_owned() } else { "…".to_owned() }
}
