//! What was redacted or expired: gone where it was asked for, and nowhere else.

use memoseal_core::{Operation, state::VersionId};

use super::Case;
use crate::record::{Ask, Failure, Told};

pub(super) fn check(case: &Case<'_>, violations: &mut Vec<String>) {
    for op in &case.world.ops {
        let (Ask::ReadVersion(id), Some((told_at, Told::Bytes(told)))) = (&op.ask, &op.told) else { continue };
        let Some(entry) = case.ledger.versions.get(id) else { continue };
        let content = entry.seen.content.as_deref().map(str::as_bytes);
        let is_right = match told {
            Ok(bytes) => content == Some(bytes) && !was_redacted(case, *id, op.asked),
            Err(Failure::Missing) => entry.seen.operation == Operation::Deleted || may_be_gone(case, *id, *told_at),
            Err(_) => true,
        };
        if !is_right {
            violations.push(format!("{} asked for version {id} and was told {told:?}", op.actor));
        }
    }
}

/// Whether somebody had been told before `event` that this version is redacted.
pub(super) fn was_redacted(case: &Case<'_>, id: VersionId, event: u64) -> bool {
    case.world.ops.iter().any(|op| {
        matches!(&op.ask, Ask::Redact(versions) if versions.contains(&id))
            && matches!(op.told, Some((at, Told::Done(Ok(())))) if at < event)
    })
}

/// Whether this version may be gone by then: somebody has asked for it, or for maintenance when it may be too old.
pub(super) fn may_be_gone(case: &Case<'_>, id: VersionId, event: u64) -> bool {
    let asked = case
        .world
        .ops
        .iter()
        .any(|op| matches!(&op.ask, Ask::Redact(versions) if versions.contains(&id)) && op.asked < event);
    let retained = case
        .world
        .ops
        .iter()
        .any(|op| matches!(&op.ask, Ask::Retain(retention) if retention.days() == Some(0)) && op.asked < event);
    let is_replaced = case.ledger.versions.get(&id).is_some_and(|entry| entry.next.is_some());
    asked || (retained && is_replaced)
}
