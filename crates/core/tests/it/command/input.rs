//! BEHAVIOUR, "Input", and the texts of "Paths".

use memoseal_core::command::{Command, Reply};
use serde_json::{Value, json};

use super::harness::{Harness, create, rename, view};

fn refused(input: &Value) -> String {
    Command::parse(input).expect_err("refused")
}

#[test]
fn not_a_command() {
    for input in [json!(null), json!("view"), json!([]), json!(1), json!(true), json!([{"command": "view"}])] {
        assert_eq!(refused(&input), "Error: The input must be a JSON object with a `command` field", "{input}");
    }
    assert_eq!(refused(&json!({})), "Error: The field `command` is missing");
    assert_eq!(refused(&json!({"command": null, "path": "/memories"})), "Error: The field `command` is missing");
    assert_eq!(refused(&json!({"command": 1})), "Error: The field `command` must be a string, not a number");
    for command in ["", "VIEW", "view ", "undo_edit", "rm -rf"] {
        assert_eq!(refused(&json!({"command": command})), format!("Error: Unknown command: {command}"));
    }
    assert_eq!(refused(&json!({"command": "a\u{202e}b\n"})), "Error: Unknown command: a\\u{202e}b\\u{a}");
    assert!(refused(&json!({"command": "x".repeat(1_000_000)})).len() < 2_000);
}

#[test]
fn missing_and_mistyped_fields_are_named() {
    let whole = [
        json!({"command": "view", "path": "/memories"}),
        json!({"command": "create", "path": "/memories/a", "file_text": ""}),
        json!({"command": "str_replace", "path": "/memories/a", "old_str": "a"}),
        json!({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": ""}),
        json!({"command": "delete", "path": "/memories/a"}),
        json!({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"}),
    ];
    for input in whole {
        Command::parse(&input).unwrap();
        for field in input.as_object().unwrap().keys().filter(|field| *field != "command") {
            let mut without = input.clone();
            without.as_object_mut().unwrap().remove(field);
            assert_eq!(refused(&without), format!("Error: The field `{field}` is missing"), "{without}");
            without[field] = Value::Null;
            assert_eq!(refused(&without), format!("Error: The field `{field}` is missing"), "{without}");
            for wrong in [json!([]), json!({}), json!(true), json!(1.5), json!(["a"])] {
                without[field] = wrong;
                let text = refused(&without);
                assert!(text.starts_with(&format!("Error: The field `{field}` must be ")), "{text}");
            }
        }
    }
}

#[test]
fn integers_are_integers() {
    let insert =
        |line: Value| json!({"command": "insert", "path": "/memories/a", "insert_line": line, "insert_text": ""});
    for (wrong, kind) in [
        (json!("1"), "a string"),
        (json!(1.0), "a number with a fraction or exponent"),
        (json!(1e3), "a number with a fraction or exponent"),
        (json!(true), "a boolean"),
        (json!([1]), "an array"),
    ] {
        let expected = format!("Error: The field `insert_line` must be an integer, not {kind}");
        assert_eq!(refused(&insert(wrong)), expected);
    }
    for input in ["9223372036854775808", "18446744073709551615", "99999999999999999999999", "-9223372036854775809"] {
        let line: Value = serde_json::from_str(input).unwrap();
        let expected = "Error: The field `insert_line` holds a number that does not fit in 64 bits";
        assert_eq!(refused(&insert(line)), expected, "{input}");
    }
    for line in [i64::MAX, i64::MIN, 0, -1] {
        let parsed = Command::parse(&insert(json!(line))).unwrap();
        assert!(matches!(parsed, Command::Insert { insert_line, .. } if insert_line == line));
    }
}

#[test]
fn view_range_is_two_integers() {
    for wrong in [
        json!([]),
        json!([1]),
        json!([1, 2, 3]),
        json!([1, 2.0]),
        json!(["1", 2]),
        json!([true, 2]),
        json!([null, 2]),
        json!([[1, 2]]),
        json!("1-2"),
        json!({"start": 1}),
        json!(1),
        json!(false),
    ] {
        assert_eq!(
            refused(&json!({"command": "view", "path": "/memories", "view_range": wrong})),
            "Error: The field `view_range` must be an array of exactly two integers, [start_line, end_line]",
            "{wrong}"
        );
    }
    let far: Value = serde_json::from_str("[1, 18446744073709551615]").unwrap();
    let parsed = Command::parse(&json!({"command": "view", "path": "/memories", "view_range": far}));
    assert_eq!(parsed, Ok(Command::View { path: "/memories".into(), view_range: Some([1, i64::MAX]) }));
}

#[test]
fn unknown_fields_are_ignored_and_null_is_omitted() {
    let input = json!({"command": "view", "path": "/memories", "view_range": null, "file_text": 7, "x": {"y": []}});
    assert_eq!(Command::parse(&input), Ok(Command::View { path: "/memories".into(), view_range: None }));
    let input = json!({"command": "create", "path": "/memories/a", "file_text": "", "view_range": "bad"});
    assert!(Command::parse(&input).is_ok());
    let input = json!({"command": "str_replace", "path": "/memories/a", "old_str": "a", "new_str": 0});
    assert_eq!(refused(&input), "Error: The field `new_str` must be a string, not a number");
}

#[test]
fn path_errors_come_before_storage_is_read() {
    for (path, expected) in [
        ("/etc/passwd", "Error: Path must start with /memories, got: /etc/passwd"),
        ("/memoriesX", "Error: Path must start with /memories, got: /memoriesX"),
        ("/memories_backup/x/", "Error: Path must start with /memories, got: /memories_backup/x"),
        ("", "Error: Path must start with /memories, got: "),
        ("/", "Error: Path must start with /memories, got: /"),
        ("a\0b", "Error: Path must start with /memories, got: a\\u{0}b"),
        ("/memories/../../secrets.env", "Error: Path /memories/../../secrets.env would escape /memories directory"),
        ("/memories/..", "Error: Path /memories/.. would escape /memories directory"),
        ("/memories/../", "Error: Path /memories/.. would escape /memories directory"),
        (
            "/memories/%2e%2e/x",
            "Error: Path /memories/%2e%2e/x holds a percent-encoded dot, slash or backslash, which is not allowed",
        ),
        ("/memories/..\\x", "Error: Path /memories/..\\\\x holds a character that is not allowed: U+005C"),
        ("/memories/a\u{202e}b", "Error: Path /memories/a\\u{202e}b holds a character that is not allowed: U+202E"),
        ("/memories/\0", "Error: Path /memories/\\u{0} holds a character that is not allowed: U+0000"),
        ("/memories/x\u{e0041}", "Error: Path /memories/x\\u{e0041} holds a character that is not allowed: U+E0041"),
    ] {
        assert_eq!(refused(&view(path)), expected);
        assert_eq!(refused(&create(path, "")), expected);
        assert_eq!(refused(&rename(path, "/memories/b")), expected);
        assert_eq!(refused(&rename("/memories/b", path)), expected);
        // Whoever makes the command by hand gets the same answer.
        let by_hand = Command::Delete { path: path.into() };
        assert_eq!(Harness::default().command(Ok(by_hand)), Reply::Error(expected.into()));
    }
    let deep = format!("/memories{}", "/a".repeat(21));
    assert_eq!(
        refused(&view(&deep)),
        format!("Error: Path {deep} is 21 levels below /memories; at most 20 are allowed")
    );
    let long = format!("/memories/{}", "x".repeat(256));
    assert_eq!(refused(&view(&long)), format!("Error: Path {long} holds a name of 256 bytes; at most 255 are allowed"));
    let longest = format!("/memories{}", format!("/{}", "x".repeat(250)).repeat(5));
    let text = refused(&view(&longest));
    assert!(text.contains("… is 1264 bytes long; at most 1024 are allowed"), "{text}");
}

#[test]
fn answers_for_when_storage_fails() {
    assert_eq!(
        Reply::unreachable(),
        Reply::Error("Error: The memory cannot be reached; nothing was changed. Try again.".into())
    );
    for (command, path) in
        [(create("/memories/a", ""), "/memories/a"), (rename("/memories/a", "/memories/b/"), "/memories/b")]
    {
        assert_eq!(
            Reply::outcome_unknown(&Command::parse(&command).unwrap()),
            Reply::Error(format!(
                "Error: It is not known whether this change was saved. View {path} before you try again."
            ))
        );
    }
    let cleared = Reply::outcome_unknown(&Command::Clear);
    assert!(matches!(cleared, Reply::Error(text) if text.contains("View /memories before")));
    assert!(Reply::read_only().is_error());
}

#[test]
fn only_views_are_no_mutations() {
    assert!(!Command::parse(&view("/memories")).unwrap().is_mutation());
    assert!(Command::parse(&create("/memories/a", "")).unwrap().is_mutation());
    assert!(Command::Clear.is_mutation());
}
