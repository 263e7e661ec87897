//! BEHAVIOUR, "Known defects of other implementations", each by its name.

use serde_json::json;

use super::{
    input::{create, delete, insert, rename, str_replace, view},
    session::{Answer, Session},
};
use crate::{Failure, Place, check, check_eq};

/// Two edits to one file in one turn lose one.
pub(crate) async fn two_edits_to_one_file_in_one_turn_both_land(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "one two\n")]).await?;
    let answers = session
        .again()
        .await?
        .turn(&[
            str_replace("/memories/a", "one", "1"),
            str_replace("/memories/a", "two", "2"),
            insert("/memories/a", 1, "3"),
        ])
        .await?;
    check!(answers.iter().all(|answer| matches!(answer, Answer::Text(_))), "{answers:?}");
    session.ends_with(&[("/memories/a", "1 2\n3\n")]).await
}

/// Multi-line old_str never matches.
pub(crate) async fn a_multi_line_old_str_matches(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "a\nb\nc\n")]).await?;
    session.text(str_replace("/memories/a", "a\nb\n", "x\n")).await?;
    session.ends_with(&[("/memories/a", "x\nc\n")]).await
}

/// Omitted new_str writes "undefined".
pub(crate) async fn an_omitted_new_str_writes_nothing(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "keep drop")]).await?;
    session.text(json!({"command": "str_replace", "path": "/memories/a", "old_str": " drop"})).await?;
    session.ends_with(&[("/memories/a", "keep")]).await
}

/// Two matches on one line replace the first silently.
pub(crate) async fn two_matches_on_one_line_are_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "x x")]).await?;
    let text = session.error(str_replace("/memories/a", "x", "y")).await?;
    check!(text.contains("in lines: 1, 1."), "{text}");
    session.ends_with(&[("/memories/a", "x x")]).await
}

/// Overlapping matches are taken for one.
pub(crate) async fn overlapping_matches_are_two(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "aaa")]).await?;
    let text = session.error(str_replace("/memories/a", "aa", "b")).await?;
    check!(text.contains("in lines: 1, 1."), "{text}");
    session.ends_with(&[("/memories/a", "aaa")]).await
}

/// `/memories_backup/x` is accepted.
pub(crate) async fn a_sibling_of_the_root_is_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    let expected = "Error: Path must start with /memories, got: /memories_backup/x";
    session.fails(create("/memories_backup/x", "1"), expected).await?;
    session.fails(view("/memories_backup/x"), expected).await?;
    session.fails(rename("/memories/a", "/memories_backup/x"), expected).await?;
    session.ends_with(&[("/memories/a", "1")]).await
}

/// A raw error of the operating system leaks the host's path.
pub(crate) async fn no_answer_holds_an_error_of_the_host(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    for input in [
        view("/memories/a/b"),
        create("/memories/a/b", "1"),
        create(&format!("/memories/{}", "x".repeat(300)), "1"),
        create("/memories/nul\0", "1"),
        str_replace("/memories/a/b", "1", "2"),
        delete("/memories/a/b"),
        rename("/memories/a", "/memories/a/b"),
    ] {
        let text = session.error(input).await?;
        let words = ["Errno", "errno", "ENOTDIR", "No such file", "Not a directory", "File name too long", "file://"];
        check!(!words.iter().any(|word| text.contains(word)), "{text}");
    }
    session.ends_with(&[("/memories/a", "1")]).await
}

/// `create` without `file_text` leaves an empty file.
pub(crate) async fn create_without_file_text_leaves_no_file(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let input = json!({"command": "create", "path": "/memories/a"});
    session.fails(input, "Error: The field `file_text` is missing").await?;
    session.ends_with(&[]).await
}

/// A failed `rename` creates the destination's parent.
pub(crate) async fn a_failed_rename_makes_no_parent(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    session.fails(rename("/memories/none", "/memories/p/q"), "Error: The path /memories/none does not exist").await?;
    session.fails(view("/memories/p"), "The path /memories/p does not exist. Please provide a valid path.").await?;
    session.ends_with(&[]).await
}

/// Insert splits at form feed or U+2028 and corrupts.
pub(crate) async fn insert_keeps_form_feeds_and_line_separators(place: &dyn Place) -> Result<(), Failure> {
    let content = "a\u{c}b\u{2028}c\u{2029}d\u{85}e\u{1e}f\rg\nlast";
    let session = Session::with(place, &[("/memories/a", content)]).await?;
    session.text(insert("/memories/a", 1, "x")).await?;
    session.ends_with(&[("/memories/a", &content.replace("\nlast", "\nx\nlast"))]).await
}

/// A directory is renamed into itself.
pub(crate) async fn a_directory_is_not_renamed_into_itself(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a/x", "1")]).await?;
    let expected = "Error: Cannot rename /memories/a to /memories/a/b/c, which lies inside it";
    session.fails(rename("/memories/a", "/memories/a/b/c"), expected).await?;
    session.ends_with(&[("/memories/a/x", "1")]).await
}

/// Deleting `/a` takes `/ab` along.
pub(crate) async fn deleting_a_directory_leaves_what_begins_alike(place: &dyn Place) -> Result<(), Failure> {
    let kept = [("/memories/a!/x", "3"), ("/memories/a.md", "2"), ("/memories/ab", "4"), ("/memories/ab2/a/x", "5")];
    let session = Session::with(place, &kept).await?;
    session.make(&[("/memories/a/x", "1")]).await?;
    session.text(delete("/memories/a")).await?;
    check_eq!(session.paths().await?, kept.map(|(path, _)| path));
    session.ends_with(&kept).await
}
