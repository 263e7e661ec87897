//! BEHAVIOUR, "Known defects of other implementations", each by name.

use serde_json::json;

use super::harness::{Harness, create, delete, insert, rename, str_replace, view};

#[test]
fn two_edits_to_one_file_in_one_turn_both_land() {
    let mut store = Harness::with(&[("/memories/a", "one two")]);
    let answers = store.turn(&[str_replace("/memories/a", "one", "1"), str_replace("/memories/a", "two", "2")]);
    assert!(answers.iter().all(|answer| answer.starts_with("The memory file has been edited.")));
    assert_eq!(store.text("/memories/a"), "1 2");
}

#[test]
fn multi_line_old_str_matches() {
    let mut store = Harness::with(&[("/memories/a", "a\nb\nc\n")]);
    store.ok(str_replace("/memories/a", "a\nb\n", "x\n"));
    assert_eq!(store.text("/memories/a"), "x\nc\n");
}

#[test]
fn omitted_new_str_writes_nothing() {
    let mut store = Harness::with(&[("/memories/a", "keep drop")]);
    store.ok(json!({"command": "str_replace", "path": "/memories/a", "old_str": " drop"}));
    assert_eq!(store.text("/memories/a"), "keep");
}

#[test]
fn two_matches_on_one_line_are_refused() {
    let mut store = Harness::with(&[("/memories/a", "x x")]);
    assert!(store.err(str_replace("/memories/a", "x", "y")).contains("in lines: 1, 1."));
}

#[test]
fn overlapping_matches_are_two() {
    let mut store = Harness::with(&[("/memories/a", "aaa")]);
    assert!(store.err(str_replace("/memories/a", "aa", "b")).contains("in lines: 1, 1."));
}

#[test]
fn a_sibling_of_the_root_is_refused() {
    let mut store = Harness::default();
    let expected = "Error: Path must start with /memories, got: /memories_backup/x";
    assert_eq!(store.err(create("/memories_backup/x", "1")), expected);
    assert_eq!(store.err(view("/memories_backup/x")), expected);
}

#[test]
fn create_without_file_text_leaves_no_file() {
    let mut store = Harness::default();
    let text = store.err(json!({"command": "create", "path": "/memories/a"}));
    assert_eq!(text, "Error: The field `file_text` is missing");
    assert!(store.paths().is_empty());
}

#[test]
fn a_failed_rename_makes_no_parent() {
    let mut store = Harness::default();
    store.err(rename("/memories/none", "/memories/p/q"));
    assert_eq!(store.err(delete("/memories/p")), "Error: The path /memories/p does not exist");
    assert!(store.ok(view("/memories")).ends_with("\n0B\t/memories"));
}

#[test]
fn insert_keeps_form_feeds_and_line_separators() {
    let content = "a\u{c}b\u{2028}c\u{85}d\u{1e}e\rf\nlast";
    let mut store = Harness::with(&[("/memories/a", content)]);
    store.ok(insert("/memories/a", 1, "x"));
    assert_eq!(store.text("/memories/a"), content.replace("\nlast", "\nx\nlast"));
}

#[test]
fn a_directory_is_not_renamed_into_itself() {
    let mut store = Harness::with(&[("/memories/a/x", "1")]);
    let expected = "Error: Cannot rename /memories/a to /memories/a/b/c, which lies inside it";
    assert_eq!(store.err(rename("/memories/a", "/memories/a/b/c")), expected);
    assert_eq!(store.paths(), ["/memories/a/x"]);
}

#[test]
fn deleting_a_directory_leaves_what_begins_alike() {
    let mut store = Harness::with(&[("/memories/a/x", "1"), ("/memories/ab", "1"), ("/memories/a.md", "1")]);
    store.ok(delete("/memories/a"));
    assert_eq!(store.paths(), ["/memories/a.md", "/memories/ab"]);
}

#[test]
fn no_answer_holds_an_error_of_the_operating_system() {
    // What a file system would refuse: an error of ours, or simply a name.
    let mut store = Harness::with(&[("/memories/a", "1")]);
    for input in [
        view("/memories/a/b"),
        create("/memories/a/b", "1"),
        create(&format!("/memories/{}", "x".repeat(300)), "1"),
        create("/memories/nul\0", "1"),
        rename("/memories/a", "/memories/a/b"),
        delete("/memories/a/b"),
    ] {
        let text = store.err(input);
        for leak in ["os error", "Errno", "No such file", "Not a directory", "/tmp", "/home"] {
            assert!(!text.contains(leak), "{text}");
        }
    }
    store.ok(create("/memories/CON", "1"));
    store.ok(create("/memories/a:b*c?", "1"));
}
