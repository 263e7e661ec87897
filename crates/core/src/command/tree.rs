//! `delete`, `rename` and clearing: whole files and directories, whatever they hold.

use super::{
    Edit, Outcome, Reply,
    context::{Context, Step, fail, tool_path},
    text,
};
use crate::{
    path::{MemoryPath, ToolPath},
    state::Memory,
};

pub(super) fn delete(context: &Context<'_>, given: &str) -> Step<Outcome> {
    let path = tool_path(given)?;
    if path.resolved().is_root() {
        return fail(text::delete_root());
    }
    let edits: Vec<Edit> = standing_at(context, path.resolved()).map(delete_edit).collect();
    if edits.is_empty() {
        return fail(text::missing(&path));
    }
    Ok(Outcome::text(text::deleted(&path), edits))
}

pub(super) fn clear(context: &Context<'_>) -> Outcome {
    Outcome::text(text::CLEARED, standing_at(context, &MemoryPath::root()).map(delete_edit).collect())
}

/// As many as fit well into one commit.
const MOST_UNUSED: usize = 4_096;

pub(super) fn delete_unused(context: &Context<'_>, days: u32, now_ms: i64) -> Outcome {
    let root = MemoryPath::root();
    let unused = context.tree.under(&root).filter(|memory| memory.is_unused(days, now_ms));
    let unused: Vec<_> = unused.take(MOST_UNUSED).collect();
    let paths = unused.iter().map(|memory| memory.path.clone()).collect();
    let edits = unused.into_iter().map(|memory| delete_edit(memory)).collect();
    Outcome { reply: Reply::Deleted(paths), edits, found: Vec::new() }
}

pub(super) fn rename(context: &Context<'_>, given_old: &str, given_new: &str) -> Step<Outcome> {
    let (old, new) = (tool_path(given_old)?, tool_path(given_new)?);
    let (from, to) = (old.resolved(), new.resolved());
    if from.is_root() {
        return fail(text::rename_root());
    }
    let is_file = context.file(from).is_some();
    if !is_file && !context.tree.is_directory(from) {
        return fail(text::missing(&old));
    }
    if context.file(to).is_some() || context.tree.is_directory(to) {
        return fail(text::destination_exists(&new));
    }
    if to.is_under(from) {
        return fail(text::into_itself(&old, &new));
    }
    context.check_not_below_file(&new)?;
    context.check_path(to)?;
    if is_file && new.ends_in_slash() {
        return fail(text::ends_in_slash(&new));
    }
    let moves: Step<Vec<Edit>> =
        standing_at(context, from).map(|memory| move_edit(context, memory, from, &new)).collect();
    Ok(Outcome::text(text::renamed(&old, &new), moves?))
}

/// The file at `path`, or all that is in the directory there, in the order of paths.
fn standing_at<'a>(context: &Context<'a>, path: &MemoryPath) -> impl Iterator<Item = &'a Memory> {
    context.file(path).into_iter().chain(context.tree.under(path)).map(|memory| &**memory)
}

fn delete_edit(memory: &Memory) -> Edit {
    Edit::Delete { memory: memory.id }
}

fn move_edit(context: &Context<'_>, memory: &Memory, from: &MemoryPath, new: &ToolPath) -> Step<Edit> {
    let Some(path) = memory.path.rebased(from, new.resolved()) else {
        return fail(text::destination_exists(new));
    };
    if let Err(error) = path.check_limits() {
        return fail(text::bad_path(&path.to_string(), error));
    }
    context.check_path(&path)?;
    Ok(Edit::Move { memory: memory.id, path })
}
