//! The commands in short. Paths are below `/memories/`.

use bytes::Bytes;
use memoseal_core::command::Command;

fn full(path: &str) -> String {
    format!("/memories/{path}")
}

pub(crate) fn view(path: &str) -> Command {
    Command::View { path: full(path), view_range: None }
}

pub(crate) fn create(path: &str, text: &str) -> Command {
    Command::Create { path: full(path), file_text: text.to_owned() }
}

pub(crate) fn replace(path: &str, old: &str, new: &str) -> Command {
    Command::StrReplace { path: full(path), old_str: old.to_owned(), new_str: new.to_owned() }
}

pub(crate) fn insert(path: &str, line: i64, text: &str) -> Command {
    Command::Insert { path: full(path), insert_line: line, insert_text: text.to_owned() }
}

pub(crate) fn delete(path: &str) -> Command {
    Command::Delete { path: full(path) }
}

pub(crate) fn rename(old: &str, new: &str) -> Command {
    Command::Rename { old_path: full(old), new_path: full(new) }
}

pub(crate) fn put(path: &str, content: &'static [u8]) -> Command {
    Command::Put { path: full(path), content: Bytes::from_static(content) }
}
