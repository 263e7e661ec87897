//! BEHAVIOUR, "create".

use super::harness::{Harness, create, view};

#[test]
fn success() {
    let mut store = Harness::default();
    let text = "Meeting notes:\n- Discussed project timeline\n";
    assert_eq!(store.ok(create("/memories/notes.txt", text)), "File created successfully at: /memories/notes.txt");
    assert_eq!(store.text("/memories/notes.txt"), text);
}

#[test]
fn parents_need_no_making_and_content_is_literal() {
    let mut store = Harness::default();
    for (path, text) in [
        ("/memories/a/b/c/d.md", "x"),
        ("/memories/empty", ""),
        ("/memories/odd", "\r\n\0\u{feff}\u{2028}$&\\n"),
        ("/memories/.hidden/x", "1"),
    ] {
        assert_eq!(store.ok(create(path, text)), format!("File created successfully at: {path}"));
        assert_eq!(store.text(path), text);
    }
}

#[test]
fn what_exists_is_not_overwritten() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/d/x", "1"), ("/memories/caf\u{e9}", "1")]);
    for path in ["/memories/a", "/memories/./a", "/memories/d", "/memories", "/memories/cafe\u{301}", "/memories/x/.."]
    {
        assert_eq!(store.err(create(path, "2")), format!("Error: File {path} already exists"));
    }
    // The root and a directory exist, whether or not a slash follows.
    assert_eq!(store.err(create("/memories/", "2")), "Error: File /memories already exists");
    assert_eq!(store.err(create("/memories/d/", "2")), "Error: File /memories/d already exists");
    store.ok(create("/memories/A", "case counts"));
}

#[test]
fn a_trailing_slash_is_refused() {
    let mut store = Harness::default();
    assert_eq!(
        store.err(create("/memories/a/", "1")),
        "Error: Path /memories/a/ ends in a slash, but it would be a file; leave the slash out"
    );
}

#[test]
fn nothing_lies_below_a_file() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    for path in ["/memories/a/b", "/memories/a/b/c"] {
        assert_eq!(
            store.err(create(path, "1")),
            format!("Error: {path} cannot be made, because /memories/a is a file and not a directory")
        );
    }
}

#[test]
fn overwriting_is_an_option() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/d/x", "1")]);
    store.limits.overwrite = true;
    assert_eq!(store.ok(create("/memories/a", "2")), "File created successfully at: /memories/a");
    assert_eq!(store.text("/memories/a"), "2");
    // The same content again is no change.
    assert_eq!(store.no_op(create("/memories/a", "2")), "File created successfully at: /memories/a");
    // A directory is never replaced.
    for path in ["/memories/d", "/memories"] {
        assert_eq!(store.err(create(path, "2")), format!("Error: File {path} already exists"));
    }
    assert!(store.err(create("/memories/a/", "2")).contains("ends in a slash"));
    assert!(store.err(create("/memories/a/b", "2")).contains("/memories/a is a file"));
    assert_eq!(store.paths(), ["/memories/a", "/memories/d/x"]);
}

#[test]
fn it_never_asks_for_content() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    store.limits.overwrite = true;
    for input in [create("/memories/a", "1"), create("/memories/a", "2"), create("/memories/b", "")] {
        assert_eq!(store.asks(input), (0, Ok(())));
    }
    assert!(store.ok(view("/memories/a")).ends_with("\t1"));
}
