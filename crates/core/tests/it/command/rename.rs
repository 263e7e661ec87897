//! BEHAVIOUR, "`rename`".

use memoseal_core::command::{Command, Edit, Reply};

use super::harness::{Harness, create, rename, view};

#[test]
fn a_file() {
    let mut store = Harness::with(&[("/memories/draft.txt", "1")]);
    assert_eq!(
        store.ok(rename("/memories/draft.txt", "/memories/final.txt")),
        "Successfully renamed /memories/draft.txt to /memories/final.txt"
    );
    assert_eq!(store.paths(), ["/memories/final.txt"]);
    // Its content is the one that it had, and goes on to be found.
    assert!(store.ok(view("/memories/final.txt")).ends_with("     1\t1"));
    store.ok(rename("/memories/final.txt", "/memories/a/b/c"));
    assert_eq!(store.text("/memories/a/b/c"), "1");
}

#[test]
fn a_directory_moves_with_all_that_is_in_it() {
    let mut store = Harness::with(&[
        ("/memories/a/x", "1"),
        ("/memories/a/.y/z", "2"),
        ("/memories/ab", "3"),
        ("/memories/a!/x", "4"),
        ("/memories/a/m/n/o", "5"),
    ]);
    let outcome = store.outcome(Command::parse(&rename("/memories/a/", "/memories/new/b/")));
    assert_eq!(outcome.reply, Reply::Text("Successfully renamed /memories/a to /memories/new/b".into()));
    let paths: Vec<_> = outcome
        .edits
        .iter()
        .map(|edit| match edit {
            Edit::Move { path, .. } => path.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(paths, ["/memories/new/b/.y/z", "/memories/new/b/m/n/o", "/memories/new/b/x"]);
    assert_eq!(
        store.paths(),
        ["/memories/a!/x", "/memories/ab", "/memories/new/b/.y/z", "/memories/new/b/m/n/o", "/memories/new/b/x"]
    );
    assert_eq!(store.text("/memories/new/b/m/n/o"), "5");
}

#[test]
fn checks_in_their_order() {
    let deep = |n: usize| "/d".repeat(n);
    let files = [
        ("/memories/a".to_owned(), "1"),
        ("/memories/b".to_owned(), "2"),
        ("/memories/d/x".to_owned(), "3"),
        (format!("/memories/deep{}", deep(15)), "4"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let mut store = Harness::with(&files);
    let taken = |path: &str| format!("Error: The destination {path} already exists");
    for (old, new, expected) in [
        // The root, whatever the destination is.
        ("/memories", "/memories/z", "Error: Cannot rename the /memories directory itself".to_owned()),
        ("/memories/d/..", "/memories/b", "Error: Cannot rename the /memories directory itself".into()),
        ("/memories/", "/memories", "Error: Cannot rename the /memories directory itself".into()),
        // A missing source, also where the destination is taken.
        ("/memories/none", "/memories/b", "Error: The path /memories/none does not exist".into()),
        ("/memories/a/x", "/memories", "Error: The path /memories/a/x does not exist".into()),
        ("/memories/none", "/memories/none/x", "Error: The path /memories/none does not exist".into()),
        // A taken destination, also the same path.
        ("/memories/a", "/memories/b", taken("/memories/b")),
        ("/memories/a", "/memories/a", taken("/memories/a")),
        ("/memories/a", "/memories/./a/", taken("/memories/./a")),
        ("/memories/d", "/memories/d", taken("/memories/d")),
        ("/memories/a", "/memories/d", taken("/memories/d")),
        ("/memories/d", "/memories/a", taken("/memories/a")),
        ("/memories/a", "/memories", taken("/memories")),
        ("/memories/d", "/memories/d/x", taken("/memories/d/x")),
        ("/memories/deep", "/memories/deep/d", taken("/memories/deep/d")),
        // Into itself.
        (
            "/memories/d",
            "/memories/d/y",
            "Error: Cannot rename /memories/d to /memories/d/y, which lies inside it".into(),
        ),
        (
            "/memories/a",
            "/memories/a/y",
            "Error: Cannot rename /memories/a to /memories/a/y, which lies inside it".into(),
        ),
        // Below a file.
        (
            "/memories/d",
            "/memories/b/c/d",
            "Error: /memories/b/c/d cannot be made, because /memories/b is a file and not a directory".into(),
        ),
        // A trailing slash, refused for a file.
        (
            "/memories/a",
            "/memories/z/",
            "Error: Path /memories/z/ ends in a slash, but it would be a file; leave the slash out".into(),
        ),
        // A path under it that would break a limit.
        (
            "/memories/deep",
            "/memories/1/2/3/4/5/6",
            format!(
                "Error: Path /memories/1/2/3/4/5/6{} is 21 levels below /memories; at most 20 are allowed",
                deep(15)
            ),
        ),
    ] {
        assert_eq!(store.err(rename(old, new)), expected, "{old} {new}");
    }
    store.ok(rename("/memories/deep", "/memories/1/2/3/4/5"));
}

#[test]
fn a_path_that_would_grow_too_long() {
    let name = "n".repeat(200);
    let mut store =
        Harness::with(&[(&format!("/memories/a/{name}/{name}/{name}/{name}"), "1"), ("/memories/a/b", "1")]);
    // 9 bytes of `/memories`, 1 + 210, and four times 1 + 200.
    store.ok(rename("/memories/a", &format!("/memories/{}", "m".repeat(210))));
    let text = store.err(rename(&format!("/memories/{}", "m".repeat(210)), &format!("/memories/{}", "m".repeat(211))));
    assert!(text.starts_with("Error: Path /memories/mmm"), "{text}");
    assert!(text.ends_with(" is 1025 bytes long; at most 1024 are allowed"), "{text}");
}

#[test]
fn the_trailing_slash_of_a_source_does_not_matter() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    assert_eq!(store.ok(rename("/memories/a/", "/memories/b")), "Successfully renamed /memories/a to /memories/b");
}

#[test]
fn a_failed_rename_changes_nothing() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    store.err(rename("/memories/none", "/memories/new/dir/x"));
    assert!(store.err(view("/memories/new")).contains("does not exist"));
}

#[test]
fn names_that_differ_in_case_or_begin_alike_are_free() {
    let mut store = Harness::with(&[("/memories/a/x", "1"), ("/memories/b", "1")]);
    store.ok(rename("/memories/a", "/memories/ab"));
    store.ok(rename("/memories/b", "/memories/B"));
    assert_eq!(store.paths(), ["/memories/B", "/memories/ab/x"]);
    store.ok(create("/memories/b", "2"));
}

#[test]
fn a_thousand_files_are_a_thousand_moves_and_no_content() {
    let mut store = Harness::default();
    for i in 0..1_000 {
        store.ok(create(&format!("/memories/a/{i}"), "1"));
    }
    assert_eq!(store.asks(rename("/memories/a", "/memories/b")), (0, Ok(())));
    assert_eq!(store.outcome(Command::parse(&rename("/memories/a", "/memories/b"))).edits.len(), 1_000);
}
