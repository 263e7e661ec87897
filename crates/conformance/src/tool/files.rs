//! BEHAVIOUR, "view, a file".

use memoseal_core::command::Limits;
use serde_json::json;

use super::{
    input::{create, view, view_range},
    session::Session,
};
use crate::{Failure, Place, check, check_eq};

const F: &str = "/memories/f";

/// What a view of `/memories/f` says above its lines.
fn shown(lines: &str) -> String {
    format!("Here's the content of /memories/f with line numbers:\n{lines}")
}

/// Numbers right-aligned in 6, a tab, the line; lines end at `\n` only, and a final newline begins a last empty line.
pub(crate) async fn a_file_is_shown_with_numbered_lines(place: &dyn Place) -> Result<(), Failure> {
    let table = [
        ("Hello", "     1\tHello"),
        ("a\nb", "     1\ta\n     2\tb"),
        ("a\nb\n", "     1\ta\n     2\tb\n     3\t"),
        ("\n", "     1\t\n     2\t"),
        ("", "     1\t"),
        ("a\r\nb", "     1\ta\r\n     2\tb"),
        ("a\rb\u{b}c\u{c}d\u{85}e\u{2028}f\u{2029}g\0", "     1\ta\rb\u{b}c\u{c}d\u{85}e\u{2028}f\u{2029}g\0"),
        ("\u{feff}\tx", "     1\t\u{feff}\tx"),
    ];
    let paths: Vec<String> = (0..table.len()).map(|number| format!("/memories/{number}")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(table.iter().map(|(text, _)| *text)).collect();
    let session = Session::with(place, &files).await?;
    let again = session.again().await?;
    for (path, (_, lines)) in paths.iter().zip(table) {
        let expected = format!("Here's the content of {path} with line numbers:\n{lines}");
        session.says_unchanged(view(path), &expected).await?;
        // A handle that has the content nowhere but in the bucket.
        again.says_unchanged(view(path), &expected).await?;
    }
    session.ends_with(&files).await
}

/// Numbers of all widths stand in one column.
pub(crate) async fn numbers_are_right_aligned(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, &"\n".repeat(1_100))]).await?;
    let text = session.text(view(F)).await?;
    for row in ["\n     1\t\n", "\n     9\t\n", "\n    10\t\n", "\n   100\t\n", "\n  1000\t\n"] {
        check!(text.contains(row), "{row:?} is missing");
    }
    check!(text.ends_with("\n  1101\t"), "the last empty line has its number");
    session.reopened().await
}

/// `[start, end]`, from 1, both included; -1 is the end; what lies before the start or past the end is clamped.
pub(crate) async fn view_range_selects_lines(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "a\nb\nc\n")]).await?;
    for (range, lines) in [
        ([1, 2], "     1\ta\n     2\tb"),
        ([2, 2], "     2\tb"),
        ([2, -1], "     2\tb\n     3\tc\n     4\t"),
        ([4, 4], "     4\t"),
        ([0, 1], "     1\ta"),
        ([-7, 2], "     1\ta\n     2\tb"),
        ([3, 99], "     3\tc\n     4\t"),
        ([i64::MIN, i64::MAX], "     1\ta\n     2\tb\n     3\tc\n     4\t"),
    ] {
        session.says_unchanged(view_range(F, range), &shown(lines)).await?;
    }
    let null = json!({"command": "view", "path": F, "view_range": null});
    check_eq!(session.text(null).await?, session.text(view(F)).await?, "null is no range");
    session.reopened().await
}

/// Inverted, or beyond the file: the error names the file's line count.
pub(crate) async fn a_view_range_beyond_the_file_names_its_lines(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "a\nb\nc\n"), ("/memories/empty", "")]).await?;
    for [start, end] in [[2, 1], [5, 5], [5, -1], [0, 0], [1, -2], [i64::MAX, i64::MIN]] {
        let expected =
            format!("Error: Invalid `view_range` parameter: [{start}, {end}]. The file /memories/f has 4 lines");
        session.fails(view_range(F, [start, end]), &expected).await?;
    }
    let expected = "Error: Invalid `view_range` parameter: [2, 2]. The file /memories/empty has 1 line";
    session.fails(view_range("/memories/empty", [2, 2]), expected).await?;
    session.reopened().await
}

/// Above 16,000 characters a text is cut at the end of a line and says how many lines there are; the rest comes with
/// `view_range`.
pub(crate) async fn a_long_file_is_cut_at_a_line(place: &dyn Place) -> Result<(), Failure> {
    // Characters are counted, not bytes. A row is 7 + 92 characters and a newline between: 160 are 15,999.
    let line = "é".repeat(92);
    let session = Session::with(place, &[(F, &[line.as_str(); 200].join("\n"))]).await?;
    let rows = |first: usize, last: usize| {
        (first..=last).map(|number| format!("{number:6}\t{line}")).collect::<Vec<_>>().join("\n")
    };
    let note = "[Cut after line 160 of 200 lines; use view_range to read on, such as [161, 200]]";
    session.says(view(F), &shown(&format!("{}\n{note}", rows(1, 160)))).await?;
    session.says(view_range(F, [161, 200]), &shown(&rows(161, 200))).await?;
    session.reopened().await
}

/// One line above the cap is cut at a character, with the same note; asked for alone it is shown whole.
pub(crate) async fn a_long_line_is_whole_when_asked_for_alone(place: &dyn Place) -> Result<(), Failure> {
    let long = "é".repeat(40_000);
    let session = Session::with(place, &[(F, &format!("{long}\nb"))]).await?;
    let note = "[Cut within line 1 of 2 lines; use view_range [1, 1] to read this line whole]";
    let expected = shown(&format!("     1\t{}\n{note}", "é".repeat(16_000 - 7)));
    session.says(view(F), &expected).await?;
    session.says(view_range(F, [1, 2]), &expected).await?;
    session.says(view_range(F, [1, 1]), &shown(&format!("     1\t{long}"))).await?;
    session.reopened().await
}

/// The cap is configurable, and what it allows exactly is not cut.
pub(crate) async fn the_cap_is_configurable(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "abc\nd")]).await?;
    let mut limits = Limits::default();
    limits.view_chars = 19;
    let expected = shown("     1\tabc\n     2\td");
    session.again_with(limits.clone()).await?.says(view(F), &expected).await?;
    limits.view_chars = 18;
    let expected = shown("     1\tabc\n[Cut after line 1 of 2 lines; use view_range to read on, such as [2, 2]]");
    session.again_with(limits).await?.says(view(F), &expected).await?;
    session.reopened().await
}

/// More than 999,999 lines are not shown, whatever the range.
pub(crate) async fn a_million_lines_are_too_many(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    limits.file_bytes = 1_000_000;
    let session = Session::with_limits(place, limits).await?;
    session.make(&[(F, &"\n".repeat(999_999)), ("/memories/g", &"\n".repeat(999_998))]).await?;
    let expected = "File /memories/f exceeds maximum line limit of 999,999 lines.";
    session.fails(view(F), expected).await?;
    session.fails(view_range(F, [1, 1]), expected).await?;
    let expected = "Here's the content of /memories/g with line numbers:\n999999\t";
    session.says(view_range("/memories/g", [999_999, -1]), expected).await?;
    session.reopened().await
}

/// A view sees what another handle wrote before it began.
pub(crate) async fn a_view_is_current(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[(F, "1")]).await?;
    let other = session.again().await?;
    other.says(view(F), &shown("     1\t1")).await?;
    session.text(json!({"command": "str_replace", "path": F, "old_str": "1", "new_str": "2"})).await?;
    other.says(view(F), &shown("     1\t2")).await?;
    other.text(create("/memories/g", "3")).await?;
    let listing = session.text(view("/memories")).await?;
    check!(listing.ends_with("\n2B\t/memories\n1B\t/memories/f\n1B\t/memories/g"), "{listing}");
    session.ends_with(&[(F, "2"), ("/memories/g", "3")]).await
}
