//! BEHAVIOUR, "str_replace".

use serde_json::json;

use super::{
    input::{str_replace, view},
    session::{Answer, Session},
};
use crate::{Failure, Place, check_eq};

const F: &str = "/memories/f";
const EDITED: &str = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";

/// The answer that shows lines `first` to `last` of `content`.
fn edited(content: &str, first: usize, last: usize) -> String {
    let lines = (1..).zip(content.split('\n')).filter(|(number, _)| (first..=last).contains(number));
    let rows = lines.map(|(number, line)| format!("{number:6}\t{line}"));
    std::iter::once(EDITED.to_owned()).chain(rows).collect::<Vec<_>>().join("\n")
}

/// From two lines before to two after the line where the change starts, and all of the new text when it spans more.
pub(crate) async fn str_replace_shows_a_snippet(place: &dyn Place) -> Result<(), Failure> {
    let content = "1\n2\n3\n4\n5\n6\n7\n8";
    let table = [
        ("1", "one", 1, 3),
        ("4", "four", 2, 6),
        ("8", "eight", 6, 8),
        ("4", "a\nb\nc\nd", 2, 7),
        ("8", "a\nb\nc\nd\n", 6, 12),
        ("4\n5\n6", "x", 2, 6),
        ("\n7\n8", "", 4, 6),
    ];
    let paths: Vec<String> = (0..table.len()).map(|number| format!("/memories/{number}")).collect();
    let session = Session::with(place, &paths.iter().map(|path| (path.as_str(), content)).collect::<Vec<_>>()).await?;
    for (path, (old, new, first, last)) in paths.iter().zip(table) {
        let after = content.replacen(old, new, 1);
        session.says(str_replace(path, old, new), &edited(&after, first, last)).await?;
        session.holds(path, after).await?;
    }
    session.reopened().await
}

/// A snippet has at most 50 lines.
pub(crate) async fn str_replace_shows_at_most_fifty_lines(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "a\nb\nc\nd\n")]).await?;
    let new = "x\n".repeat(100);
    let after = format!("a\nb\n{new}d\n");
    session.says(str_replace(F, "c\n", &new), &edited(&after, 1, 50)).await?;
    session.ends_with(&[(F, &after)]).await
}

/// The text must stand there exactly once, counted with overlaps; the error names the line of each occurrence.
pub(crate) async fn str_replace_needs_one_occurrence(place: &dyn Place) -> Result<(), Failure> {
    let table = [
        ("x\ny\nx", "x", "1, 3"),
        ("x\ny\nx x", "x", "1, 3, 3"),
        ("aaa", "aa", "1, 1"),
        ("a\na\na", "a\na", "1, 2"),
        ("\n\n\n", "\n", "1, 2, 3"),
        ("ééé", "éé", "1, 1"),
        ("b\na\r\na\r\n", "a\r", "2, 3"),
    ];
    let paths: Vec<String> = (0..table.len()).map(|number| format!("/memories/{number}")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(table.iter().map(|(text, ..)| *text)).collect();
    let session = Session::with(place, &files).await?;
    for (path, (_, old, lines)) in paths.iter().zip(table) {
        let expected = format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it \
             is unique"
        );
        session.fails(str_replace(path, old, "z"), &expected).await?;
        let missing = format!("No replacement was performed, old_str `none` did not appear verbatim in {path}.");
        session.fails(str_replace(path, "none", "z"), &missing).await?;
    }
    session.ends_with(&files).await
}

/// Both texts are literal: no pattern, no reference, no escape.
pub(crate) async fn str_replace_is_literal(place: &dyn Place) -> Result<(), Failure> {
    let table = [
        ("/memories/a", "price", "price", "$& $1 $$ \\1 \\n", "$& $1 $$ \\1 \\n"),
        ("/memories/b", "a.c abc", "a.c", "x", "x abc"),
        ("/memories/c", "(x)[y]{z}*+?|^", "(x)[y]{z}*+?|^", "\\", "\\"),
        ("/memories/d", "tab\there", "\t", "\\t", "tab\\there"),
        ("/memories/e", "one\ntwo\nthree", "one\ntwo", "2\n1", "2\n1\nthree"),
    ];
    let session = Session::with(place, &table.map(|(path, before, ..)| (path, before))).await?;
    for (path, _, old, new, _) in table {
        session.text(str_replace(path, old, new)).await?;
    }
    session.ends_with(&table.map(|(path, .., after)| (path, after))).await
}

/// `new_str` omitted, `null` or empty deletes.
pub(crate) async fn str_replace_without_new_str_deletes(place: &dyn Place) -> Result<(), Failure> {
    let files = ["/memories/a", "/memories/b", "/memories/c"].map(|path| (path, "Favorite color: blue\n"));
    let session = Session::with(place, &files).await?;
    let inputs = [
        json!({"command": "str_replace", "path": "/memories/a", "old_str": " blue"}),
        json!({"command": "str_replace", "path": "/memories/b", "old_str": " blue", "new_str": null}),
        str_replace("/memories/c", " blue", ""),
    ];
    for input in inputs {
        session.says(input, &format!("{EDITED}\n     1\tFavorite color:\n     2\t")).await?;
    }
    session.ends_with(&files.map(|(path, _)| (path, "Favorite color:\n"))).await
}

/// An empty `old_str` is an error, wherever.
pub(crate) async fn str_replace_refuses_an_empty_old_str(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "a")]).await?;
    for path in [F, "/memories/none", "/memories"] {
        session
            .fails(str_replace(path, "", "x"), "Error: `old_str` must not be empty. To add text, use insert")
            .await?;
    }
    session.ends_with(&[(F, "a")]).await
}

/// A missing path and a directory are the same to it.
pub(crate) async fn str_replace_needs_a_file(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/d/x", "a")]).await?;
    for path in ["/memories/none", "/memories/d", "/memories", "/memories/d/x/y"] {
        let expected = format!("Error: The path {path} does not exist. Please provide a valid path.");
        session.fails(str_replace(path, "a", "b"), &expected).await?;
    }
    session.ends_with(&[("/memories/d/x", "a")]).await
}

/// A text that is replaced by itself is a success without a commit.
pub(crate) async fn str_replace_by_itself_changes_nothing(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "a\nb")]).await?;
    session.says_unchanged(str_replace(F, "a", "a"), &edited("a\nb", 1, 2)).await?;
    session.ends_with(&[(F, "a\nb")]).await
}

/// A handle that has never read the file edits it all the same.
pub(crate) async fn an_edit_works_without_the_content_at_hand(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "one\ntwo\n"), ("/memories/g", "1")]).await?;
    let other = session.again().await?;
    other.says(str_replace(F, "one", "1"), &edited("1\ntwo\n", 1, 3)).await?;
    let inputs = [str_replace(F, "two", "2"), str_replace("/memories/g", "1", "2")];
    let answers = session.again().await?.turn(&inputs).await?;
    check_eq!(answers, [edited("1\n2\n", 1, 3), edited("2", 1, 1)].map(Answer::Text));
    session
        .says(view(F), "Here's the content of /memories/f with line numbers:\n     1\t1\n     2\t2\n     3\t")
        .await?;
    session.ends_with(&[(F, "1\n2\n"), ("/memories/g", "2")]).await
}
