//! What a store takes out of what is written to it.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::*;

/// The shape of a token, put together here so that nobody takes this file for one that leaks it.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn call(place: &Place, input: Value) -> Value {
    let answer = place.run_with(&["tool"], format!("{input}\n").as_bytes()).ok();
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn a_secret_is_taken_out_before_it_is_sealed_and_the_model_is_told() {
    let place = Place::new();
    let text = format!("deploy with {}\nwrite to ada@corp.dev\n", token());
    let answer = call(&place, json!({ "command": "create", "path": "/memories/ci", "file_text": text }));
    let said = answer["content"].as_str().unwrap();
    assert!(said.starts_with("File created successfully at: /memories/ci\n1 value was taken out"), "{said}");
    assert!(said.contains("(line 1)") && !said.contains("ghp_"), "{said}");
    let held = place.run(&["cat", "ci"]).ok();
    assert!(held.starts_with("deploy with [REDACTED:github-"), "{held}");
    assert!(held.ends_with("write to ada@corp.dev\n"), "{held}");

    let history = place.run(&["history", "--findings"]).ok();
    assert!(history.contains("line 1: github-") && history.contains("was taken out"), "{history}");
    assert!(place.run(&["info"]).ok().contains("1 value was taken out"));
    assert!(place.run(&["verify", "--read-data"]).ok().contains("no damage found"));
}

#[test]
fn a_policy_is_told_and_set_and_obeyed() {
    let place = Place::new();
    assert_eq!(place.run(&["policy"]).ok(), "secrets are taken out of what is written\n");
    let known = place.path().join("known");
    std::fs::write(&known, "bob@corp.dev\n").unwrap();
    let known = known.to_str().unwrap();
    let said = place.run(&["policy", "all", "--reject", "iban", "--allow-values", known]).ok();
    assert!(said.starts_with("secrets and personal data") && said.contains("iban: what holds it is refused"), "{said}");
    assert!(said.ends_with("1 value of your own, kept as a keyed hash\n"), "{said}");
    place.run_with(&["put", "a", "-"], b"ada@corp.dev bob@corp.dev\n").ok();
    assert_eq!(place.run(&["cat", "a"]).ok(), "[REDACTED:email] bob@corp.dev\n");
    let refused = place.run_with(&["put", "b", "-"], b"pay to GB82 WEST 1234 5698 7654 32\n");
    assert!(refused.code != 0 && refused.stderr.contains("iban (line 1)"), "{refused:?}");
    assert!(!refused.stderr.contains("GB82"), "{refused:?}");

    let set: Value = serde_json::from_str(&place.run(&["policy", "off", "--json"]).ok()).unwrap();
    assert_eq!(set, json!({ "policy": { "level": "off" }, "changed": true }));
    place.run_with(&["put", "c", "-"], b"ada@corp.dev\n").ok();
    assert_eq!(place.run(&["cat", "c"]).ok(), "ada@corp.dev\n");
    let unknown = place.run(&["policy", "all", "--reject", "unicorn"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("there is no kind unicorn"), "{unknown:?}");
}

#[test]
fn put_and_restore_say_what_was_taken_out_and_how_much_is_kept() {
    let place = Place::new();
    place.run_with(&["put", "old", "-"], b"ada@corp.dev\n").ok();
    place.run_with(&["put", "old", "-"], b"nobody\n").ok();
    place.run(&["policy", "all"]).ok();
    let text = b"one\nada@corp.dev\nbob@corp.dev ada@corp.dev\n";
    let kept = "one\n[REDACTED:email]\n[REDACTED:email] [REDACTED:email]\n";
    let said = place.run_with(&["put", "a", "-"], text).ok();
    let size = kept.len();
    let expected = format!("wrote /memories/a ({size} bytes)\ntaken out: email, 3 times (lines 2, 3)\n");
    assert_eq!((said, place.run(&["cat", "a"]).ok().as_str()), (expected, kept));
    let told: Value = serde_json::from_str(&place.run_with(&["put", "a", "-", "--json"], text).ok()).unwrap();
    assert_eq!(told, json!({ "path": "/memories/a", "size": size, "taken_out": { "email": 3 } }));
    let said = place.run_with(&["put", "b", "-"], b"x").ok();
    assert_eq!(said, "wrote /memories/b (1 byte)\n");

    let dry = place.run(&["restore", "old", "--dry-run"]).ok();
    assert!(
        dry.starts_with("would restore") && dry.ends_with("\nwould be taken out: email, 1 time (line 1)\n"),
        "{dry}"
    );
    let told: Value = serde_json::from_str(&place.run(&["restore", "old", "--json"]).ok()).unwrap();
    assert_eq!((&told["changed"], &told["taken_out"]), (&json!(true), &json!({ "email": 1 })), "{told}");
    place.run(&["rm", "old"]).ok();
    place.run(&["policy", "secrets"]).ok();
    assert!(!place.run(&["restore", "old"]).ok().contains("taken out"));
    place.run_with(&["put", "old", "-"], format!("{}\n", token()).as_bytes()).ok();
    assert_eq!(place.run(&["cat", "old"]).ok().matches("[REDACTED:").count(), 1);
}

#[test]
fn what_is_imported_is_scrubbed_and_counted() {
    let place = Place::new();
    let folder = place.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.md"), format!("{}\n", token())).unwrap();
    std::fs::write(folder.join(format!("{}.md", token())), "x\n").unwrap();
    let folder = folder.to_str().unwrap();
    let dry: Value = serde_json::from_str(&place.run(&["import", folder, "--dry-run", "--json"]).stdout).unwrap();
    let done = place.run(&["import", folder]);
    assert!(
        done.code == 7 && done.stdout.contains("taken out: github-") && done.stdout.contains(", 1 time\n"),
        "{done:?}"
    );
    assert!(done.stdout.contains("what no path may hold"), "{done:?}");
    assert_eq!((&dry["imported"], dry["taken_out"].as_object().unwrap().len()), (&json!(1), 1), "{dry}");
    assert!(place.run(&["import", folder]).stdout.contains("1 unchanged"));
}

#[test]
fn rules_of_ones_own_are_obeyed_by_whoever_is_given_them_and_missed_by_a_policy_that_names_their_kind() {
    let place = Place::new();
    let file = place.path().join("rules.toml");
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    write("[[rules]]\nid = \"house-badge\"\nregex = '''badge-([0-9]{4})'''\nkeywords = [\"badge\"]\n");
    let rules = file.to_str().unwrap();
    let put = |by: &mut Command, name: &str| Ended::with(by.args(["put", name, "-"]), b"my badge-1234\n");
    let cat = |name: &str| place.run(&["cat", name]).ok();

    put(&mut place.command(&["--rules", rules]), "option").ok();
    put(place.command(&[]).env("MEMOSEAL_RULES", rules), "variable").ok();
    let mut here = place.command(&[]);
    std::fs::write(place.path().join("memoseal.toml"), "rules = \"rules.toml\"\n").unwrap();
    put(here.current_dir(place.path()), "file").ok();
    for name in ["option", "variable", "file"] {
        assert_eq!(cat(name), "my badge-[REDACTED:house-badge]\n", "{name}");
    }
    let said = Ended::with(bare().current_dir(place.path()).args(["scrub"]), b"my badge-1234\n").ok();
    assert_eq!(said, "my badge-[REDACTED:house-badge]\n");
    put(&mut place.command(&[]), "without").ok();
    assert_eq!(cat("without"), "my badge-1234\n");

    let unknown = place.run(&["policy", "secrets", "--redact", "house-badge"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("load the rules that it is of"), "{unknown:?}");
    place.run(&["policy", "secrets", "--redact", "house-badge", "--rules", rules]).ok();
    let refused = put(&mut place.command(&[]), "later");
    assert!(refused.code == 2 && refused.stderr.contains("there is no kind house-badge"), "{refused:?}");
    put(&mut place.command(&["--rules", rules]), "later").ok();
    assert_eq!(cat("later"), "my badge-[REDACTED:house-badge]\n");

    // Nothing is written by rules that cannot be read.
    write("[[rules]]\nid = \"x\"\nregex = '''('''\n");
    let refused = put(&mut place.command(&["--rules", rules]), "never");
    assert!(refused.code == 2 && refused.stderr.contains("the pattern of x does not compile"), "{refused:?}");
    place.run(&["cat", "never"]).fails(4, "does not exist");
    place.run(&["put", "never", "-", "--rules", "nowhere.toml"]).fails(2, "name a file that you may read");
    place.run(&["info", "--rules", rules]).fails(2, "--rules would change nothing");
}
