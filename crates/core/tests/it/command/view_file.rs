//! BEHAVIOUR, "view, a file".

use bytes::Bytes;
use memoseal_core::command::{Command, NeedsContent, Reply};
use proptest::prelude::*;
use serde_json::json;

use super::harness::{Harness, create, view, view_range};

const F: &str = "/memories/f";
const HEADER: &str = "Here's the content of /memories/f with line numbers:\n";

#[test]
fn lines() {
    for (content, shown) in [
        ("Hello", "     1\tHello"),
        ("a\nb", "     1\ta\n     2\tb"),
        // A final newline shows a last empty line with its number.
        ("a\nb\n", "     1\ta\n     2\tb\n     3\t"),
        ("\n", "     1\t\n     2\t"),
        ("a\n\n", "     1\ta\n     2\t\n     3\t"),
        // An empty file.
        ("", "     1\t"),
        // Lines split at `\n` only.
        ("a\r\nb", "     1\ta\r\n     2\tb"),
        ("a\rb\u{c}c\u{b}d\u{85}e\u{2028}f\u{2029}g", "     1\ta\rb\u{c}c\u{b}d\u{85}e\u{2028}f\u{2029}g"),
        ("\tx", "     1\t\tx"),
        ("\u{feff}x\0", "     1\t\u{feff}x\0"),
    ] {
        let mut store = Harness::with(&[(F, content)]);
        assert_eq!(store.ok(view(F)), format!("{HEADER}{shown}"), "{content:?}");
    }
}

#[test]
fn numbers_are_right_aligned_in_six() {
    let mut store = Harness::with(&[(F, &"\n".repeat(100))]);
    let text = store.ok(view(F));
    for row in ["\n     9\t\n", "\n    10\t\n", "\n   100\t\n", "\n   101\t"] {
        assert!(text.contains(row), "{row:?}");
    }
}

#[test]
fn the_path_is_echoed_as_given_less_its_trailing_slashes() {
    let mut store = Harness::with(&[(F, "x")]);
    let header = "Here's the content of /memories/./f with line numbers:\n";
    assert_eq!(store.ok(view("/memories/./f//")), format!("{header}     1\tx"));
}

#[test]
fn more_lines_than_the_documentation_allows() {
    let mut store = Harness::default();
    store.limits.file_bytes = 2_000_000;
    store.ok(create(F, &"\n".repeat(999_998)));
    assert_eq!(store.ok(view_range(F, [999_999, -1])), format!("{HEADER}999999\t"));
    store.ok(create("/memories/g", &"\n".repeat(999_999)));
    let expected = "File /memories/g exceeds maximum line limit of 999,999 lines.";
    assert_eq!(store.err(view("/memories/g")), expected);
    assert_eq!(store.err(view_range("/memories/g", [1, 2])), expected);
}

#[test]
fn ranges() {
    let mut store = Harness::with(&[(F, "a\nb\nc\n")]);
    for (range, shown) in [
        ([1, 2], "     1\ta\n     2\tb"),
        ([2, 2], "     2\tb"),
        ([2, -1], "     2\tb\n     3\tc\n     4\t"),
        ([4, 4], "     4\t"),
        ([4, -1], "     4\t"),
        // Start below 1 counts as 1, end past the end is the end.
        ([0, 1], "     1\ta"),
        ([-7, 2], "     1\ta\n     2\tb"),
        ([i64::MIN, i64::MAX], "     1\ta\n     2\tb\n     3\tc\n     4\t"),
        ([3, 99], "     3\tc\n     4\t"),
    ] {
        assert_eq!(store.ok(view_range(F, range)), format!("{HEADER}{shown}"), "{range:?}");
    }
    // Inverted, or beyond the file: the file's line count is named.
    for range in [[2, 1], [5, 5], [5, -1], [5, 9], [1, 0], [0, 0], [1, -2], [i64::MAX, i64::MIN]] {
        let [start, end] = range;
        assert_eq!(
            store.err(view_range(F, range)),
            format!("Error: Invalid `view_range` parameter: [{start}, {end}]. The file /memories/f has 4 lines")
        );
    }
    let mut store = Harness::with(&[(F, "")]);
    assert_eq!(store.ok(view_range(F, [1, -1])), format!("{HEADER}     1\t"));
    assert!(store.err(view_range(F, [2, 3])).ends_with("The file /memories/f has 1 line"));
}

#[test]
fn null_is_no_range() {
    let mut store = Harness::with(&[(F, "a\nb")]);
    let shown = store.ok(json!({"command": "view", "path": F, "view_range": null}));
    assert_eq!(shown, store.ok(view(F)));
}

#[test]
fn a_long_text_is_cut_at_a_line_boundary() {
    let line = "x".repeat(92);
    let mut store = Harness::with(&[(F, &format!("{line}\n").repeat(200))]);
    let text = store.ok(view(F));
    let (shown, note) = text.rsplit_once('\n').unwrap();
    // Each line is 7 + 92 characters and a newline between: 160 lines are 15,999.
    assert_eq!(shown.strip_prefix(HEADER).unwrap().chars().count(), 15_999);
    assert!(shown.ends_with(&format!("   160\t{line}")));
    assert_eq!(note, "[Cut after line 160 of 201 lines; use view_range to read on, such as [161, 201]]");

    // The same within a range.
    let text = store.ok(view_range(F, [11, -1]));
    assert!(text.ends_with(&format!(
        "   170\t{line}\n[Cut after line 170 of 201 lines; use view_range to read on, such as [171, 201]]"
    )));
    let text = store.ok(view_range(F, [161, 201]));
    assert!(text.ends_with("\n   201\t"), "{text}");
}

#[test]
fn the_cap_counts_characters_of_the_numbered_text_alone() {
    let mut store = Harness::with(&[(F, &"é".repeat(16_000 - 7)), ("/memories/g", &"é".repeat(16_000 - 6))]);
    assert_eq!(store.ok(view(F)), format!("{HEADER}     1\t{}", "é".repeat(15_993)));
    assert_eq!(
        store.ok(view("/memories/g")),
        format!(
            "Here's the content of /memories/g with line numbers:\n     1\t{}\n[Cut within line 1 of 1 line; use \
             view_range [1, 1] to read this line whole]",
            "é".repeat(15_993)
        )
    );
}

#[test]
fn a_line_asked_for_alone_is_shown_whole() {
    let long = "y".repeat(50_000);
    let mut store = Harness::with(&[(F, &format!("a\n{long}\nb"))]);
    let shown = store.ok(view(F));
    assert_eq!(
        shown,
        format!("{HEADER}     1\ta\n[Cut after line 1 of 3 lines; use view_range to read on, such as [2, 3]]")
    );
    let shown = store.ok(view_range(F, [2, 3]));
    let cut = "y".repeat(15_993);
    assert_eq!(
        shown,
        format!("{HEADER}     2\t{cut}\n[Cut within line 2 of 3 lines; use view_range [2, 2] to read this line whole]")
    );
    assert_eq!(store.ok(view_range(F, [2, 2])), format!("{HEADER}     2\t{long}"));
    // A start below 1 counts as 1 here too; a range that merely comes to one line is not one line asked for alone.
    let mut store = Harness::with(&[(F, &long)]);
    for (range, whole) in [([1, 1], true), ([0, 1], true), ([1, 2], false), ([1, -1], false)] {
        assert_eq!(store.ok(view_range(F, range)).ends_with(&long), whole, "{range:?}");
    }
}

#[test]
fn images_are_told_by_content_under_the_name_of_an_image() {
    let png = Bytes::from_static(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let jpeg = Bytes::from_static(b"\xff\xd8\xff\xe0\0\x10JFIF");
    let mut store = Harness::default();
    for (name, content, media_type) in [
        ("a.png", &png, "image/png"),
        ("b.PNG", &png, "image/png"),
        ("c.jpg", &png, "image/png"),
        ("d.jpeg", &jpeg, "image/jpeg"),
        ("e.jpg", &jpeg, "image/jpeg"),
        ("f.x.png", &jpeg, "image/jpeg"),
    ] {
        let path = format!("/memories/{name}");
        let put = Command::Put { path: path.clone(), content: content.clone() };
        assert_eq!(store.command(Ok(put)), Reply::Text(format!("File written successfully at: {path}")));
        let image = Reply::Image { media_type, data: content.clone() };
        assert_eq!(store.call(&view(&path)), image);
        // view_range is ignored.
        assert_eq!(store.call(&view_range(&path, [9, 1])), image);
    }
    // Under another name it is binary content like any other.
    store.ok(json!({"command": "rename", "old_path": "/memories/a.png", "new_path": "/memories/a.bin"}));
    assert_eq!(
        store.err(view("/memories/a.bin")),
        "Error: /memories/a.bin can not be shown: it is neither text nor an image (PNG or JPEG, named .png, .jpg or .jpeg)"
    );
}

#[test]
fn valid_utf_8_is_text_whatever_its_name() {
    let mut store = Harness::with(&[("/memories/a.png", "PNG")]);
    assert!(store.ok(view("/memories/a.png")).ends_with("     1\tPNG"));
}

#[test]
fn it_asks_for_the_content_of_this_file() {
    let mut store = Harness::with(&[(F, "x")]);
    let (asked, needs) = store.asks(view(F));
    assert_eq!(asked, 1);
    assert!(matches!(needs, Err(NeedsContent::Of(content)) if content.version.seq == 1));
}

proptest! {
    #[test]
    fn the_numbered_lines_are_the_file(content in "[ab\n\r\té\u{2028}]{0,60}") {
        let mut store = Harness::with(&[(F, &content)]);
        let shown = store.ok(view(F));
        let lines: Vec<&str> = shown.strip_prefix(HEADER).unwrap().split('\n').collect();
        for (number, line) in (1..).zip(&lines) {
            prop_assert_eq!(&line[..7], &format!("{number:6}\t"));
        }
        prop_assert_eq!(lines.iter().map(|line| &line[7..]).collect::<Vec<_>>().join("\n"), content);
    }

    #[test]
    fn ranges_of_views_put_together_are_the_file(content in "[ab\n]{0,40}", step in 1i64..5, cap in 8usize..40) {
        let mut store = Harness::with(&[(F, &content)]);
        store.limits.view_chars = cap;
        let count = i64::try_from(content.split('\n').count()).unwrap();
        let (mut read, mut next) = (Vec::new(), 1);
        while next <= count {
            let shown = store.ok(view_range(F, [next, next + step - 1]));
            let mut cut_within = false;
            for row in shown.lines().skip(1).chain(shown.ends_with('\n').then_some("")) {
                if row.starts_with("[Cut") {
                    cut_within = row.contains("within");
                    break;
                }
                read.push(row[7..].to_owned());
                next += 1;
            }
            if cut_within {
                read.pop();
                next -= 1;
                let whole = store.ok(view_range(F, [next, next]));
                read.push(whole.lines().nth(1).unwrap()[7..].to_owned());
                next += 1;
            }
        }
        prop_assert_eq!(read.join("\n"), content);
    }
}
