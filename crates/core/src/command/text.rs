//! Every text that the model reads. The wording comes from the tool's documentation wherever that has one.
//!
//! A `path` here is fit to be shown: as it was given, less its trailing slashes.

use std::fmt::Display;

use serde_json::Value;

use super::{Restored, TOOL_NAME};
use crate::{
    path::{self, MAX_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, MemoryPath, PREFIX, PathError, ToolPath},
    scrub::Finding,
    state::VersionId,
};

// Successes.

pub(super) fn directory_header(path: &ToolPath) -> String {
    format!("Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:")
}

pub(super) fn entries_left_out(entries: usize) -> String {
    format!("[{entries} more entries; view a subdirectory or use view_range]")
}

pub(super) fn file_header(path: &ToolPath) -> String {
    format!("Here's the content of {path} with line numbers:")
}

/// A view that shows whole lines up to `last`.
pub(super) fn cut_after(last: usize, count: usize) -> String {
    let next = last.saturating_add(1);
    format!("[Cut after line {last} of {}; use view_range to read on, such as [{next}, {count}]]", lines(count))
}

/// A view that ends within `line`, because that line alone is too long.
pub(super) fn cut_within(line: usize, count: usize) -> String {
    format!("[Cut within line {line} of {}; use view_range [{line}, {line}] to read this line whole]", lines(count))
}

pub(super) fn created(path: &ToolPath) -> String {
    format!("File created successfully at: {path}")
}

pub(super) fn put(path: &ToolPath) -> String {
    format!("File written successfully at: {path}")
}

pub(super) const REPLACED: &str =
    "The memory file has been edited. Here is the snippet showing the change (with line numbers):";

pub(super) fn inserted(path: &ToolPath) -> String {
    format!("The file {path} has been edited.")
}

pub(super) fn deleted(path: &ToolPath) -> String {
    format!("Successfully deleted {path}")
}

pub(super) fn renamed(old: &ToolPath, new: &ToolPath) -> String {
    format!("Successfully renamed {old} to {new}")
}

pub(super) fn deleted_all(paths: &[MemoryPath]) -> String {
    format!("Successfully deleted {} files", paths.len())
}

pub(super) fn restored(restored: &Restored) -> String {
    let Restored { version, path, changed, found, .. } = restored;
    let mut said = if *changed {
        format!("Successfully restored version {version} at {path}")
    } else {
        format!("{path} is already what it was in version {version}; nothing was changed")
    };
    if !found.is_empty() {
        said.push('\n');
        said.push_str(&taken_out(found));
    }
    said
}

/// What was taken out before something was written, and where: the last line of a success.
pub(super) fn taken_out(found: &[Finding]) -> String {
    let (values, were) = if found.len() == 1 { ("value", "was") } else { ("values", "were") };
    format!(
        "{} {values} {were} taken out before this was saved: {}. Placeholders stand there now; do not write what was \
         taken out again.",
        found.len(),
        kinds_and_lines(found)
    )
}

pub(super) const CLEARED: &str = "All memory cleared";

// The input is not a command.

pub(super) fn not_an_object() -> String {
    "Error: The input must be a JSON object with a `command` field".into()
}

pub(super) fn unknown_command(command: &str) -> String {
    format!("Error: Unknown command: {}", path::escaped(command))
}

pub(super) fn missing_field(name: &str) -> String {
    format!("Error: The field `{name}` is missing")
}

pub(super) fn not_a_string(name: &str, value: &Value) -> String {
    format!("Error: The field `{name}` must be a string, not {}", kind_of(value))
}

pub(super) fn not_an_integer(name: &str, value: &Value) -> String {
    format!("Error: The field `{name}` must be an integer, not {}", kind_of(value))
}

pub(super) fn integer_out_of_range(name: &str) -> String {
    format!("Error: The field `{name}` holds a number that does not fit in 64 bits")
}

pub(super) fn not_a_range(name: &str) -> String {
    format!("Error: The field `{name}` must be an array of exactly two integers, [start_line, end_line]")
}

pub(super) fn empty_old_str() -> String {
    "Error: `old_str` must not be empty. To add text, use insert".into()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction or exponent",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

// Paths.

pub(super) fn bad_path(given: &str, error: PathError) -> String {
    let path = path::shown(given);
    match error {
        PathError::Outside => format!("Error: Path must start with {PREFIX}, got: {path}"),
        PathError::Escapes => format!("Error: Path {path} would escape {PREFIX} directory"),
        PathError::Encoded => {
            format!("Error: Path {path} holds a percent-encoded dot, slash or backslash, which is not allowed")
        }
        PathError::Character(c) => {
            format!("Error: Path {path} holds a character that is not allowed: U+{:04X}", u32::from(c))
        }
        PathError::TooLong(bytes) => {
            format!("Error: Path {path} is {bytes} bytes long; at most {MAX_BYTES} are allowed")
        }
        PathError::TooDeep(segments) => {
            format!("Error: Path {path} is {segments} levels below {PREFIX}; at most {MAX_SEGMENTS} are allowed")
        }
        PathError::NameTooLong(bytes) => {
            format!("Error: Path {path} holds a name of {bytes} bytes; at most {MAX_SEGMENT_BYTES} are allowed")
        }
    }
}

pub(super) fn view_missing(path: &ToolPath) -> String {
    format!("The path {path} does not exist. Please provide a valid path.")
}

pub(super) fn replace_missing(path: &ToolPath) -> String {
    format!("Error: The path {path} does not exist. Please provide a valid path.")
}

pub(super) fn missing(path: &ToolPath) -> String {
    format!("Error: The path {path} does not exist")
}

pub(super) fn already_exists(path: &ToolPath) -> String {
    format!("Error: File {path} already exists")
}

pub(super) fn is_a_directory(path: &ToolPath) -> String {
    format!("Error: {path} is a directory; a file cannot take its place")
}

pub(super) fn ends_in_slash(path: &ToolPath) -> String {
    format!("Error: Path {path}/ ends in a slash, but it would be a file; leave the slash out")
}

pub(super) fn below_a_file(path: &ToolPath, file: &MemoryPath) -> String {
    format!("Error: {path} cannot be made, because {file} is a file and not a directory")
}

pub(super) fn destination_exists(path: &ToolPath) -> String {
    format!("Error: The destination {path} already exists")
}

pub(super) fn into_itself(old: &ToolPath, new: &ToolPath) -> String {
    format!("Error: Cannot rename {old} to {new}, which lies inside it")
}

pub(super) fn delete_root() -> String {
    format!("Error: Cannot delete the {PREFIX} directory itself")
}

pub(super) fn rename_root() -> String {
    format!("Error: Cannot rename the {PREFIX} directory itself")
}

// Contents.

pub(super) fn too_many_lines(path: &ToolPath) -> String {
    format!("File {path} exceeds maximum line limit of 999,999 lines.")
}

pub(super) fn range_of_lines([start, end]: [i64; 2], path: &ToolPath, count: usize) -> String {
    format!("Error: Invalid `view_range` parameter: [{start}, {end}]. The file {path} has {}", lines(count))
}

pub(super) fn range_of_rows([start, end]: [i64; 2], path: &ToolPath, count: usize) -> String {
    let rows = if count == 1 { "1 row".into() } else { format!("{count} rows") };
    format!("Error: Invalid `view_range` parameter: [{start}, {end}]. The listing of {path} has {rows}")
}

pub(super) fn not_found(old_str: &str, path: &ToolPath) -> String {
    format!("No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
}

pub(super) fn not_unique(old_str: &str, lines: impl Display) -> String {
    format!(
        "No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. Please ensure it \
         is unique"
    )
}

pub(super) fn insert_line_out_of_range(insert_line: i64, count: usize) -> String {
    format!(
        "Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of lines of the file: \
         [0, {count}]"
    )
}

pub(super) fn not_viewable(path: &ToolPath) -> String {
    format!("Error: {path} can not be shown: it is neither text nor an image (PNG or JPEG, named .png, .jpg or .jpeg)")
}

pub(super) fn not_editable(path: &ToolPath) -> String {
    format!("Error: {path} is not a text file and cannot be edited; it can only be renamed or deleted")
}

pub(super) fn not_storable(path: &ToolPath) -> String {
    format!("Error: {path} was not written: it is neither text nor an image (PNG or JPEG, named .png, .jpg or .jpeg)")
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{count} lines") }
}

// Secrets and personal data.

pub(super) fn holds_what_is_refused(found: &[Finding]) -> String {
    format!(
        "Error: Nothing was saved: the text holds what this memory must not hold: {}. Write it without that",
        kinds_and_lines(found)
    )
}

pub(super) fn path_holds_what_is_refused(found: &[Finding]) -> String {
    let mut kinds: Vec<&str> = found.iter().map(|found| found.kind.as_str()).collect();
    kinds.dedup();
    format!("Error: The path holds what no path may hold: {}; nothing was changed. Choose another", kinds.join(", "))
}

pub(super) fn cannot_decide(why: &str) -> String {
    format!("Error: Nothing was saved: it cannot be told whether it holds a secret: {why}. Write it in smaller parts")
}

pub(super) fn cannot_scrub() -> String {
    "Error: Nothing was saved: this memory takes out secrets before it saves something, and this program cannot. Go on \
     without it, and tell the person who runs it"
        .into()
}

pub(super) fn cuts_placeholder() -> String {
    "No replacement was performed: old_str holds a part of a placeholder such as [REDACTED:email]. Take in all of the \
     placeholder, or none of it."
        .into()
}

/// The kinds in the order in which they come, each with its lines.
fn kinds_and_lines(found: &[Finding]) -> String {
    const MOST: usize = 10;
    let mut kinds: Vec<(&str, Vec<u64>)> = Vec::new();
    for finding in found {
        match kinds.iter_mut().find(|(kind, _)| *kind == finding.kind) {
            Some((_, lines)) => lines.push(finding.line),
            None => kinds.push((&finding.kind, vec![finding.line])),
        }
    }
    let told = kinds.iter_mut().map(|(kind, lines)| {
        lines.dedup();
        let more = if lines.len() > MOST { ", ..." } else { "" };
        let numbers: Vec<String> = lines.iter().take(MOST).map(u64::to_string).collect();
        format!("{kind} (line{} {}{more})", if lines.len() == 1 { "" } else { "s" }, numbers.join(", "))
    });
    told.collect::<Vec<_>>().join(", ")
}

// Versions.

pub(super) fn nothing_named() -> String {
    "Error: Name a path or a version to restore".into()
}

pub(super) fn no_such_version(version: VersionId) -> String {
    format!("Error: There is no version {version}")
}

pub(super) fn version_of_another(version: VersionId, path: &ToolPath) -> String {
    format!("Error: Version {version} is not one of {path}")
}

pub(super) fn no_version_before(path: &ToolPath) -> String {
    format!("Error: {path} has no version before the current one")
}

pub(super) fn restores_files(path: &ToolPath) -> String {
    format!("Error: {path} is a directory; name one file to restore")
}

pub(super) fn deletion_has_no_content(version: VersionId, previous: Option<VersionId>) -> String {
    match previous {
        Some(previous) => {
            format!("Error: Version {version} is a deletion and has no content; the version before it is {previous}")
        }
        None => format!("Error: Version {version} is a deletion and has no content"),
    }
}

pub(super) fn content_gone(version: VersionId) -> String {
    format!("Error: The content of version {version} is gone: it was redacted, or is older than the store keeps it")
}

// Limits.

pub(super) fn file_too_large(path: &ToolPath, size: u64, limit: u64) -> String {
    format!(
        "Error: {path} would be {size} bytes, and a file may hold at most {limit}. Shorten it, or split it into several \
         files"
    )
}

pub(super) fn image_too_large(path: &ToolPath, size: u64, limit: u64) -> String {
    format!("Error: {path} would be {size} bytes, and an image may hold at most {limit}. Make it smaller")
}

pub(super) fn too_many_files(limit: usize) -> String {
    format!(
        "Error: The memory is full: it may hold at most {limit} files. Delete files that are no longer needed, or put \
         their content together in fewer files, then try again"
    )
}

pub(super) fn store_too_large(bytes: u64, limit: u64) -> String {
    format!(
        "Error: The memory is full: this would make it {bytes} bytes, and it may hold at most {limit}. Delete or shorten \
         files that are no longer needed, then try again"
    )
}

pub(super) fn turn_too_large() -> String {
    "Error: This changes too much at once; nothing was changed by it. Try it again by itself, or in smaller steps"
        .into()
}

pub(super) fn too_many_calls(most: usize) -> String {
    format!("Error: One turn may hold at most {most} calls; none of these was carried out. Send fewer at a time")
}

pub(super) fn wrong_tool() -> String {
    format!("Error: This is the tool `{TOOL_NAME}`; another was called")
}

// Storage.

pub(super) fn unreachable() -> String {
    "Error: The memory cannot be reached; nothing was changed. Try again.".into()
}

pub(super) fn outcome_unknown(path: &str) -> String {
    format!("Error: It is not known whether this change was saved. View {path} before you try again.")
}

pub(super) fn unusable() -> String {
    "Error: The memory cannot be used; nothing was changed. Go on without it, and tell the person who runs it.".into()
}

pub(super) fn read_only() -> String {
    "Error: This memory is read-only; nothing was changed".into()
}
