//! The six commands on a map of paths, written from the contract and sharing nothing with the engine.
//!
//! Paths are given as the simulation makes them: absolute, without a trailing slash, nothing to resolve.

use std::collections::BTreeMap;

use memoseal_core::command::{Command, Reply};

/// What stands where.
pub type Tree = BTreeMap<String, String>;

/// What a command does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new file.
    Create {
        /// Where.
        path: String,
        /// Its content.
        content: String,
    },
    /// New content of a file that stands.
    Write {
        /// Which.
        path: String,
        /// Its new content.
        content: String,
    },
    /// A file goes elsewhere.
    Move {
        /// From here.
        from: String,
        /// To here.
        to: String,
    },
    /// A file goes.
    Delete {
        /// Which.
        path: String,
    },
}

const ROOT: &str = "/memories";

/// Runs one command; what it changes is changed in `tree` too. Nothing for a restore, which a tree alone cannot decide.
pub fn run(command: &Command, tree: &mut Tree) -> Option<(Reply, Vec<Change>)> {
    let decided = match command {
        Command::View { path, view_range: None } => view(path, tree).map(|text| (text, vec![])),
        Command::Create { path, file_text } => create(path, file_text, tree),
        Command::Put { path, content } => put(path, std::str::from_utf8(content).ok()?, tree),
        Command::StrReplace { path, old_str, new_str } => replace(path, old_str, new_str, tree),
        Command::Insert { path, insert_line, insert_text } => insert(path, *insert_line, insert_text, tree),
        Command::Delete { path } => delete(path, tree),
        Command::Rename { old_path, new_path } => rename(old_path, new_path, tree),
        Command::Clear => Ok(("All memory cleared".into(), tree.keys().map(delete_of).collect())),
        _ => return None,
    };
    Some(match decided {
        Ok((text, changes)) => {
            changes.iter().for_each(|change| apply(change, tree));
            (Reply::Text(text), changes)
        }
        Err(text) => (Reply::Error(text), Vec::new()),
    })
}

/// Makes one change.
pub fn apply(change: &Change, tree: &mut Tree) {
    match change {
        Change::Create { path, content } | Change::Write { path, content } => {
            tree.insert(path.clone(), content.clone());
        }
        Change::Move { from, to } => {
            if let Some(content) = tree.remove(from) {
                tree.insert(to.clone(), content);
            }
        }
        Change::Delete { path } => {
            tree.remove(path);
        }
    }
}

type Decided<T> = Result<T, String>;

fn delete_of(path: impl Into<String>) -> Change {
    Change::Delete { path: path.into() }
}

/// Every path below a directory.
fn below<'a>(path: &str, tree: &'a Tree) -> impl Iterator<Item = &'a String> {
    let prefix = format!("{path}/");
    tree.keys().filter(move |key| key.starts_with(&prefix))
}

/// Whether a directory stands there.
pub fn is_directory(path: &str, tree: &Tree) -> bool {
    path == ROOT || below(path, tree).next().is_some()
}

fn file_above(path: &str, tree: &Tree) -> Decided<()> {
    let mut above = path;
    while let Some((parent, _)) = above.rsplit_once('/') {
        if tree.contains_key(parent) {
            return Err(format!("Error: {path} cannot be made, because {parent} is a file and not a directory"));
        }
        above = parent;
    }
    Ok(())
}

fn create(path: &str, text: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    if tree.contains_key(path) || is_directory(path, tree) {
        return Err(format!("Error: File {path} already exists"));
    }
    file_above(path, tree)?;
    let change = Change::Create { path: path.into(), content: text.into() };
    Ok((format!("File created successfully at: {path}"), vec![change]))
}

fn put(path: &str, text: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    if is_directory(path, tree) {
        return Err(format!("Error: {path} is a directory; a file cannot take its place"));
    }
    let (path_of, content) = (path.to_owned(), text.to_owned());
    let change = match tree.get(path) {
        Some(there) if there == text => vec![],
        Some(_) => vec![Change::Write { path: path_of, content }],
        None => {
            file_above(path, tree)?;
            vec![Change::Create { path: path_of, content }]
        }
    };
    Ok((format!("File written successfully at: {path}"), change))
}

fn numbered<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> String {
    let rows: Vec<_> = lines.map(|(number, line)| format!("{number:>6}\t{line}")).collect();
    rows.join("\n")
}

fn write_if_other(path: &str, before: &str, content: String) -> Vec<Change> {
    if before == content { vec![] } else { vec![Change::Write { path: path.into(), content }] }
}

fn replace(path: &str, old: &str, new: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    let missing = || format!("Error: The path {path} does not exist. Please provide a valid path.");
    let before = tree.get(path).ok_or_else(missing)?;
    let line_of = |at: usize| before.get(..at).map_or(1, |head| head.matches('\n').count() + 1);
    let places: Vec<usize> =
        (0..before.len()).filter(|at| before.get(*at..).is_some_and(|rest| rest.starts_with(old))).collect();
    match places.as_slice() {
        [] => Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")),
        [at] => {
            let after = before.replacen(old, new, 1);
            let line = line_of(*at);
            let (first, last) = (line.saturating_sub(2).max(1), (line + 2).max(line + new.matches('\n').count()));
            let shown = (1..).zip(after.split('\n')).filter(|(number, _)| (first..=last).contains(number));
            let text = format!(
                "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
                numbered(shown)
            );
            Ok((text, write_if_other(path, before, after)))
        }
        many => {
            let lines: Vec<_> = many.iter().map(|at| line_of(*at).to_string()).collect();
            Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it \
                 is unique",
                lines.join(", ")
            ))
        }
    }
}

fn insert(path: &str, at: i64, text: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    let before = tree.get(path).ok_or_else(|| format!("Error: The path {path} does not exist"))?;
    let mut lines: Vec<&str> = before.split('\n').collect();
    let count = lines.len();
    let Some(line) = usize::try_from(at).ok().filter(|line| *line <= count) else {
        return Err(format!(
            "Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file: \
             [0, {count}]"
        ));
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    let after = if before.is_empty() {
        text.to_owned()
    } else {
        // After the empty line behind a final newline is the same place as before it.
        let line = if line == count && before.ends_with('\n') { count - 1 } else { line };
        lines.insert(line, text);
        lines.join("\n")
    };
    Ok((format!("The file {path} has been edited."), write_if_other(path, before, after)))
}

fn delete(path: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    if path == ROOT {
        return Err(format!("Error: Cannot delete the {ROOT} directory itself"));
    }
    let gone: Vec<_> =
        tree.contains_key(path).then(|| path.to_owned()).iter().chain(below(path, tree)).map(delete_of).collect();
    if gone.is_empty() {
        return Err(format!("Error: The path {path} does not exist"));
    }
    Ok((format!("Successfully deleted {path}"), gone))
}

fn rename(old: &str, new: &str, tree: &Tree) -> Decided<(String, Vec<Change>)> {
    if old == ROOT {
        return Err(format!("Error: Cannot rename the {ROOT} directory itself"));
    }
    if !tree.contains_key(old) && !is_directory(old, tree) {
        return Err(format!("Error: The path {old} does not exist"));
    }
    if tree.contains_key(new) || is_directory(new, tree) {
        return Err(format!("Error: The destination {new} already exists"));
    }
    if new.starts_with(&format!("{old}/")) {
        return Err(format!("Error: Cannot rename {old} to {new}, which lies inside it"));
    }
    file_above(new, tree)?;
    let itself = tree.contains_key(old).then(|| old.to_owned());
    let moves = itself.iter().chain(below(old, tree)).map(|from| {
        let rest = from.get(old.len()..).unwrap_or_default();
        Change::Move { from: from.clone(), to: format!("{new}{rest}") }
    });
    Ok((format!("Successfully renamed {old} to {new}"), moves.collect()))
}

fn view(path: &str, tree: &Tree) -> Decided<String> {
    if let Some(text) = tree.get(path) {
        return Ok(format!(
            "Here's the content of {path} with line numbers:\n{}",
            numbered((1..).zip(text.split('\n')))
        ));
    }
    if !is_directory(path, tree) {
        return Err(format!("The path {path} does not exist. Please provide a valid path."));
    }
    // By row: the parts of its name below the directory, and its size.
    let mut rows: BTreeMap<Vec<String>, (usize, bool)> = BTreeMap::from([(vec![], (0, false))]);
    for file in below(path, tree) {
        let parts: Vec<String> = file.get(path.len() + 1..).unwrap_or_default().split('/').map(str::to_owned).collect();
        let size = tree.get(file).map_or(0, String::len);
        for depth in 0..=parts.len().min(2) {
            let row = rows.entry(parts.iter().take(depth).cloned().collect()).or_default();
            row.0 += size;
            row.1 |= depth == parts.len();
        }
    }
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    );
    for (parts, (size, is_file)) in rows {
        let name: String = parts.iter().map(|part| format!("/{part}")).collect();
        let slash = if parts.is_empty() || is_file { "" } else { "/" };
        text.push_str(&format!("\n{}\t{path}{name}{slash}", human(size)));
    }
    Ok(text)
}

fn human(bytes: usize) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    format!("{:.1}K", bytes as f64 / 1024.0)
}
