//! `history`, `show`, `diff` and `restore`.

use serde_json::{Value, json};

use crate::support::*;

/// A file that was edited, renamed and deleted, and another.
fn lived_in() -> Place {
    let place = Place::new();
    let mut tool = place.tool(&[]);
    tool.ok(&create("/memories/notes/today.md", "one\ntwo\n"));
    tool.ok(&json!({ "command": "str_replace", "path": "/memories/notes/today.md", "old_str": "two", "new_str": "2" }));
    tool.ok(&json!({ "command": "rename", "old_path": "/memories/notes", "new_path": "/memories/old" }));
    tool.ok(&create("/memories/a.md", "a\n"));
    tool.ok(&json!({ "command": "delete", "path": "/memories/old" }));
    tool.close();
    place
}

/// The columns of a table.
fn rows(shown: &str) -> Vec<Vec<&str>> {
    shown.lines().map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn history_lists_versions_newest_first() {
    let place = lived_in();
    let shown = place.run(&["history"]).ok();
    let rows = rows(&shown);
    let expected = [
        ("5.0", "deleted", "-", "/memories/old/today.md"),
        ("4.0", "created", "2", "/memories/a.md"),
        ("3.0", "modified", "6", "/memories/old/today.md"),
        ("2.0", "modified", "6", "/memories/notes/today.md"),
        ("1.0", "created", "8", "/memories/notes/today.md"),
    ];
    assert_eq!(rows.len(), expected.len(), "{shown}");
    for (row, (version, operation, size, path)) in rows.iter().zip(expected) {
        assert_eq!((row[0], row[2], row[3], row[4], row[5]), (version, operation, size, "memoseal", path), "{shown}");
        let time = row[1];
        assert!(time.len() == "2026-01-31T12:00:00Z".len() && time.ends_with('Z'), "{time}");
    }
    let one = place.run(&["history", "old/today.md"]).ok();
    assert_eq!(
        one.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["5.0", "3.0", "2.0", "1.0"]
    );
    let first = place.run(&["history", "--limit", "2"]).ok();
    assert!(first.lines().count() == 3 && first.ends_with("--before 4.0\n"), "{first}");
    let rest = place.run(&["history", "--limit", "3", "--before", "4.0"]).ok();
    assert!(rest.starts_with("3.0 ") && rest.lines().count() == 3, "{rest}");
}

#[test]
fn history_answers_in_json() {
    let place = lived_in();
    let read = |arguments: &[&str]| -> Value { serde_json::from_str(&place.run(arguments).ok()).unwrap() };
    let shown = read(&["history", "/memories/old/today.md", "--json", "--limit", "1"]);
    let version = &shown["versions"][0];
    assert_eq!(version["version"], "5.0");
    assert_eq!(version["previous"], "3.0");
    assert_eq!(version["path"], "/memories/old/today.md");
    assert_eq!(version["actor"], json!({ "type": "local", "name": "memoseal" }));
    assert_eq!((&version["size"], &version["has_content"]), (&Value::Null, &json!(false)));
    assert_eq!(version["memory"].as_str().unwrap().len(), 32);
    let next = shown["next"].as_str().unwrap();
    let rest = read(&["history", "old/today.md", "--json", "--before", next]);
    assert_eq!(rest["versions"].as_array().unwrap().len(), 3);
    assert_eq!((&rest["versions"][0]["version"], &rest["next"]), (&json!("3.0"), &Value::Null));
    assert_eq!(rest["versions"][2]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(read(&["history", "--json", "--user", "nobody"]), json!({ "versions": [], "next": null }));
}

#[test]
fn history_since_a_time_a_date_or_an_age() {
    let place = lived_in();
    for when in ["1h", "2 days", "2020-01-31", "2020-01-31T12:00:00Z", "2020-01-31T12:00:00+02:00"] {
        assert_eq!(place.run(&["history", "--since", when]).ok().lines().count(), 5, "{when}");
    }
    assert_eq!(place.run(&["history", "--since", "2999-01-01"]).ok(), "");
    place.run(&["history", "--since", "yesterday"]).fails(2, "cannot read \"yesterday\" as a time");
}

#[test]
fn show_prints_the_bytes_of_a_version() {
    let place = lived_in();
    assert_eq!(place.run(&["show", "1.0"]).ok(), "one\ntwo\n");
    assert_eq!(place.run(&["show", "2.0"]).ok(), "one\n2\n");
    assert_eq!(place.run(&["show", "3.0"]).ok(), "one\n2\n", "a rename");
    let shown: Value = serde_json::from_str(&place.run(&["show", "1.0", "--json"]).ok()).unwrap();
    assert_eq!(
        (&shown["content"], &shown["operation"], &shown["size"]),
        (&json!("one\ntwo\n"), &json!("created"), &json!(8))
    );
    place.run(&["show", "5.0"]).fails(4, "is a deletion; the one before it is 3.0");
    place.run(&["show", "6.0"]).fails(4, "version 6.0 does not exist");
    place.run(&["show", "1.1"]).fails(4, "version 1.1 does not exist");
    let wrong = place.run(&["show", "latest"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("written like 12.0"), "{wrong:?}");
}

#[test]
fn an_audit_names_memories_and_no_paths() {
    let place = lived_in();
    let audit = place.run(&["history", "--audit"]).ok();
    let whole = place.run(&["history"]).ok();
    assert_eq!(audit.lines().count(), whole.lines().count());
    assert!(!audit.contains("/memories") && audit.lines().all(|line| line.contains("memory ")), "{audit}");
    let audit: Value = serde_json::from_str(&place.run(&["history", "--audit", "--json"]).ok()).unwrap();
    let whole: Value = serde_json::from_str(&place.run(&["history", "--json"]).ok()).unwrap();
    for (audit, whole) in audit["versions"].as_array().unwrap().iter().zip(whole["versions"].as_array().unwrap()) {
        assert_eq!(audit["path"], Value::Null);
        for field in ["version", "memory", "operation", "actor"] {
            assert!(!audit[field].is_null() && audit[field] == whole[field], "{field}: {audit} {whole}");
        }
    }
}

#[test]
fn diff_compares_two_versions_or_one_with_now() {
    let place = lived_in();
    let expected = "\
--- /memories/notes/today.md\t1.0
+++ /memories/notes/today.md\t2.0
@@ -1,2 +1,2 @@
 one
-two
+2
";
    assert_eq!(place.run(&["diff", "1.0", "2.0"]).ok(), expected);
    assert_eq!(place.run(&["diff", "2.0", "3.0"]).ok(), "", "a rename changes no content");
    let shown: Value = serde_json::from_str(&place.run(&["diff", "1.0", "2.0", "--json"]).ok()).unwrap();
    assert_eq!((&shown["same"], &shown["diff"]), (&json!(false), &json!(expected)));
    place.run(&["diff", "1.0"]).fails(4, "it was deleted; name a second version");
    place.run(&["diff", "1.0", "9.0"]).fails(4, "version 9.0 does not exist");
    place.run_with(&["put", "a.md", "-"], b"b\n").ok();
    let now = place.run(&["diff", "4.0"]).ok();
    assert!(now.contains("+++ /memories/a.md\t6.0\n") && now.ends_with("-a\n+b\n"), "{now}");
    place.run_with(&["put", "p.png", "-"], b"\x89PNG\r\n\x1a\n\xff").ok();
    assert!(place.run(&["diff", "4.0", "7.0"]).ok().starts_with("binary contents differ"));
}

#[test]
fn restore_undoes_an_edit_a_rename_and_a_deletion() {
    let place = lived_in();
    let before = place.files();
    let dry = place.run(&["restore", "old/today.md", "--dry-run"]).ok();
    assert_eq!(dry, "would restore /memories/old/today.md from version 3.0\n");
    assert_eq!(place.files(), before, "nothing was changed");
    let done = place.run(&["restore", "old/today.md"]).ok();
    assert_eq!(done, "restored /memories/old/today.md from version 3.0\n");
    assert_eq!(place.run(&["cat", "old/today.md"]).ok(), "one\n2\n");
    place.run(&["restore", "old/today.md"]).fails(4, "an earlier version of /memories/old/today.md does not exist");

    place.run_with(&["put", "a.md", "-"], b"b\n").ok();
    let shown: Value = serde_json::from_str(&place.run(&["restore", "a.md", "--json"]).ok()).unwrap();
    assert_eq!(
        shown,
        json!({ "version": "4.0", "new_version": "8.0", "path": "/memories/a.md", "changed": true, "dry_run": false,
            "taken_out": {} })
    );
    assert_eq!(place.run(&["cat", "a.md"]).ok(), "a\n");
    let again = place.run(&["restore", "--version", "4.0"]).ok();
    assert_eq!(again, "/memories/a.md is what it was in version 4.0: nothing to do\n");
    place.run(&["restore", "a.md", "--to", "b.md", "--version", "4.0"]).ok();
    assert_eq!(place.run(&["cat", "b.md"]).ok(), "a\n");
    assert_eq!(place.run(&["cat", "a.md"]).ok(), "a\n");
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
fn what_cannot_be_restored_is_a_clear_error() {
    let place = lived_in();
    place.run(&["restore", "nope.md"]).fails(4, "/memories/nope.md does not exist");
    place.run(&["restore", "--version", "9.0"]).fails(4, "version 9.0 does not exist");
    place.run(&["restore", "--version", "5.0"]).fails(4, "is a deletion; the one before it is 3.0");
    place.run(&["restore", "a.md", "--version", "1.0"]).fails(2, "Version 1.0 is not one of /memories/a.md");
    place.run(&["restore", "--version", "1.0", "--to", "a.md"]).fails(2, "/memories/a.md already exists");
    place.run(&["restore", "--version", "1.0", "--to", "../x"]).fails(2, "would escape");
    place.run(&["history", "nope.md"]).fails(4, "/memories/nope.md does not exist");
    assert_eq!(place.run(&["restore"]).code, 2);
    assert_eq!(place.run(&["history", "--limit", "0"]).code, 2);
    for verb in ["history", "show", "diff", "restore"] {
        assert!(place.run(&[verb, "--help"]).ok().contains("Example"), "{verb}");
    }
}
