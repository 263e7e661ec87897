//! BEHAVIOUR, "`insert`".

use bytes::Bytes;
use memoseal_core::command::{Command, Reply};
use proptest::prelude::*;

use super::harness::{Harness, insert};

const F: &str = "/memories/f";

#[test]
fn table() {
    for (before, line, inserted, after) in [
        // After a line; 0 is the top.
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        // Inserting after the last empty line appends, with no blank line in between.
        ("a\nb\n", 3, "x", "a\nb\nx\n"),
        // The file's own final newline is kept as it was.
        ("a\nb", 0, "x", "x\na\nb"),
        ("a\nb", 1, "x", "a\nx\nb"),
        ("a\nb", 2, "x", "a\nb\nx"),
        ("a\nb", 2, "x\n", "a\nb\nx"),
        // One trailing newline of the text is dropped.
        ("a\n", 1, "x\n", "a\nx\n"),
        ("a\n", 1, "x\n\n", "a\nx\n\n"),
        ("a\n", 1, "x\ny\n", "a\nx\ny\n"),
        ("a\n", 0, "\nx", "\nx\na\n"),
        // `""` and `"\n"` insert one empty line.
        ("a\nb\n", 1, "", "a\n\nb\n"),
        ("a\nb\n", 1, "\n", "a\n\nb\n"),
        ("a\n", 2, "", "a\n\n"),
        ("a", 0, "", "\na"),
        ("a", 1, "", "a\n"),
        ("a\nb\n", 1, "\n\n", "a\n\n\nb\n"),
        // A file of newlines.
        ("\n", 0, "x", "x\n\n"),
        ("\n", 1, "x", "\nx\n"),
        ("\n", 2, "x", "\nx\n"),
        ("\n\n", 1, "x", "\nx\n\n"),
        // An empty file: 0 and 1 both give the text without a final newline.
        ("", 0, "x\n", "x"),
        ("", 1, "x", "x"),
        ("", 0, "x\ny\n", "x\ny"),
        ("", 1, "\n\n", "\n"),
        // Nothing but `\n` ends a line.
        ("a\r\nb\r\n", 1, "x", "a\r\nx\nb\r\n"),
        ("a\u{c}b\u{2028}c\n", 1, "x", "a\u{c}b\u{2028}c\nx\n"),
        ("é\nü", 1, "ö\r\n", "é\nö\r\nü"),
    ] {
        let mut store = Harness::with(&[(F, before)]);
        assert_eq!(
            store.ok(insert(F, line, inserted)),
            "The file /memories/f has been edited.",
            "{before:?} {line} {inserted:?}"
        );
        assert_eq!(store.text(F), after, "{before:?} {line} {inserted:?}");
    }
}

#[test]
fn nothing_into_an_empty_file_is_no_change() {
    let mut store = Harness::with(&[(F, "")]);
    assert_eq!(store.no_op(insert(F, 0, "")), "The file /memories/f has been edited.");
    assert_eq!(store.no_op(insert(F, 1, "\n")), "The file /memories/f has been edited.");
}

#[test]
fn out_of_range() {
    for (content, line, count) in [
        ("a\nb\n", 4, 3),
        ("a\nb\n", -1, 3),
        ("a\nb", 3, 2),
        ("", 2, 1),
        ("\n", 3, 2),
        ("a", i64::MAX, 1),
        ("a", i64::MIN, 1),
    ] {
        let mut store = Harness::with(&[(F, content)]);
        assert_eq!(
            store.err(insert(F, line, "x")),
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: \
                 [0, {count}]"
            )
        );
    }
}

#[test]
fn missing_or_a_directory() {
    let mut store = Harness::with(&[(F, "a"), ("/memories/d/x", "a")]);
    for path in ["/memories/none", "/memories/d", "/memories", "/memories/f/x"] {
        assert_eq!(store.err(insert(path, 0, "b")), format!("Error: The path {path} does not exist"));
        // Whatever the line is.
        assert_eq!(store.err(insert(path, 99, "b")), format!("Error: The path {path} does not exist"));
    }
    assert_eq!(store.asks(insert("/memories/d", 0, "b")), (0, Ok(())));
}

#[test]
fn images_are_not_edited() {
    let mut store = Harness::default();
    let content = Bytes::from_static(b"\xff\xd8\xff\xe0\n\n");
    store.command(Ok(Command::Put { path: "/memories/a.jpg".into(), content }));
    let expected = "Error: /memories/a.jpg is not a text file and cannot be edited; it can only be renamed or deleted";
    assert_eq!(store.err(insert("/memories/a.jpg", 0, "x")), expected);
}

/// What BEHAVIOUR says, in lines.
fn model(content: &str, line: usize, text: &str) -> Option<String> {
    let shown = content.split('\n').count();
    if line > shown {
        return None;
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    if content.is_empty() {
        return Some(text.to_owned());
    }
    let (body, end) = content.strip_suffix('\n').map_or((content, ""), |body| (body, "\n"));
    let mut lines: Vec<&str> = body.split('\n').collect();
    lines.insert(line.min(lines.len()), text);
    Some(lines.join("\n") + end)
}

proptest! {
    #[test]
    fn against_a_naive_model(content in "[aé\n]{0,10}", line in -2i64..14, text in "[ab\n]{0,4}") {
        let mut store = Harness::with(&[(F, &content)]);
        let reply = store.call(&insert(F, line, &text));
        match usize::try_from(line).ok().and_then(|line| model(&content, line, &text)) {
            Some(after) => {
                prop_assert_eq!(reply, Reply::Text("The file /memories/f has been edited.".into()));
                prop_assert_eq!(store.text(F), after);
            }
            None => prop_assert!(matches!(reply, Reply::Error(_)), "{reply:?}"),
        }
    }

    #[test]
    fn what_was_there_stays_in_order(content in "[ab\n]{1,10}", line in 0i64..3, text in "[xy\n]{0,4}") {
        let mut store = Harness::with(&[(F, &content)]);
        if let Reply::Text(_) = store.call(&insert(F, line, &text)) {
            let kept: String = store.text(F).chars().filter(|c| "ab".contains(*c)).collect();
            let had: String = content.chars().filter(|c| "ab".contains(*c)).collect();
            prop_assert_eq!(kept, had);
        }
    }
}
