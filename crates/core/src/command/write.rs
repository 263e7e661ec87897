//! `create`, and `put`: a file gets its whole content at once.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::{
    Edit, Outcome,
    context::{Context, Step, fail, tool_path},
    kind::{Kind, kind},
    text,
};
use crate::{path::ToolPath, state::Memory};

pub(super) fn create(context: &Context<'_>, given: &str, file_text: &str) -> Step<Outcome> {
    let path = tool_path(given)?;
    let existing = context.file(path.resolved());
    if (existing.is_some() && !context.limits.overwrite) || context.tree.is_directory(path.resolved()) {
        return fail(text::already_exists(&path));
    }
    let edits = write(context, &path, existing.map(|memory| &**memory), Bytes::copy_from_slice(file_text.as_bytes()))?;
    Ok(Outcome::text(text::created(&path), edits))
}

pub(super) fn put(context: &Context<'_>, given: &str, content: &Bytes) -> Step<Outcome> {
    let path = tool_path(given)?;
    let existing = context.file(path.resolved());
    if context.tree.is_directory(path.resolved()) {
        return fail(text::is_a_directory(&path));
    }
    let edits = write(context, &path, existing.map(|memory| &**memory), content.clone())?;
    Ok(Outcome::text(text::put(&path), edits))
}

pub(super) fn put_new(context: &Context<'_>, given: &str, content: &Bytes) -> Step<Outcome> {
    let path = tool_path(given)?;
    match context.file(path.resolved()) {
        Some(memory) if !holds(memory, content) => fail(text::already_exists(&path)),
        _ => put(context, given, content),
    }
}

/// The edits that make `content` the content of the file at `path`, where no directory stands.
fn write(context: &Context<'_>, path: &ToolPath, existing: Option<&Memory>, content: Bytes) -> Step<Vec<Edit>> {
    if path.ends_in_slash() {
        return fail(text::ends_in_slash(path));
    }
    if existing.is_none() {
        context.check_not_below_file(path)?;
    }
    let size = content.len() as u64;
    let limits = context.limits;
    match kind(path.resolved(), &content) {
        Kind::Text(_) if size > limits.file_bytes => {
            return fail(text::file_too_large(path, size, limits.file_bytes));
        }
        Kind::Image(_) if size > limits.image_bytes => {
            return fail(text::image_too_large(path, size, limits.image_bytes));
        }
        Kind::Other => return fail(text::not_storable(path)),
        Kind::Text(_) | Kind::Image(_) => {}
    }
    context.check_store_bytes(existing.map_or(0, |memory| memory.size), size)?;
    match existing {
        Some(memory) if holds(memory, &content) => Ok(Vec::new()),
        Some(memory) => Ok(vec![Edit::Write { memory: memory.id, content }]),
        None => {
            context.check_files()?;
            Ok(vec![Edit::Create { path: path.resolved().clone(), content }])
        }
    }
}

/// Whether `content` is what `memory` holds already.
pub(super) fn holds(memory: &Memory, content: &[u8]) -> bool {
    memory.size == content.len() as u64 && Sha256::digest(content).as_slice() == memory.sha256
}
