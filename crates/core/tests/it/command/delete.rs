//! BEHAVIOUR, "`delete`", and the library's way to clear everything.

use memoseal_core::command::{Command, Edit, Reply};

use super::harness::{Harness, delete, view};

#[test]
fn a_file() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/b", "1")]);
    assert_eq!(store.ok(delete("/memories/a")), "Successfully deleted /memories/a");
    assert_eq!(store.paths(), ["/memories/b"]);
}

#[test]
fn a_directory_goes_with_all_that_is_in_it() {
    let mut store = Harness::with(&[
        ("/memories/a/x", "1"),
        ("/memories/a/.y/z", "1"),
        ("/memories/a/node_modules/z", "1"),
        ("/memories/ab", "1"),
        ("/memories/a.txt", "1"),
        ("/memories/b/a/x", "1"),
    ]);
    let outcome = store.outcome(Command::parse(&delete("/memories/a/")));
    assert_eq!(outcome.reply, Reply::Text("Successfully deleted /memories/a".into()));
    assert_eq!(outcome.edits.len(), 3);
    assert!(outcome.edits.iter().all(|edit| matches!(edit, Edit::Delete { .. })));
    assert_eq!(store.paths(), ["/memories/a.txt", "/memories/ab", "/memories/b/a/x"]);
}

#[test]
fn missing() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    for path in ["/memories/b", "/memories/a/b", "/memories/A"] {
        assert_eq!(store.err(delete(path)), format!("Error: The path {path} does not exist"));
    }
}

#[test]
fn the_root() {
    for mut store in [Harness::default(), Harness::with(&[("/memories/a", "1")])] {
        for path in ["/memories", "/memories/", "/memories/a/..", "/memories//.", "/memories/x/../"] {
            assert_eq!(store.err(delete(path)), "Error: Cannot delete the /memories directory itself");
        }
    }
}

#[test]
fn it_never_asks_for_content() {
    let mut store = Harness::with(&[("/memories/a/b", "1")]);
    assert_eq!(store.asks(delete("/memories/a")), (0, Ok(())));
    assert_eq!(store.asks(delete("/memories/a/b")), (0, Ok(())));
}

#[test]
fn clearing_deletes_everything() {
    let mut store = Harness::with(&[("/memories/a/b", "1"), ("/memories/.c", "1")]);
    let outcome = store.outcome(Ok(Command::Clear));
    assert_eq!((outcome.reply, outcome.edits.len()), (Reply::Text("All memory cleared".into()), 2));
    assert!(store.paths().is_empty());
    assert!(store.ok(view("/memories")).ends_with("\n0B\t/memories"));
    let outcome = store.outcome(Ok(Command::Clear));
    assert_eq!((outcome.reply, outcome.edits.len()), (Reply::Text("All memory cleared".into()), 0));
}
