//! `str_replace` and `insert`: a text file is changed in one place.

use bytes::Bytes;

use super::{
    Edit, Outcome,
    context::{Context, Step, fail, tool_path},
    kind::{Kind, kind},
    lines, text,
    view::cut_note,
};
use crate::{path::ToolPath, state::Memory};

/// The most lines that the answer to `str_replace` shows.
const MAX_SNIPPET_LINES: usize = 50;
/// The most occurrences that are told apart when a text is not unique. Nobody reads more, and looking for all of them
/// takes quadratic time when they overlap.
const MAX_OCCURRENCES: usize = 1_000;

pub(super) fn str_replace(context: &Context<'_>, given: &str, old_str: &str, new_str: &str) -> Step<Outcome> {
    if old_str.is_empty() {
        return fail(text::empty_old_str());
    }
    let path = tool_path(given)?;
    let Some(memory) = context.file(path.resolved()) else {
        return fail(text::replace_missing(&path));
    };
    let content = context.content(memory)?;
    let before = editable(&path, &content)?;

    let kept;
    let (mut found, old_str) = match occurrences(before, old_str).next() {
        Some(_) => (occurrences(before, old_str), old_str),
        // What stood there may have been taken out when it was written.
        None => {
            kept = context.as_kept(old_str);
            let kept = kept.as_deref().unwrap_or(old_str);
            (occurrences(before, kept), kept)
        }
    };
    let Some((at, line)) = found.next() else {
        return fail(text::not_found(old_str, &path));
    };
    if let Some((_, second)) = found.next() {
        let mut lines = format!("{line}, {second}");
        for (_, line) in found.by_ref().take(MAX_OCCURRENCES - 2) {
            lines.push_str(&format!(", {line}"));
        }
        if found.next().is_some() {
            lines.push_str(", ...");
        }
        return fail(text::not_unique(old_str, lines));
    }

    context.check_placeholders(before, at..at + old_str.len())?;
    let (head, tail) = (before.get(..at), before.get(at + old_str.len()..));
    let after = [head.unwrap_or_default(), new_str, tail.unwrap_or_default()].concat();
    check_size(context, &path, before, &after)?;
    let (after, taken_out) = context.scrubbed(path.resolved(), after)?;
    let snippet = snippet(&after, line, lines::count(new_str), context.limits.view_chars);
    let edits = rewrite(context, &path, memory, before, after)?;
    Ok(Outcome::scrubbed(format!("{}\n{snippet}", text::REPLACED), edits, taken_out))
}

pub(super) fn insert(context: &Context<'_>, given: &str, insert_line: i64, insert_text: &str) -> Step<Outcome> {
    let path = tool_path(given)?;
    let Some(memory) = context.file(path.resolved()) else {
        return fail(text::missing(&path));
    };
    let content = context.content(memory)?;
    let before = editable(&path, &content)?;

    let count = lines::count(before);
    let Some(line) = usize::try_from(insert_line).ok().filter(|line| *line <= count) else {
        return fail(text::insert_line_out_of_range(insert_line, count));
    };
    let inserted = insert_text.strip_suffix('\n').unwrap_or(insert_text);
    let after = with_lines(before, line, inserted);
    check_size(context, &path, before, &after)?;
    let (after, taken_out) = context.scrubbed(path.resolved(), after)?;
    Ok(Outcome::scrubbed(text::inserted(&path), rewrite(context, &path, memory, before, after)?, taken_out))
}

/// Each place where `part` begins in `text`, overlapping ones too, with the number of its line.
fn occurrences<'a>(text: &'a str, part: &'a str) -> impl Iterator<Item = (usize, usize)> {
    let step = part.chars().next().map_or(1, char::len_utf8);
    let (mut from, mut counted, mut line) = (0, 0, 1);
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(part)?;
        line += text.get(counted..at).map_or(0, lines::count).saturating_sub(1);
        (from, counted) = (at + step, at);
        Some((at, line))
    })
}

/// `text` with `inserted`, one line or several, after line `line`; its final newline, or that it has none, is kept.
fn with_lines(text: &str, line: usize, inserted: &str) -> String {
    if text.is_empty() {
        return inserted.to_owned();
    }
    let start = match line {
        0 => Some(0),
        line => text.match_indices('\n').nth(line - 1).map(|(at, _)| at + 1),
    };
    match start.and_then(|start| text.split_at_checked(start)) {
        Some((head, tail)) => [head, inserted, "\n", tail].concat(),
        // After the last line: no newline follows it, or it is the empty one after the final newline.
        None if text.ends_with('\n') => [text, inserted, "\n"].concat(),
        None => [text, "\n", inserted].concat(),
    }
}

/// What `text` looks like around `line`, where a change of `changed` lines begins.
fn snippet(text: &str, line: usize, changed: usize, cap: usize) -> String {
    let count = lines::count(text);
    let first = line.saturating_sub(2).max(1);
    let last = (line + 2).max(line + changed - 1).min(count).min(first + MAX_SNIPPET_LINES - 1);
    let numbered = lines::numbered(text, (first, last), cap);
    match numbered.cut {
        Some(cut) => format!("{}\n{}", numbered.text, cut_note(cut, count)),
        None => numbered.text,
    }
}

fn editable<'a>(path: &ToolPath, content: &'a [u8]) -> Step<&'a str> {
    match kind(path.resolved(), content) {
        Kind::Text(text) => Ok(text),
        Kind::Image(_) | Kind::Other => fail(text::not_editable(path)),
    }
}

/// Fails if a file may not go from `before` to `after`.
fn check_size(context: &Context<'_>, path: &ToolPath, before: &str, after: &str) -> Step<()> {
    let (old_size, size, limit) = (before.len() as u64, after.len() as u64, context.limits.file_bytes);
    // A file may be too large because the limit was lowered; making it smaller is allowed.
    if size > limit && size > old_size {
        return fail(text::file_too_large(path, size, limit));
    }
    context.check_store_bytes(old_size, size)
}

/// The edits that turn the content of `memory` from `before` into `after`.
fn rewrite(context: &Context<'_>, path: &ToolPath, memory: &Memory, before: &str, after: String) -> Step<Vec<Edit>> {
    if before == after {
        return Ok(Vec::new());
    }
    check_size(context, path, before, &after)?;
    Ok(vec![Edit::Write { memory: memory.id, content: Bytes::from(after) }])
}
