//! The command line itself: help, mistakes, version, completions.

use serde_json::{Value, json};

use crate::support::*;

/// Every verb, as the help names them.
fn verbs() -> Vec<String> {
    let help = Ended::of(bare().arg("--help")).ok();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    verbs.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|verb| verb != "help").collect()
}

#[test]
fn every_verb_has_a_help_with_an_example() {
    let verbs = verbs();
    assert!(verbs.len() > 25 && verbs.contains(&"import".to_owned()), "{verbs:?}");
    for verb in &verbs {
        let help = Ended::of(bare().args([verb, "--help"])).ok();
        let example = format!("memoseal {verb}");
        let after = help.split("Example").nth(1).unwrap_or_default();
        assert!(after.contains(&example), "{verb}: {help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{verb}: {help}");
    }
}

#[test]
fn a_mistake_on_the_command_line_is_json_if_json_was_asked_for() {
    for arguments in [
        &["ls", "--json", "--nope"] as &[&str],
        &["--json", "frobnicate"],
        &["put", "--json"],
        &["history", "--json", "--limit", "many"],
        &["--json"],
    ] {
        let ended = Ended::of(bare().args(arguments));
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:?}");
        let error: Value = serde_json::from_str(&ended.stderr).unwrap();
        assert_eq!(error["exit_code"], 2, "{error}");
        let text = error["error"].as_str().unwrap();
        assert!(text.starts_with("reading the command line: ") && text.ends_with("see `memoseal --help`"), "{text}");
        assert!(!text.contains('\n') && !text.contains("Usage:"), "{text}");
    }
    let ended = Ended::of(bare().args(["ls", "--nope"]));
    assert!(ended.code == 2 && ended.stderr.starts_with("error: ") && !ended.stderr.contains('\u{1b}'), "{ended:?}");
    let help = Ended::of(bare().args(["ls", "--json", "--help"])).ok();
    assert!(help.contains("Usage:"), "{help}");
}

#[test]
fn an_error_says_what_was_tried_what_went_wrong_and_what_to_do() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    for (arguments, code, parts) in [
        (&["cat", "x"] as &[&str], 4, ["reading x: ", "/memories/x does not exist", "look around with `memoseal ls`"]),
        (&["mv", "a", "b"], 4, ["moving a to b: ", "/memories/a does not exist", "look around"]),
        (&["put", "x", "/nonexistent"], 2, ["writing x: ", "No such file", "name a file that you may read"]),
        (&["ls", "--vault", "http://"], 2, ["listing /memories: ", "is not a vault URL", "give one such as file:///"]),
        (
            &["ls", "--key-file", "/nonexistent"],
            3,
            ["listing /memories: ", "cannot read the key file /nonexistent", "name a file"],
        ),
        (
            &["cat", "../etc"],
            2,
            ["reading ../etc: ", "Path /memories/../etc would escape", "name it as `memoseal ls` does"],
        ),
        (&["restore", "../x"], 2, ["restoring ../x: ", "Path /memories/../x would escape", "name it as"]),
        (
            &["mv", "n", "../x"],
            2,
            ["moving n to ../x: ", "Path /memories/../x would escape", "name it as `memoseal ls` does"],
        ),
        (&["restore", "x"], 4, ["restoring x: ", "/memories/x does not exist", "see `memoseal history`"]),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, code, "{ended:?}");
        let text = ended.stderr.strip_prefix("memoseal: ").unwrap();
        let at = parts.map(|part| text.find(part).unwrap_or_else(|| panic!("{part:?} is not in {text:?}")));
        assert!(at[0] == 0 && at.is_sorted(), "{text}");
        let as_json = place.run(&[arguments, ["--json"].as_slice()].concat());
        let error: Value = serde_json::from_str(&as_json.stderr).unwrap();
        assert_eq!(error, json!({ "error": text.trim_end(), "exit_code": code }));
    }
    // A name cannot command a terminal.
    let ended = place.run(&["cat", "a\u{1b}[2Jb"]);
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
}

#[test]
fn a_user_or_a_store_that_would_be_ignored_is_refused() {
    let place = Place::new();
    for (arguments, option) in [
        (&["verify", "--user", "alice"] as &[&str], "--user"),
        (&["info", "--store", "work"], "--store"),
        (&["users", "--user", "alice"], "--user"),
        (&["stores", "--store", "work"], "--store"),
        (&["maintain", "--user", "alice"], "--user"),
        (&["slot", "list", "--user", "alice"], "--user"),
        (&["rotate", "--store", "work"], "--store"),
        (&["version", "--user", "alice"], "--user"),
    ] {
        place.run(arguments).fails(2, &format!("{option} would change nothing"));
    }
    // A variable is meant for many runs, and may name what this one does not look at.
    Ended::of(place.command(&["verify"]).env("MEMOSEAL_USER", "alice").env("MEMOSEAL_STORE", "work")).ok();
    place.run(&["maintain", "--only-store", "--user", "alice"]).ok();
}

#[test]
fn the_version_is_told_for_people_and_programs() {
    let storage: Vec<_> = [
        ("file", cfg!(feature = "local")),
        ("s3", cfg!(feature = "s3")),
        ("gs", cfg!(feature = "gcs")),
        ("az", cfg!(feature = "azure")),
    ]
    .into_iter()
    .filter_map(|(scheme, is_served)| is_served.then_some(scheme))
    .collect();
    let text = Ended::of(bare().arg("version")).ok();
    assert_eq!(text, format!("memoseal {}; storage: {}\n", env!("CARGO_PKG_VERSION"), storage.join(", ")));
    let shown: Value = serde_json::from_str(&Ended::of(bare().args(["version", "--json"])).ok()).unwrap();
    assert_eq!(shown, json!({ "name": "memoseal", "version": env!("CARGO_PKG_VERSION"), "storage": storage }));
}

#[test]
fn completions_know_every_verb() {
    let verbs = verbs();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = Ended::of(bare().args(["completions", shell])).ok();
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{verb} is not in {shell}");
        }
    }
    assert_eq!(Ended::of(bare().args(["completions", "cobol"])).code, 2);
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x\n").ok();
    for arguments in [&["search", "x"] as &[&str], &["ls", "-l"], &["history"], &["--help"]] {
        let shown = place.run(arguments);
        assert!(!shown.stdout.contains('\u{1b}') && shown.stderr.is_empty(), "{shown:?}");
    }
}
