//! BEHAVIOUR, "insert".

use super::{input::insert, session::Session};
use crate::{Failure, Place};

/// After which line, and what becomes of newlines: the file's own final newline is kept as it was, one of the text's
/// is dropped, and nothing but `\n` ends a line.
pub(crate) async fn insert_keeps_the_final_newline(place: &dyn Place) -> Result<(), Failure> {
    let table = [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb\n", 3, "x", "a\nb\nx\n"),
        ("a\nb", 0, "x", "x\na\nb"),
        ("a\nb", 1, "x", "a\nx\nb"),
        ("a\nb", 2, "x\n", "a\nb\nx"),
        ("a\n", 1, "x\n\n", "a\nx\n\n"),
        ("a\n", 1, "x\ny\n", "a\nx\ny\n"),
        ("a\nb\n", 1, "", "a\n\nb\n"),
        ("a\nb\n", 1, "\n", "a\n\nb\n"),
        ("a\n", 2, "", "a\n\n"),
        ("\n", 0, "x", "x\n\n"),
        ("\n", 1, "x", "\nx\n"),
        ("\n", 2, "x", "\nx\n"),
        ("", 0, "x\n", "x"),
        ("", 1, "x\ny", "x\ny"),
        ("a\r\nb\r\n", 1, "x", "a\r\nx\nb\r\n"),
        ("é\nü", 1, "ö\r\n", "é\nö\r\nü"),
    ];
    let paths: Vec<String> = (0..table.len()).map(|number| format!("/memories/{number:02}")).collect();
    let files = |text: fn(&(&'static str, i64, &str, &'static str)) -> &'static str| {
        paths.iter().map(String::as_str).zip(table.iter().map(text)).collect::<Vec<_>>()
    };
    let session = Session::with(place, &files(|row| row.0)).await?;
    for (path, (_, line, text, after)) in paths.iter().zip(table) {
        session.says(insert(path, line, text), &format!("The file {path} has been edited.")).await?;
        session.holds(path, after).await?;
    }
    session.ends_with(&files(|row| row.3)).await
}

/// The line must be one of the file's, a last empty line counted, or 0.
pub(crate) async fn insert_checks_the_line(place: &dyn Place) -> Result<(), Failure> {
    let files = [("/memories/a", "a\nb\n"), ("/memories/b", "a\nb"), ("/memories/c", ""), ("/memories/d", "\n")];
    let session = Session::with(place, &files).await?;
    for (path, count) in [("/memories/a", 3), ("/memories/b", 2), ("/memories/c", 1), ("/memories/d", 2)] {
        for line in [count + 1, -1, i64::MAX, i64::MIN] {
            let expected = format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: \
                 [0, {count}]"
            );
            session.fails(insert(path, line, "x"), &expected).await?;
        }
    }
    session.ends_with(&files).await
}

/// A missing path and a directory are the same to it.
pub(crate) async fn insert_needs_a_file(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/d/x", "a")]).await?;
    for path in ["/memories/none", "/memories/d", "/memories", "/memories/d/x/y"] {
        session.fails(insert(path, 0, "b"), &format!("Error: The path {path} does not exist")).await?;
    }
    session.ends_with(&[("/memories/d/x", "a")]).await
}

/// No line put into an empty file leaves it empty, without a commit.
pub(crate) async fn insert_of_nothing_into_an_empty_file_changes_nothing(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/f", "")]).await?;
    session.says_unchanged(insert("/memories/f", 0, ""), "The file /memories/f has been edited.").await?;
    session.says_unchanged(insert("/memories/f", 1, "\n"), "The file /memories/f has been edited.").await?;
    session.ends_with(&[("/memories/f", "")]).await
}
