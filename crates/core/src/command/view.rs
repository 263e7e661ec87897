//! `view`: a directory as a list of what is in it, a file with line numbers, an image as it is.

use super::{
    Outcome, Reply,
    context::{Context, Step, fail, tool_path},
    kind::{Kind, kind},
    lines::{self, Cut},
    size, text,
};
use crate::{
    path::{MemoryPath, ToolPath},
    state::{Memory, Overlay},
};

/// What the tool's documentation allows a text file to have when it is viewed.
const MAX_LINES: usize = 999_999;

pub(super) fn view(context: &Context<'_>, given: &str, range: Option<[i64; 2]>) -> Step<Outcome> {
    let path = tool_path(given)?;
    let shown = match context.file(path.resolved()) {
        Some(memory) => return view_file(context, &path, memory, range),
        None if context.tree.is_directory(path.resolved()) => view_directory(context, &path, range)?,
        None => return fail(text::view_missing(&path)),
    };
    Ok(Outcome::text(shown, Vec::new()))
}

fn view_file(context: &Context<'_>, path: &ToolPath, memory: &Memory, range: Option<[i64; 2]>) -> Step<Outcome> {
    let content = context.content(memory)?;
    let shown = match kind(path.resolved(), &content) {
        Kind::Text(text) => view_text(path, text, range, context.limits.view_chars)?,
        Kind::Image(media_type) => {
            let reply = Reply::Image { media_type, data: content };
            return Ok(Outcome { reply, edits: Vec::new(), found: Vec::new() });
        }
        Kind::Other => return fail(text::not_viewable(path)),
    };
    Ok(Outcome::text(shown, Vec::new()))
}

fn view_text(path: &ToolPath, content: &str, range: Option<[i64; 2]>, cap: usize) -> Step<String> {
    let count = lines::count(content);
    if count > MAX_LINES {
        return fail(text::too_many_lines(path));
    }
    let Some(window) = lines::resolve(range, count) else {
        return fail(text::range_of_lines(range.unwrap_or_default(), path, count));
    };
    // A line that is asked for alone is shown whole: there is no other way to read it.
    let alone = range.is_some_and(|[start, end]| start.max(1) == end);
    let numbered = lines::numbered(content, window, if alone { usize::MAX } else { cap });
    let mut shown = text::file_header(path);
    shown.push('\n');
    shown.push_str(&numbered.text);
    if let Some(cut) = numbered.cut {
        shown.push('\n');
        shown.push_str(&cut_note(cut, count));
    }
    Ok(shown)
}

/// The line that follows numbered lines which were cut, of a file that has `count`.
pub(super) fn cut_note(cut: Cut, count: usize) -> String {
    match cut {
        Cut::After(last) => text::cut_after(last, count),
        Cut::Within(line) => text::cut_within(line, count),
    }
}

fn view_directory(context: &Context<'_>, path: &ToolPath, range: Option<[i64; 2]>) -> Step<String> {
    let rows = rows(context.tree, path.resolved());
    let Some((first, last)) = lines::resolve(range, rows.len()) else {
        return fail(text::range_of_rows(range.unwrap_or_default(), path, rows.len()));
    };
    let mut shown = text::directory_header(path);
    let directory = path.to_string();
    let mut chars = 0_usize;
    for (number, row) in (1..=last).zip(&rows).skip(first.saturating_sub(1)) {
        let before = shown.len();
        shown.push('\n');
        shown.push_str(&size::human(row.size));
        shown.push('\t');
        shown.push_str(&directory);
        shown.push_str(&row.name);
        // The first row's newline belongs to the header.
        let added = shown.get(before..).map_or(0, |line| line.chars().count());
        chars += if number > first { added } else { added.saturating_sub(1) };
        // The first row is shown in any case, so that every row can be reached.
        if chars > context.limits.view_chars && number > first {
            shown.truncate(before);
            shown.push('\n');
            shown.push_str(&text::entries_left_out(last - number + 1));
            break;
        }
    }
    Ok(shown)
}

/// A row of a listing.
struct Row {
    /// The size of the file, or of all that is in the directory, hidden items too.
    size: u64,
    /// What follows the path of the listed directory: nothing, or a slash and the name.
    name: String,
}

/// The directory itself, its children and its grandchildren, depth-first, names by bytes.
///
/// One walk over what is in the directory: whatever belongs to one row stands together in the order of paths.
fn rows(tree: &Overlay<'_>, directory: &MemoryPath) -> Vec<Row> {
    let mut rows = vec![Row { size: 0, name: String::new() }];
    // The rows of the directories that the walk is in, with their names.
    let (mut child, mut grandchild) = ((0, ""), (0, ""));
    for memory in tree.under(directory) {
        add(&mut rows, 0, memory.size);
        let Some(below) = memory.path.below(directory) else { continue };
        let (name, below) = match below.split_once('/') {
            Some((name, below)) => (name, Some(below)),
            None => (below, None),
        };
        if is_left_out(name) {
            continue;
        }
        let Some(below) = below else {
            rows.push(Row { size: memory.size, name: format!("/{name}") });
            continue;
        };
        if child.1 != name {
            child = (rows.len(), name);
            grandchild = (0, "");
            rows.push(Row { size: 0, name: format!("/{name}/") });
        }
        add(&mut rows, child.0, memory.size);
        let (second, is_file) = match below.split_once('/') {
            Some((second, _)) => (second, false),
            None => (below, true),
        };
        if is_left_out(second) {
            continue;
        }
        if is_file {
            rows.push(Row { size: memory.size, name: format!("/{name}/{second}") });
            continue;
        }
        if grandchild.1 != second {
            grandchild = (rows.len(), second);
            rows.push(Row { size: 0, name: format!("/{name}/{second}/") });
        }
        add(&mut rows, grandchild.0, memory.size);
    }
    rows
}

fn add(rows: &mut [Row], row: usize, size: u64) {
    if let Some(row) = rows.get_mut(row) {
        row.size = row.size.saturating_add(size);
    }
}

/// Whether listings leave out what has this name.
fn is_left_out(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}
