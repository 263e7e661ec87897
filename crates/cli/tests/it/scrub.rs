//! `memoseal scrub`: a filter that needs no vault.

use std::fs;

use serde_json::{Value, json};

use crate::support::*;

/// In parts, so that nobody takes it for a token that leaked.
fn token() -> String {
    format!("ghp_{}", "A1b2C3d4E5f6".repeat(3))
}

fn scrub(arguments: &[&str], stdin: &str) -> Ended {
    Ended::with(bare().arg("scrub").args(arguments), stdin.as_bytes())
}

#[test]
fn the_text_comes_back_without_what_was_found() {
    let text = format!("token: {}\r\nmail ada@corp.dev\r\nlast", token());
    let expected = "token: [REDACTED:github-token]\r\nmail [REDACTED:email]\r\nlast";
    assert_eq!(scrub(&[], &text).ok(), expected);
    assert_eq!(scrub(&[], expected).ok(), expected);
    let only = scrub(&["--only", "secrets", "-"], &text).ok();
    assert_eq!(only, "token: [REDACTED:github-token]\r\nmail ada@corp.dev\r\nlast");
    let named = scrub(&["--only", "named", "--redact", "email"], &text).ok();
    assert!(named.contains("[REDACTED:email]") && named.contains(&token()), "{named}");
    let off = scrub(&["--off", "email", "--allow", "ghp_.*"], &text).ok();
    assert_eq!(off, text);
}

#[test]
fn a_check_names_what_it_found_and_never_the_value() {
    let text = format!("one\n{}\n", token());
    let found = scrub(&["--check"], &text);
    assert_eq!((found.code, found.stdout.as_str()), (1, "2: github-token (rule github-token)\n"), "{found:?}");
    let found = scrub(&["--check", "--json"], &text);
    let findings: Value = serde_json::from_str(&found.stdout).unwrap();
    let expected = json!({ "kind": "github-token", "rule": "github-token", "line": 2, "start": 4, "end": 44 });
    assert_eq!((found.code, &findings["findings"]), (1, &json!([expected])));
    assert_eq!(scrub(&["--check"], "nothing here").ok(), "");
    let refused = scrub(&["--reject", "github-token"], &text);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stdout.is_empty() && refused.stderr.contains("github-token (line 2)"), "{refused:?}");
    assert!(!refused.stderr.contains("ghp_"), "{refused:?}");
}

#[test]
fn json_lines_are_answered_line_by_line() {
    let lines = format!(
        "{}\n\n{}\n{}\n\"{}\"\n",
        json!({ "text": "é ada@corp.dev" }),
        json!({ "text": "fine", "path": "notes.md" }),
        "not json",
        token(),
    );
    let ended = scrub(&["--jsonl"], &lines);
    assert_eq!(ended.code, 7, "{ended:?}");
    let answers: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4, "{answers:?}");
    let found = json!([{ "kind": "email", "rule": "email", "line": 1, "start": 3, "end": 15 }]);
    assert_eq!(answers[0], json!({ "text": "é [REDACTED:email]", "findings": found }));
    assert_eq!(answers[1], json!({ "text": "fine", "findings": [] }));
    assert!(answers[2]["error"].is_string() && answers[3]["error"].is_string(), "{answers:?}");
    assert!(!ended.stdout.contains("ghp_"), "what is no text may still be a secret: {ended:?}");
    let checked = scrub(&["--jsonl", "--check"], &lines[..lines.find('\n').unwrap()]);
    assert_eq!((checked.code, checked.stdout.contains("text")), (1, false), "{checked:?}");
}

#[test]
fn rules_of_ones_own_are_obeyed_or_refused_with_the_reason() {
    let place = Place::empty();
    let file = place.path().join("rules.toml");
    fs::write(&file, "[[rules]]\nid = \"House_Badge\"\nregex = '''badge-([0-9]{4})'''\nkeywords = [\"badge\"]\n")
        .unwrap();
    let rules = file.to_str().unwrap();
    assert_eq!(scrub(&["--rules", rules], "my badge-1234").ok(), "my badge-[REDACTED:house-badge]");
    assert_eq!(scrub(&["--rules", rules, "--off", "house-badge"], "my badge-1234").ok(), "my badge-1234");
    fs::write(&file, "[[rules]]\nid = \"x\"\nregex = '''('''\n").unwrap();
    let refused = scrub(&["--rules", rules], "text");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("the pattern of x does not compile"), "{refused:?}");
}

#[test]
fn the_key_of_a_vault_is_found_in_its_file() {
    let place = Place::new();
    let text = fs::read_to_string(place.key()).unwrap();
    let key = text.lines().last().unwrap();
    assert_eq!(scrub(&["--only", "secrets"], &text).ok(), text.replace(key, "[REDACTED:memoseal-key]"));
}

#[test]
fn the_kinds_are_listed_and_no_other_is_taken() {
    let kinds = scrub(&["--kinds"], "").ok();
    assert!(kinds.lines().count() >= 120, "{kinds}");
    assert!(kinds.lines().any(|line| line.starts_with("email ") && line.ends_with(" all")), "{kinds}");
    let mut set = bare();
    set.env("MEMOSEAL_USER", "alice").env("MEMOSEAL_RULES", "nowhere.toml");
    let kinds: Value = serde_json::from_str(&Ended::of(set.args(["scrub", "--kinds", "--json"])).ok()).unwrap();
    assert!(kinds["kinds"].as_array().unwrap().iter().any(|kind| kind["kind"] == "email"), "{kinds}");
    assert_eq!(scrub(&["--kinds", "--jsonl"], "").code, 2);
    let refused = scrub(&["--off", "e-mail"], "");
    assert!(refused.code == 2 && refused.stderr.contains("there is no kind e-mail"), "{refused:?}");
}

#[test]
fn what_is_no_text_is_refused() {
    let refused = Ended::with(bare().arg("scrub"), b"ok \xff");
    assert!(refused.code == 2 && refused.stderr.contains("not UTF-8 at byte 3"), "{refused:?}");
    let refused = scrub(&["/nonexistent"], "");
    assert!(refused.code == 2 && refused.stderr.contains("No such file"), "{refused:?}");
}
