//! What a checkpoint's header holds of the store itself: retention, expiry, redactions. All of it may be left out.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{base64::Base64, header::VersionText};
use crate::scrub::Policy;
use crate::state::{Ledger, MemoryId, Pending, Retention, Skipped, State};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoreFields {
    /// How long versions are kept, where that is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retention: Option<Keep>,
    /// What is taken out of what is written, where the log says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scrub: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    expired: u64,
    /// The newest commit that removed something.
    #[serde(default, skip_serializing_if = "is_zero")]
    removal: u64,
    /// Each redacted version, and the change that redacted it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<(VersionText, VersionText)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pending: Vec<PendingFields>,
    /// Memories whose last change was skipped: memory, that change, when the memory was created, the last day on which
    /// it was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<(Base64<16>, VersionText, i64, u32)>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Keep {
    /// Left out for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    days: Option<u32>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PendingFields {
    ver: VersionText,
    #[serde(default, skip_serializing_if = "is_false")]
    content: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    twice: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clean: Option<i64>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

impl StoreFields {
    pub(crate) fn of(state: &State) -> Self {
        let ledger = state.ledger();
        let pending = ledger.pending.iter().map(|(id, pending)| PendingFields {
            ver: VersionText(*id),
            content: pending.content,
            twice: pending.twice,
            clean: pending.clean_ms,
        });
        let mut skipped: Vec<_> = state.skipped().collect();
        skipped.sort_unstable_by_key(|(id, _)| *id);
        let skipped =
            skipped.into_iter().map(|(id, of)| (Base64(id.0), VersionText(of.version), of.born_ms, of.used_day));
        Self {
            retention: (ledger.retention != Retention::default()).then(|| Keep { days: ledger.retention.days() }),
            scrub: ledger.scrub.as_ref().map(|policy| policy.fields().clone()),
            expired: ledger.expired,
            removal: ledger.newest_removal,
            redacted: ledger.redacted.iter().map(|(id, by)| (VersionText(*id), VersionText(*by))).collect(),
            pending: pending.collect(),
            skipped: skipped.collect(),
        }
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn into_parts(self) -> (Ledger, HashMap<MemoryId, Skipped>) {
        let pending = self.pending.into_iter().map(|fields| {
            let (content, twice, clean_ms) = (fields.content, fields.twice, fields.clean);
            (fields.ver.0, Pending { content, twice, clean_ms })
        });
        let ledger = Ledger {
            retention: self.retention.map_or_else(Retention::default, |keep| Retention::of_days(keep.days)),
            scrub: self.scrub.map(Policy::new),
            expired: self.expired,
            redacted: self.redacted.into_iter().map(|(id, by)| (id.0, by.0)).collect(),
            pending: pending.collect(),
            newest_removal: self.removal,
            // No checkpoint is written of a log that has ended.
            closed: None,
        };
        let skipped = self.skipped.into_iter().map(|(id, version, born_ms, used_day)| {
            (MemoryId(id.0), Skipped { version: version.0, born_ms, used_day })
        });
        (ledger, skipped.collect())
    }
}
