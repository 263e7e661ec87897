//! What holds for every command on every tree.

use memoseal_core::command::{Command, Reply};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::Harness;
use crate::path::any_path;

fn path() -> impl Strategy<Value = String> {
    prop_oneof![6 => "/memories(/[ab]){0,3}/?", 1 => any_path()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[ab\n]{0,6}", 1 => any::<String>()]
}

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -2i64..6, 1 => any::<i64>(), 1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)]]
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => (path(), text()).prop_map(|(path, text)| json!({"command": "create", "path": path, "file_text": text})),
        1 => path().prop_map(|path| json!({"command": "view", "path": path})),
        1 => (path(), integer(), integer())
            .prop_map(|(path, a, b)| json!({"command": "view", "path": path, "view_range": [a, b]})),
        2 => (path(), text(), text()).prop_map(
            |(path, old, new)| json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
        ),
        2 => (path(), integer(), text()).prop_map(
            |(path, line, text)| json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text})
        ),
        1 => path().prop_map(|path| json!({"command": "delete", "path": path})),
        2 => (path(), path()).prop_map(|(old, new)| json!({"command": "rename", "old_path": old, "new_path": new})),
    ]
}

/// Any JSON, often nearly a command.
fn any_input() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        any_path().prop_map(Value::from),
        prop::collection::vec(any::<i64>(), 0..4).prop_map(Value::from),
    ];
    let command = prop::sample::select(vec!["view", "create", "str_replace", "insert", "delete", "rename", "put"]);
    let field = prop::sample::select(vec![
        "path",
        "file_text",
        "old_str",
        "new_str",
        "insert_line",
        "insert_text",
        "old_path",
        "new_path",
        "view_range",
    ]);
    prop_oneof![
        1 => leaf.clone(),
        9 => (command, prop::collection::vec((field, leaf), 0..7)).prop_map(|(command, fields)| {
            let mut input = json!({"command": command});
            for (field, value) in fields {
                input[field] = value;
            }
            input
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_panics_and_no_file_is_a_directory(
        inputs in prop::collection::vec(input(), 0..20),
        overwrite in any::<bool>(),
        view_chars in 0usize..200,
    ) {
        let mut store = Harness::default();
        store.limits.overwrite = overwrite;
        store.limits.view_chars = view_chars;
        store.limits.files = 8;
        store.limits.file_bytes = 40;
        store.limits.store_bytes = 100;
        for input in &inputs {
            store.call(input);
            let paths = store.paths();
            for path in &paths {
                let below = format!("{path}/");
                prop_assert!(!paths.iter().any(|other| other.starts_with(&below)), "{paths:?}");
            }
            prop_assert!(paths.len() <= 8);
            prop_assert!(store.files().values().map(|content| content.len()).sum::<usize>() <= 100);
        }
    }

    #[test]
    fn a_turn_is_the_same_as_its_calls_one_by_one(inputs in prop::collection::vec(input(), 0..20)) {
        let (mut grouped, mut single) = (Harness::default(), Harness::default());
        for turn in inputs.chunks(5) {
            let commands: Vec<_> = turn.iter().map(Command::parse).collect();
            let together: Vec<Reply> = grouped.group(&commands).into_iter().map(|outcome| outcome.reply).collect();
            let one_by_one: Vec<Reply> = turn.iter().map(|input| single.call(input)).collect();
            prop_assert_eq!(together, one_by_one);
            prop_assert_eq!(grouped.files(), single.files());
        }
    }

    #[test]
    fn any_input_has_an_answer(inputs in prop::collection::vec(any_input(), 0..8)) {
        let mut store = Harness::with(&[("/memories/a", "a\nb"), ("/memories/b/c", "")]);
        for input in &inputs {
            if let Reply::Error(text) = store.call(input) {
                prop_assert!(!text.is_empty());
            }
        }
    }

    #[test]
    fn a_refused_path_is_shown_without_what_it_was_refused_for(given in any_path()) {
        let Err(text) = Command::parse(&json!({"command": "delete", "path": given})) else { return Ok(()) };
        prop_assert!(text.starts_with("Error: Path "), "{text}");
let refused = |c: char| c.is_control() || "\u{ad}\u{200b}\u{202e}\u{2028}\u{feff}".contains(c);
        prop_assert!(!text.chars().any(refused), "{text:?}");
    }

    #[test]
    fn what_is_listed_is_there(inputs in prop::collection::vec(input(), 0..20)) {
        let mut store = Harness::default();
        for input in &inputs {
            store.call(input);
        }
        let listing = store.ok(json!({"command": "view", "path": "/memories"}));
        for row in listing.lines().skip(2) {
            let (_, path) = row.split_once('\t').unwrap();
            let shown = store.ok(json!({"command": "view", "path": path}));
            prop_assert_eq!(shown.starts_with("Here're"), path.ends_with('/'), "{}", path);
        }
        let two_deep = store.paths().iter().filter(|path| {
            let names: Vec<&str> = path.split('/').skip(2).collect();
            names.len() <= 2 && !names.iter().any(|name| name.starts_with('.') || *name == "node_modules")
        }).count();
        prop_assert_eq!(listing.lines().skip(2).filter(|row| !row.ends_with('/')).count(), two_deep);
    }
}
