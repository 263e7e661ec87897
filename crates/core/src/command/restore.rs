//! `restore`: an earlier version of a memory is brought back, as a new version with a content of its own.
//!
//! Without a version named, that is the one before the last change: an edit, a move or a deletion is undone.

use super::{
    Edit, Outcome, Reply, Restore, Restored,
    context::{Context, Step, Stop, fail, tool_path},
    kind::{Kind, kind},
    text,
    write::holds,
};
use crate::{
    history::{Operation, Version},
    path::ToolPath,
    state::{Memory, VersionId},
};

pub(super) fn restore(context: &Context<'_>, restore: &Restore) -> Step<Outcome> {
    let path = restore.path.as_deref().map(tool_path).transpose()?;
    let to = restore.to.as_deref().map(tool_path).transpose()?;
    let version = match (restore.version, &path) {
        (Some(id), _) => version(context, id)?,
        (None, Some(path)) => before_the_last_change(context, path)?,
        (None, None) => return fail(text::nothing_named()),
    };
    if let Some(path) = &path
        && !belongs(context, &version, path)
    {
        return fail(text::version_of_another(version.id, path));
    }
    let past = whole(&version)?;
    let target = match &to {
        Some(to) => to.clone(),
        None => tool_path(&past.path.to_string())?,
    };
    // A memory that stands elsewhere by now goes back to where it was, unless the content is wanted at a named place.
    let standing = context.tree.get_id(version.memory);
    let moving = standing.filter(|memory| to.is_none() && memory.path != *target.resolved());
    check_place(context, &target, moving.map(|memory| &**memory))?;

    if past.path != *target.resolved() || context.file(target.resolved()).is_none() {
        context.check_path(target.resolved())?;
    }
    let (content, found) = context.scrubbed_content(target.resolved(), context.content(&past)?)?;
    let there = moving.or_else(|| context.file(target.resolved()));
    let mut edits = Vec::new();
    if let Some(memory) = moving {
        edits.push(Edit::Move { memory: memory.id, path: target.resolved().clone() });
    }
    match there {
        Some(memory) if holds(memory, &content) => {}
        Some(memory) if memory.id != version.memory => return fail(text::destination_exists(&target)),
        there => {
            let before = there.map_or(0, |memory| memory.size);
            check_size(context, &target, &content, before)?;
            edits.push(match there {
                Some(memory) => Edit::Write { memory: memory.id, content },
                None => {
                    context.check_files()?;
                    Edit::Create { path: target.resolved().clone(), content }
                }
            });
        }
    }
    let path = target.resolved().clone();
    let restored = Restored { version: version.id, path, changed: !edits.is_empty(), current: None, found: Vec::new() };
    Ok(Outcome { reply: Reply::Restored(restored), edits, found })
}

/// The version with this id.
fn version(context: &Context<'_>, id: VersionId) -> Step<Version> {
    context.version(id)?.ok_or_else(|| Stop::Failed(text::no_such_version(id)))
}

/// The version before the current one of the file at `path`, or the last one of the memory that was deleted there.
fn before_the_last_change(context: &Context<'_>, path: &ToolPath) -> Step<Version> {
    if let Some(memory) = context.file(path.resolved()) {
        return match version(context, memory.version)?.previous {
            Some(previous) => version(context, previous),
            None => fail(text::no_version_before(path)),
        };
    }
    if context.tree.is_directory(path.resolved()) {
        return fail(text::restores_files(path));
    }
    match context.tree.deleted_at(path.resolved()) {
        Some(deleted) => version(context, deleted.last),
        None => fail(text::missing(path)),
    }
}

/// Whether `version` is one of what stands or stood at `path`.
fn belongs(context: &Context<'_>, version: &Version, path: &ToolPath) -> bool {
    let path = path.resolved();
    version.path.as_ref() == Some(path)
        || context.file(path).is_some_and(|memory| memory.id == version.memory)
        || context.tree.deleted_at(path).is_some_and(|deleted| deleted.id == version.memory)
}

/// The memory as the version left it.
fn whole(version: &Version) -> Step<Memory> {
    match version.as_memory() {
        Some(memory) => Ok(memory),
        None if version.operation == Operation::Deleted => {
            fail(text::deletion_has_no_content(version.id, version.previous))
        }
        None => fail(text::content_gone(version.id)),
    }
}

/// Fails if a file cannot stand at `target`. What stands there itself is looked at later. `moving` is a file that
/// leaves its place for this one, so that its old place may lie above or below the new one.
fn check_place(context: &Context<'_>, target: &ToolPath, moving: Option<&Memory>) -> Step<()> {
    let path = target.resolved();
    let leaves = |memory: &Memory| moving.is_some_and(|moving| moving.id == memory.id);
    if target.ends_in_slash() {
        return fail(text::ends_in_slash(target));
    }
    if path.is_root() || context.tree.under(path).any(|memory| !leaves(memory)) {
        return fail(text::is_a_directory(target));
    }
    if let Some(memory) = context.file(path) {
        // Nothing to make, and nothing to move over.
        return if moving.is_none() || leaves(memory) { Ok(()) } else { fail(text::destination_exists(target)) };
    }
    match path.ancestors().find(|above| context.file(above).is_some_and(|memory| !leaves(memory))) {
        Some(file) => fail(text::below_a_file(target, &file)),
        None => Ok(()),
    }
}

/// Fails if `content` is more than a file, or the store, may hold. What made its way into the log once is taken
/// whatever it is: a rename may have left it under a name that says nothing about it.
fn check_size(context: &Context<'_>, target: &ToolPath, content: &[u8], before: u64) -> Step<()> {
    let size = content.len() as u64;
    let limits = context.limits;
    match kind(target.resolved(), content) {
        Kind::Text(_) if size > limits.file_bytes => {
            return fail(text::file_too_large(target, size, limits.file_bytes));
        }
        Kind::Image(_) | Kind::Other if size > limits.image_bytes => {
            return fail(text::image_too_large(target, size, limits.image_bytes));
        }
        Kind::Text(_) | Kind::Image(_) | Kind::Other => {}
    }
    context.check_store_bytes(before, size)
}
