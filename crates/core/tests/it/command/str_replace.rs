//! BEHAVIOUR, "`str_replace`".

use std::fmt::Write as _;

use bytes::Bytes;
use memoseal_core::command::{Command, Reply};
use proptest::prelude::*;
use serde_json::json;

use super::harness::{Harness, str_replace};

const F: &str = "/memories/f";
const EDITED: &str = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n";

fn numbered(content: &str, first: usize, last: usize) -> String {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(content.split('\n')) {
        if (first..=last).contains(&number) {
            rows.push(format!("{number:6}\t{line}"));
        }
    }
    rows.join("\n")
}

#[test]
fn the_snippet_shows_two_lines_before_and_two_after() {
    let content = "1\n2\n3\n4\n5\n6\n7\n8";
    for (old, new, first, last) in [
        ("1", "one", 1, 3),
        ("2", "two", 1, 4),
        ("4", "four", 2, 6),
        ("7", "seven", 5, 8),
        ("8", "eight", 6, 8),
        // The new text spans more: all of it.
        ("4", "a\nb", 2, 6),
        ("4", "a\nb\nc\nd", 2, 7),
        ("8", "a\nb\nc\nd\n", 6, 12),
        // The old text spans several lines.
        ("4\n5\n6", "x", 2, 6),
        ("2\n", "", 1, 4),
        ("\n7\n8", "", 4, 6),
    ] {
        let mut store = Harness::with(&[(F, content)]);
        let after = content.replacen(old, new, 1);
        assert_eq!(
            store.ok(str_replace(F, old, new)),
            format!("{EDITED}{}", numbered(&after, first, last)),
            "{old:?} {new:?}"
        );
        assert_eq!(store.text(F), after);
    }
}

#[test]
fn the_snippet_has_at_most_50_lines() {
    let mut store = Harness::with(&[(F, "a\nb\nc\nd\n")]);
    let new = "x\n".repeat(200);
    let shown = store.ok(str_replace(F, "c\n", &new));
    assert_eq!(shown, format!("{EDITED}{}", numbered(&store.text(F), 1, 50)));
}

#[test]
fn a_very_long_snippet_is_cut_as_a_view_is() {
    let mut store = Harness::with(&[(F, "a\nb")]);
    let shown = store.ok(str_replace(F, "a", &"x".repeat(20_000)));
    assert_eq!(
        shown,
        format!(
            "{EDITED}     1\t{}\n[Cut within line 1 of 2 lines; use view_range [1, 1] to read this line whole]",
            "x".repeat(15_993)
        )
    );
}

#[test]
fn not_found() {
    let mut store = Harness::with(&[(F, "Hello\nWorld\n"), ("/memories/empty", "")]);
    for (path, old) in
        [(F, "hello"), (F, "World\n\n"), (F, "H.*o"), (F, "Hello World"), (F, "Hello\r\n"), ("/memories/empty", "x")]
    {
        assert_eq!(
            store.err(str_replace(path, old, "x")),
            format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        );
    }
}

#[test]
fn more_than_once() {
    for (content, old, lines) in [
        ("x\ny\nx", "x", "1, 3"),
        ("x\ny\nx x", "x", "1, 3, 3"),
        ("aaa", "aa", "1, 1"),
        ("aXaXa\n", "aXa", "1, 1"),
        ("a\na\na", "a\na", "1, 2"),
        ("\n\n\n", "\n", "1, 2, 3"),
        ("ééé", "éé", "1, 1"),
        ("b\na\r\na\r\n", "a\r", "2, 3"),
    ] {
        let mut store = Harness::with(&[(F, content)]);
        assert_eq!(
            store.err(str_replace(F, old, "z")),
            format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure \
                 it is unique"
            )
        );
    }
}

#[test]
fn of_very_many_occurrences_the_first_thousand_are_named() {
    let mut store = Harness::with(&[(F, &"a".repeat(100_000))]);
    let text = store.err(str_replace(F, &"a".repeat(50_000), "z"));
    assert!(text.ends_with(", 1, 1, .... Please ensure it is unique"), "{}", &text[text.len() - 60..]);
    assert_eq!(text.matches("1, ").count(), 1_000);
    let mut store = Harness::with(&[(F, &"a".repeat(1_000))]);
    let text = store.err(str_replace(F, "a", "z"));
    assert!(text.ends_with(", 1, 1. Please ensure it is unique"));
}

#[test]
fn both_texts_are_literal() {
    for (content, old, new) in [
        ("price", "price", "$& $1 $$ \\1 \\n"),
        ("a.c abc", "a.c", "x"),
        ("(x)[y]{z}*+?|^", "(x)[y]{z}*+?|^", "\\"),
        ("tab\there", "\t", "\\t"),
        ("é", "é", "e\u{301}"),
    ] {
        let mut store = Harness::with(&[(F, content)]);
        store.ok(str_replace(F, old, new));
        assert_eq!(store.text(F), content.replacen(old, new, 1));
    }
}

#[test]
fn new_str_omitted_deletes() {
    for input in [
        json!({"command": "str_replace", "path": F, "old_str": " blue"}),
        json!({"command": "str_replace", "path": F, "old_str": " blue", "new_str": null}),
        json!({"command": "str_replace", "path": F, "old_str": " blue", "new_str": ""}),
    ] {
        let mut store = Harness::with(&[(F, "Favorite color: blue")]);
        assert_eq!(store.ok(input), format!("{EDITED}     1\tFavorite color:"));
        assert_eq!(store.text(F), "Favorite color:");
    }
    // All of the content.
    let mut store = Harness::with(&[(F, "a\n")]);
    assert_eq!(store.ok(str_replace(F, "a\n", "")), format!("{EDITED}     1\t"));
    assert_eq!(store.text(F), "");
}

#[test]
fn an_empty_old_str_is_an_error() {
    let mut store = Harness::with(&[(F, "a")]);
    let text = store.err(str_replace(F, "", "x"));
    assert_eq!(text, "Error: `old_str` must not be empty. To add text, use insert");
    // Before storage is read, and for whoever makes the command by hand, too.
    assert_eq!(store.err(str_replace("/memories/none", "", "x")), text);
    let by_hand = Command::StrReplace { path: F.into(), old_str: String::new(), new_str: "x".into() };
    assert_eq!(store.command(Ok(by_hand)), Reply::Error(text));
}

#[test]
fn the_same_text_again_is_no_change() {
    let mut store = Harness::with(&[(F, "a\nb")]);
    assert_eq!(store.no_op(str_replace(F, "a", "a")), format!("{EDITED}     1\ta\n     2\tb"));
}

#[test]
fn missing_or_a_directory() {
    let mut store = Harness::with(&[(F, "a"), ("/memories/d/x", "a")]);
    for path in ["/memories/none", "/memories/d", "/memories", "/memories/f/x"] {
        let expected = format!("Error: The path {path} does not exist. Please provide a valid path.");
        assert_eq!(store.err(str_replace(path, "a", "b")), expected);
    }
}

#[test]
fn images_are_not_edited() {
    let mut store = Harness::default();
    let content = Bytes::from_static(b"\x89PNG\r\n\x1a\nabc");
    store.command(Ok(Command::Put { path: "/memories/a.png".into(), content }));
    let expected = "Error: /memories/a.png is not a text file and cannot be edited; it can only be renamed or deleted";
    assert_eq!(store.err(str_replace("/memories/a.png", "abc", "x")), expected);
}

#[test]
fn it_asks_for_content_only_where_there_is_a_file() {
    let mut store = Harness::with(&[(F, "a"), ("/memories/d/x", "a")]);
    assert_eq!(store.asks(str_replace("/memories/none", "a", "b")), (0, Ok(())));
    assert_eq!(store.asks(str_replace("/memories/d", "a", "b")), (0, Ok(())));
    assert!(store.asks(str_replace(F, "a", "b")).1.is_err());
}

/// What BEHAVIOUR says, without regard for time.
fn model(content: &str, old: &str, new: &str) -> Result<String, String> {
    let chars: Vec<(usize, char)> = content.char_indices().collect();
    let starts: Vec<usize> = chars.iter().map(|(at, _)| *at).filter(|at| content[*at..].starts_with(old)).collect();
    match starts[..] {
        [] => Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {F}.")),
        [at] => Ok(format!("{}{new}{}", &content[..at], &content[at + old.len()..])),
        _ => {
            let mut lines = String::new();
            for at in starts {
                let line = content[..at].chars().filter(|c| *c == '\n').count() + 1;
                let _ = write!(lines, "{}{line}", if lines.is_empty() { "" } else { ", " });
            }
            Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure \
                 it is unique"
            ))
        }
    }
}

proptest! {
    #[test]
    fn against_a_naive_model(content in "[aé\n]{0,12}", old in "[aé\n]{1,3}", new in "[ab\n]{0,3}") {
        let mut store = Harness::with(&[(F, &content)]);
        match (store.call(&str_replace(F, &old, &new)), model(&content, &old, &new)) {
            (Reply::Text(text), Ok(after)) => {
                prop_assert_eq!(store.text(F), after.clone());
                // Each line of the snippet is the line of that number.
                let lines: Vec<&str> = after.split('\n').collect();
                for row in text.strip_prefix(EDITED).unwrap().split('\n') {
                    let number: usize = row[..6].trim().parse().unwrap();
                    prop_assert_eq!(lines[number - 1], &row[7..]);
                }
            }
            (Reply::Error(text), Err(expected)) => prop_assert_eq!(text, expected),
            (reply, expected) => prop_assert!(false, "{reply:?} {expected:?}"),
        }
    }
}
