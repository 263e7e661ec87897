//! `ls -l`, `put --no-clobber`, `rm`, `mv`, `search` and `clear`.

use serde_json::{Value, json};

use crate::support::*;

/// A few files in two directories, and a picture.
fn lived_in() -> Place {
    let place = Place::new();
    for (path, text) in [
        ("a.md", "one\nTwo\n"),
        ("notes/today.md", "swordfish\r\nÄrger\n"),
        ("notes/deep/x.md", "two swordfish\n"),
        ("notes.md", "beside the directory\n"),
    ] {
        place.run_with(&["put", path, "-"], text.as_bytes()).ok();
    }
    place.run_with(&["put", "p.png", "-"], b"\x89PNG\r\n\x1a\n\xff swordfish").ok();
    place
}

fn paths(place: &Place) -> Vec<String> {
    place.run(&["ls", "-r"]).ok().lines().map(str::to_owned).collect()
}

#[test]
fn the_key_in_use_is_put_nowhere() {
    let place = Place::new();
    let key = place.key();
    place.run(&["put", "pic.png", key.to_str().unwrap()]).fails(2, "outside of the vault");
    let detour = place.path().join("vault/../key");
    place.run(&["put", "n", detour.to_str().unwrap(), "--json"]).fails_in_usage();
    let other = place.path().join("other");
    std::fs::write(&other, "no key").unwrap();
    place.run(&["put", "n", other.to_str().unwrap()]).ok();
    #[cfg(unix)]
    {
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&key, &link).unwrap();
        place.run(&["put", "n", link.to_str().unwrap()]).fails(2, "keep a copy");
    }
    assert_eq!(place.run(&["ls"]).ok(), "/memories/n\n");
}

#[test]
fn ls_tells_size_time_and_version() {
    let place = lived_in();
    let shown = place.run(&["ls", "-l"]).ok();
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let expected = [
        ("8", "1.0", "/memories/a.md"),
        ("32", "-", "/memories/notes/"),
        ("21", "4.0", "/memories/notes.md"),
        ("19", "5.0", "/memories/p.png"),
    ];
    assert_eq!(rows.len(), expected.len(), "{shown}");
    for (row, (size, version, path)) in rows.iter().zip(expected) {
        assert_eq!((row[0], row[2], row[3]), (size, version, path), "{shown}");
        assert!(row[1].len() == "2026-01-31T12:00:00Z".len() && row[1].ends_with('Z'), "{shown}");
    }
    let listed: Value = serde_json::from_str(&place.run(&["ls", "--json"]).ok()).unwrap();
    let history: Value = serde_json::from_str(&place.run(&["history", "a.md", "--json"]).ok()).unwrap();
    let (file, version) = (&listed["entries"][0], &history["versions"][0]);
    // Times are written alike everywhere, and the same moment is the same text.
    for (listed, told) in [("time", "time"), ("created_time", "time"), ("version", "version"), ("memory", "memory")] {
        assert_eq!(file[listed], version[told], "{listed}: {file} {version}");
    }
    assert!(file.as_object().unwrap().keys().all(|name| !name.ends_with("_ms")), "{file}");
    assert!(listed["entries"][1]["time"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn the_history_of_a_memory_is_found_by_its_id() {
    let place = lived_in();
    place.run(&["mv", "a.md", "b.md"]).ok();
    place.run_with(&["put", "a.md", "-"], b"another\n").ok();
    let listed: Value = serde_json::from_str(&place.run(&["ls", "b.md", "--json"]).ok()).unwrap();
    let id = listed["entries"][0]["memory"].as_str().unwrap();
    place.run(&["rm", "b.md"]).ok();
    let shown = place.run(&["history", "--memory", id]).ok();
    let versions: Vec<&str> = shown.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(versions, ["8.0", "6.0", "1.0"]);
    place.run(&["history", "--memory", &"0".repeat(32)]).fails(4, "does not exist");
    for wrong in [&["history", "--memory", "7"] as &[&str], &["history", "a.md", "--memory", id]] {
        assert_eq!(place.run(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn put_replaces_nothing_if_it_must_not() {
    let place = lived_in();
    let before = place.files();
    for (path, content) in [("a.md", b"other".as_slice()), ("p.png", b"\x89PNG\r\n\x1a\nother")] {
        place.run_with(&["put", "-n", path, "-"], content).fails(2, "leave --no-clobber out");
    }
    place.run_with(&["put", "--no-clobber", "a.md", "-"], b"one\nTwo\n").ok();
    assert_eq!(place.files(), before, "nothing was changed");
    place.run_with(&["put", "--no-clobber", "new/p.png", "-"], b"\x89PNG\r\n\x1a\n\xff").ok();
    place.run_with(&["put", "--no-clobber", "notes", "-"], b"x").fails(2, "is a directory");
}

#[test]
fn rm_deletes_files_and_directories_only_if_asked_and_all_at_once() {
    let place = lived_in();
    let before = place.files();
    place.run(&["rm", "notes"]).fails(2, "give -r");
    place.run(&["rm", "a.md", "nope.md"]).fails(4, "/memories/nope.md does not exist");
    place.run(&["rm", "-r", "/memories"]).fails(2, "`memoseal clear`");
    place.run(&["rm", "../x"]).fails(2, "would escape");
    assert_eq!(
        place.run(&["rm", "-r", "notes", "--dry-run"]).ok(),
        "would delete /memories/notes/deep/x.md\nwould delete /memories/notes/today.md\n"
    );
    assert_eq!(place.files(), before, "nothing was changed");
    let shown = place.run(&["rm", "-r", "notes/deep", "a.md", "notes", "a.md", "--json"]).ok();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let deleted = ["/memories/a.md", "/memories/notes/deep/x.md", "/memories/notes/today.md"];
    assert_eq!(shown, json!({ "dry_run": false, "deleted": deleted }));
    assert_eq!(paths(&place), ["/memories/notes.md", "/memories/p.png"]);
    assert_eq!(place.files().len(), before.len() + 1, "one commit");
    place.run(&["restore", "a.md"]).ok();
    assert_eq!(place.run(&["cat", "a.md"]).ok(), "one\nTwo\n");
}

#[test]
fn mv_moves_files_and_directories_to_where_nothing_stands() {
    let place = lived_in();
    assert_eq!(place.run(&["mv", "notes", "old/notes"]).ok(), "moved /memories/notes to /memories/old/notes\n");
    let moved: Value = serde_json::from_str(&place.run(&["mv", "a.md", "b.md", "--json"]).ok()).unwrap();
    assert_eq!(moved, json!({ "old_path": "/memories/a.md", "new_path": "/memories/b.md" }));
    assert_eq!(paths(&place).len(), 5);
    place.run(&["mv", "nope", "x"]).fails(4, "/memories/nope does not exist");
    place.run(&["mv", "b.md", "p.png"]).fails(2, "already exists");
    place.run(&["mv", "old", "old/older"]).fails(2, "inside it");
    place.run(&["mv", "/memories", "x"]).fails(2, "the /memories directory itself");
    place.run(&["mv", "b.md", "../x"]).fails(2, "would escape");
}

#[test]
fn search_finds_lines_by_a_text_that_is_taken_as_it_is() {
    let place = lived_in();
    let found = place.run(&["search", "swordfish"]).ok();
    // What a terminal would take for a command is not printed; a picture is not searched.
    assert_eq!(found, "/memories/notes/deep/x.md:1: two swordfish\n/memories/notes/today.md:1: swordfish\u{fffd}\n");
    assert_eq!(place.run(&["search", "two"]).ok(), "/memories/notes/deep/x.md:1: two swordfish\n");
    let both = place.run(&["search", "-i", "TWO"]).ok();
    assert_eq!(both, "/memories/a.md:2: Two\n/memories/notes/deep/x.md:1: two swordfish\n");
    assert_eq!(place.run(&["search", "-i", "äRGER", "notes"]).ok(), "/memories/notes/today.md:2: Ärger\n");
    assert_eq!(place.run(&["search", "sword.*"]).ok(), "");
    assert_eq!(place.run(&["search", "two", "notes.md"]).ok(), "");
    let found: Value =
        serde_json::from_str(&place.run(&["search", "swordfish", "notes/today.md", "--json"]).ok()).unwrap();
    assert_eq!(found, json!({ "matches": [{ "path": "/memories/notes/today.md", "line": 1, "text": "swordfish\r" }] }));
    place.run(&["search", "x", "nope"]).fails(4, "/memories/nope does not exist");
    place.run(&["search", ""]).fails(2, "an empty text");
}

#[test]
fn clear_asks_and_the_history_stays() {
    let place = lived_in();
    let before = place.files();
    assert_eq!(place.run(&["clear", "--dry-run"]).ok(), "user default, store default: would delete 5 files\n");
    place.run(&["clear"]).fails(2, "give --yes");
    assert_eq!(place.files(), before, "nothing was changed");
    let shown: Value = serde_json::from_str(&place.run(&["clear", "--yes", "--json"]).ok()).unwrap();
    assert_eq!(shown, json!({ "dry_run": false, "user": "default", "store": "default", "files": 5 }));
    assert!(paths(&place).is_empty());
    assert_eq!(place.run(&["clear"]).ok(), "user default, store default: there are no files\n");
    place.run(&["restore", "notes/deep/x.md"]).ok();
    assert_eq!(paths(&place), ["/memories/notes/deep/x.md"]);
    place.run(&["verify", "--read-data"]).ok();
}
