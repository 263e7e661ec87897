//! What a store holds, in memory: the commands as a few lines over a map.

use bytes::Bytes;
use memoseal_core::{Store, command::Command};

use crate::{
    Failure,
    bucket::{self, Bucket, Files, create, delete, insert, put, rename, replace, view},
    check_eq,
};

/// Does what a command that succeeds does. `Replace` is taken to find its text once.
fn apply(files: &mut Files, command: &Command) -> Result<(), Failure> {
    let missing = |path: &str| Failure::new(format!("the model has no {path}"));
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    match command {
        Command::View { .. } => {}
        Command::Create { path, file_text } => drop(files.insert(path.clone(), file_text.clone().into())),
        Command::Put { path, content } => drop(files.insert(path.clone(), content.clone())),
        Command::StrReplace { path, old_str, new_str } => {
            let file = files.get_mut(path).ok_or_else(|| missing(path))?;
            *file = text(file).replacen(old_str, new_str, 1).into();
        }
        Command::Insert { path, insert_line, insert_text } => {
            let file = files.get_mut(path).ok_or_else(|| missing(path))?;
            let before = text(file);
            let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
            let line = format!("{insert_text}\n");
            lines.insert(usize::try_from(*insert_line)?.min(lines.len()), &line);
            *file = lines.concat().into();
        }
        Command::Delete { path } => files.retain(|file, _| !is_at(file, path)),
        Command::Rename { old_path, new_path } => {
            let moved = |file: String| match file.strip_prefix(old_path.as_str()) {
                Some(rest) if is_at(&file, old_path) => format!("{new_path}{rest}"),
                _ => file,
            };
            *files = std::mem::take(files).into_iter().map(|(file, content)| (moved(file), content)).collect();
        }
        Command::Clear => files.clear(),
        _ => return Err(Failure::new(format!("the model knows no {command:?}"))),
    }
    Ok(())
}

/// Whether a file is what stands at `path`, or lies below it.
fn is_at(file: &str, path: &str) -> bool {
    file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Every command, in an order in which each of them has something to do. The first three make what the others change.
pub(super) fn script() -> Vec<Command> {
    vec![
        create("notes/today", "one\ntwo\n"),
        create("notes/deep/er", "kept\n"),
        create("other", "x"),
        replace("notes/today", "two", "2"),
        insert("notes/today", 1, "between"),
        view("notes"),
        put("picture.png", b"\x89PNG\r\n\x1a\n and so on"),
        put("other", b"put over it"),
        rename("notes", "archive/notes"),
        rename("other", "another"),
        delete("archive/notes/deep"),
        insert("archive/notes/today", 0, "first"),
        delete("another"),
        Command::Clear,
        create("after", "all"),
    ]
}

/// What a store held at first and after each of these commands.
pub(super) fn states(commands: &[Command]) -> Result<Vec<Files>, Failure> {
    let mut files = Files::new();
    let mut states = vec![files.clone()];
    for command in commands {
        apply(&mut files, command)?;
        states.push(files.clone());
    }
    Ok(states)
}

/// A process that starts now finds exactly these files.
pub(super) async fn holds(bucket: &Bucket, user: &str, expected: &Files) -> Result<(), Failure> {
    check_eq!(bucket.files(user).await?, *expected, "files of {user} after opening anew");
    Ok(())
}

/// This handle shows exactly these files.
pub(super) async fn shows(store: &Store, expected: &Files) -> Result<(), Failure> {
    check_eq!(bucket::files(store).await?, *expected, "files that a handle shows");
    Ok(())
}
