//! `create`, and `put`: a file gets its whole content at once.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::{
    Edit, Outcome,
    context::{Context, Step, fail, tool_path},
    kind::{Kind, kind},
    text,
};
use crate::{path::ToolPath, scrub::Finding, state::Memory};

pub(super) fn create(context: &Context<'_>, given: &str, file_text: &str) -> Step<Outcome> {
    let path = tool_path(given)?;
    let existing = context.file(path.resolved());
    if (existing.is_some() && !context.limits.overwrite) || context.tree.is_directory(path.resolved()) {
        return fail(text::already_exists(&path));
    }
    let content = Bytes::copy_from_slice(file_text.as_bytes());
    let (edits, found) = write(context, &path, existing.map(|memory| &**memory), content)?;
    Ok(Outcome::scrubbed(text::created(&path), edits, found))
}

pub(super) fn put(context: &Context<'_>, given: &str, content: &Bytes) -> Step<Outcome> {
    let path = tool_path(given)?;
    let existing = context.file(path.resolved());
    if context.tree.is_directory(path.resolved()) {
        return fail(text::is_a_directory(&path));
    }
    let (edits, found) = write(context, &path, existing.map(|memory| &**memory), content.clone())?;
    Ok(Outcome::scrubbed(text::put(&path), edits, found))
}

pub(super) fn put_new(context: &Context<'_>, given: &str, content: &Bytes) -> Step<Outcome> {
    let path = tool_path(given)?;
    match context.file(path.resolved()) {
        Some(memory)
            if !holds(memory, content)
                && !holds(memory, &context.scrubbed_content(path.resolved(), content.clone())?.0) =>
        {
            fail(text::already_exists(&path))
        }
        _ => put(context, given, content),
    }
}

/// The edits that make `content`, scrubbed, the content of the file at `path`, where no directory stands.
fn write(
    context: &Context<'_>,
    path: &ToolPath,
    existing: Option<&Memory>,
    content: Bytes,
) -> Step<(Vec<Edit>, Vec<Finding>)> {
    if path.ends_in_slash() {
        return fail(text::ends_in_slash(path));
    }
    if existing.is_none() {
        context.check_not_below_file(path)?;
        context.check_path(path.resolved())?;
    }
    check_file(context, path, &content)?;
    let (content, found) = context.scrubbed_content(path.resolved(), content)?;
    if !found.is_empty() {
        // A placeholder may be longer than what it stands for.
        check_file(context, path, &content)?;
    }
    let size = content.len() as u64;
    context.check_store_bytes(existing.map_or(0, |memory| memory.size), size)?;
    match existing {
        Some(memory) if holds(memory, &content) => Ok((Vec::new(), found)),
        Some(memory) => Ok((vec![Edit::Write { memory: memory.id, content }], found)),
        None => {
            context.check_files()?;
            Ok((vec![Edit::Create { path: path.resolved().clone(), content }], found))
        }
    }
}

/// Fails if no file may hold this.
fn check_file(context: &Context<'_>, path: &ToolPath, content: &[u8]) -> Step<()> {
    let (size, limits) = (content.len() as u64, context.limits);
    match kind(path.resolved(), content) {
        Kind::Text(_) if size > limits.file_bytes => fail(text::file_too_large(path, size, limits.file_bytes)),
        Kind::Image(_) if size > limits.image_bytes => fail(text::image_too_large(path, size, limits.image_bytes)),
        Kind::Other => fail(text::not_storable(path)),
        Kind::Text(_) | Kind::Image(_) => Ok(()),
    }
}

/// Whether `content` is what `memory` holds already.
pub(super) fn holds(memory: &Memory, content: &[u8]) -> bool {
    memory.size == content.len() as u64 && Sha256::digest(content).as_slice() == memory.sha256
}
