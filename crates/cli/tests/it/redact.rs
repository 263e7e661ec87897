//! `redact`, `retention` and `maintain`.

use serde_json::{Value, json};

use crate::support::*;

/// A secret that was written, renamed and overwritten.
fn lived_in() -> Place {
    let place = Place::new();
    let mut tool = place.tool(&[]);
    tool.ok(&create("/memories/a.md", "swordfish\n"));
    tool.ok(&json!({ "command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md" }));
    tool.ok(&json!({ "command": "str_replace", "path": "/memories/b.md", "old_str": "swordfish", "new_str": "x" }));
    tool.close();
    place
}

#[test]
fn redact_asks_tells_what_is_shared_and_takes_it_out() {
    let place = lived_in();
    let before = place.files();
    let dry = place.run(&["redact", "1.0", "--dry-run"]).ok();
    assert_eq!(dry, "would redact 1.0\nthe content stays, because these versions share it: 2.0\n");
    place.run(&["redact", "1.0"]).fails(2, "give --yes");
    place.run(&["redact", "3.0", "--yes"]).fails(2, "write or delete it first");
    place.run(&["redact", "9.0", "--yes"]).fails(4, "version 9.0 does not exist");
    assert_eq!(place.files(), before, "nothing was changed");

    assert_eq!(place.run(&["redact", "1.0", "2.0", "--yes"]).ok(), "redacted 1.0, 2.0\n");
    assert_eq!(place.run(&["redact", "1.0", "2.0"]).ok(), "nothing to redact\n");
    let history = place.run(&["history"]).ok();
    assert!(
        history.lines().filter(|line| line.contains("(redacted 20") && line.ends_with("by memoseal)")).count() == 2
    );
    let history: Value = serde_json::from_str(&place.run(&["history", "--json"]).ok()).unwrap();
    assert_eq!(history["versions"][1]["redacted"]["actor"]["name"], "memoseal");
    assert_eq!((&history["versions"][0]["redacted"], &history["versions"][2]["path"]), (&Value::Null, &Value::Null));
    place.run(&["show", "1.0"]).fails(4, "it was redacted");
    assert_eq!(place.run(&["cat", "b.md"]).ok(), "x\n");
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
fn retention_and_maintain_remove_what_was_replaced() {
    let place = lived_in();
    assert_eq!(place.run(&["retention"]).ok(), "versions that were replaced are kept for 30 days\n");
    assert_eq!(place.run(&["maintain"]).ok(), "user default, store default: nothing to do\n");
    assert_eq!(place.run(&["retention", "forever"]).ok(), "versions that were replaced are kept for good\n");
    let shown: Value = serde_json::from_str(&place.run(&["retention", "0", "--json"]).ok()).unwrap();
    assert_eq!(shown, json!({ "days": 0, "changed": true }));
    assert_eq!(place.run(&["retention", "soon"]).code, 2);
    let done: Value = serde_json::from_str(&place.run(&["maintain", "--json"]).ok()).unwrap();
    let store = &done["stores"][0];
    assert!(store["expired"].as_u64() > Some(0) && store["stripped"].as_u64() > Some(0), "{done}");
    place.run(&["show", "1.0"]).fails(4, "older than the store keeps it");
    assert_eq!(place.run(&["cat", "b.md"]).ok(), "x\n");
    let again = place.run(&["maintain", "--only-store"]).ok();
    assert!(again.starts_with("user default, store default: "), "{again}");
    place.run(&["verify", "--read-data"]).ok();
    for verb in ["redact", "retention", "maintain"] {
        assert!(place.run(&[verb, "--help"]).ok().contains("Example"), "{verb}");
    }
}

#[test]
fn two_processes_that_maintain_at_once_do_no_harm() {
    let place = lived_in();
    place.run(&["retention", "0"]).ok();
    let running: Vec<_> =
        (0..3).map(|_| place.command(&["maintain"]).stdout(std::process::Stdio::null()).spawn().unwrap()).collect();
    for mut running in running {
        assert!(running.wait().unwrap().success());
    }
    place.run(&["maintain"]).ok();
    place.run(&["verify", "--read-data"]).ok();
    assert_eq!(place.run(&["cat", "b.md"]).ok(), "x\n");
    place.run(&["show", "1.0"]).fails(4, "older than the store keeps it");
}
