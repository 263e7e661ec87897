//! BEHAVIOUR, "Several calls of one turn run in the order in which they came; an error in one does not stop the next."

use serde_json::json;

use super::harness::{Harness, create, delete, insert, rename, str_replace, view};

#[test]
fn each_call_sees_what_those_before_it_did() {
    let mut store = Harness::with(&[("/memories/old", "1")]);
    let answers = store.turn(&[
        create("/memories/a", "one\n"),
        str_replace("/memories/a", "one", "two"),
        view("/memories/a"),
        insert("/memories/a", 1, "three"),
        rename("/memories/a", "/memories/dir/b"),
        view("/memories/dir/b"),
        view("/memories/a"),
        delete("/memories/old"),
        create("/memories/old", "new"),
        view("/memories"),
    ]);
    assert_eq!(
        answers,
        [
            "File created successfully at: /memories/a",
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\ttwo\n     \
             2\t",
            "Here's the content of /memories/a with line numbers:\n     1\ttwo\n     2\t",
            "The file /memories/a has been edited.",
            "Successfully renamed /memories/a to /memories/dir/b",
            "Here's the content of /memories/dir/b with line numbers:\n     1\ttwo\n     2\tthree\n     3\t",
            "✗ The path /memories/a does not exist. Please provide a valid path.",
            "Successfully deleted /memories/old",
            "File created successfully at: /memories/old",
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and \
             node_modules:\n13B\t/memories\n10B\t/memories/dir/\n10B\t/memories/dir/b\n3B\t/memories/old",
        ]
    );
}

#[test]
fn an_error_does_not_stop_the_next() {
    let mut store = Harness::default();
    let answers = store.turn(&[
        create("/memories/a", "1"),
        create("/memories/a", "2"),
        json!({"command": "nonsense"}),
        create("/etc/passwd", "3"),
        create("/memories/b", "4"),
    ]);
    assert_eq!(
        answers,
        [
            "File created successfully at: /memories/a",
            "✗ Error: File /memories/a already exists",
            "✗ Error: Unknown command: nonsense",
            "✗ Error: Path must start with /memories, got: /etc/passwd",
            "File created successfully at: /memories/b",
        ]
    );
    assert_eq!((store.text("/memories/a"), store.text("/memories/b")), ("1".into(), "4".into()));
}

#[test]
fn directories_move_and_go_within_a_turn() {
    let mut store = Harness::with(&[("/memories/a/1", "1"), ("/memories/a/2", "2"), ("/memories/b", "3")]);
    let answers = store.turn(&[
        create("/memories/a/3", "4"),
        rename("/memories/a", "/memories/c"),
        delete("/memories/c/2"),
        rename("/memories/b", "/memories/a"),
        rename("/memories/c", "/memories/a/x"),
        rename("/memories/c", "/memories/d"),
        delete("/memories/a"),
        rename("/memories/d", "/memories/a"),
        view("/memories/d"),
    ]);
    assert!(answers[4].starts_with("✗ Error: /memories/a/x cannot be made"), "{answers:#?}");
    assert!(answers[8].starts_with('✗'));
    assert_eq!(answers.iter().filter(|answer| answer.starts_with('✗')).count(), 2, "{answers:#?}");
    assert_eq!(store.paths(), ["/memories/a/1", "/memories/a/3"]);
    assert_eq!(store.text("/memories/a/3"), "4");
}
