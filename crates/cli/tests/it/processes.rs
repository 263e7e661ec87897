//! Several processes on one store at once.

use std::{collections::BTreeSet, thread};

use serde_json::{Value, json};

use crate::support::*;

/// How long two processes write at once; a longer time can be asked for.
fn changes() -> usize {
    std::env::var("MEMOSEAL_TEST_CHANGES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

#[test]
fn two_processes_that_write_at_once_lose_nothing_and_end_with_the_same_tree() {
    let place = Place::new();
    place.run_with(&["put", "shared.md", "-"], b"lines:\n").ok();
    let changes = changes();
    let mut tools: Vec<_> = (0..2).map(|_| place.tool(&[])).collect();
    thread::scope(|scope| {
        for (writer, tool) in tools.iter_mut().enumerate() {
            scope.spawn(move || {
                for i in 0..changes {
                    match i % 4 {
                        // Both edit one file: each adds its own line at the top.
                        0 => {
                            let line = format!("{writer}-{i}");
                            tool.ok(&json!({ "command": "insert", "path": "/memories/shared.md", "insert_line": 1,
                                "insert_text": line }));
                        }
                        1 => {
                            tool.ok(&create(&format!("/memories/{writer}/{i}"), "x"));
                        }
                        2 => {
                            let (old, new) =
                                (format!("/memories/{writer}/{}", i - 1), format!("/memories/moved/{writer}-{i}"));
                            tool.ok(&json!({ "command": "rename", "old_path": old, "new_path": new }));
                        }
                        // Both want the same name: one gets it.
                        _ => {
                            let answer = tool.ask(&create(&format!("/memories/both/{i}"), &writer.to_string()));
                            assert!(answer["content"].as_str().is_some());
                        }
                    }
                }
            });
        }
    });
    // Both processes, still warm, and a third one see the same.
    let view = json!({ "command": "view", "path": "/memories/shared.md" });
    let seen: BTreeSet<String> = tools.iter_mut().map(|tool| tool.ok(&view)).collect();
    assert_eq!(seen.len(), 1);
    for tool in tools {
        tool.close();
    }
    let shared = place.run(&["cat", "shared.md"]).ok();
    let lines: BTreeSet<&str> = shared.lines().skip(1).collect();
    let expected: Vec<String> = (0..2).flat_map(|w| (0..changes).step_by(4).map(move |i| format!("{w}-{i}"))).collect();
    assert_eq!(lines, expected.iter().map(String::as_str).collect());
    assert_eq!(shared.lines().count(), 1 + expected.len(), "no line twice");

    let listed: Value = serde_json::from_str(&place.run(&["ls", "-r", "--json"]).ok()).unwrap();
    let count = |part: &str| {
        let entries = listed["entries"].as_array().unwrap();
        entries.iter().filter(|entry| entry["path"].as_str().unwrap().contains(part)).count()
    };
    let of_each_four = |rest: usize| (0..changes).filter(|i| i % 4 == rest).count();
    assert_eq!(count("/moved/"), 2 * of_each_four(2));
    assert_eq!(count("/both/"), of_each_four(3));
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
fn the_first_change_of_a_user_by_many_processes_at_once_makes_one_user() {
    let place = Place::new();
    thread::scope(|scope| {
        for i in 0..8 {
            let place = &place;
            scope.spawn(move || place.run_with(&["put", &format!("{i}.md"), "-"], b"x").ok());
        }
    });
    let listed: Value = serde_json::from_str(&place.run(&["ls", "--json"]).ok()).unwrap();
    assert_eq!(listed["entries"].as_array().unwrap().len(), 8);
    let info: Value = serde_json::from_str(&place.run(&["info", "--json"]).ok()).unwrap();
    assert_eq!(info["users"].as_array().unwrap().len(), 1);
}

#[test]
fn a_user_destroyed_while_two_processes_write_and_the_key_is_rotated_leaves_nothing() {
    let place = Place::new();
    place.run_with(&["put", "a.md", "-"], b"swordfish\n").ok();
    let logs = tempfile::tempdir().unwrap();
    let log = |writer: usize| logs.path().join(writer.to_string());
    let mut tools: Vec<_> = (0..2)
        .map(|writer| {
            let mut command = place.command(&["tool"]);
            command.stderr(std::fs::File::create(log(writer)).unwrap());
            Tool::start(command)
        })
        .collect();
    let begun = std::sync::Barrier::new(3);
    let ends: Vec<(usize, String)> = thread::scope(|scope| {
        let writers: Vec<_> = tools
            .iter_mut()
            .enumerate()
            .map(|(writer, tool)| {
                let begun = &begun;
                scope.spawn(move || {
                    for i in 0.. {
                        let answer = tool.ask(&create(&format!("/memories/{writer}/{i}"), "swordfish"));
                        if answer["is_error"] == true {
                            return (i, answer["content"].as_str().unwrap().to_owned());
                        }
                        if i == 20 {
                            begun.wait();
                        }
                    }
                    unreachable!()
                })
            })
            .collect();
        begun.wait();
        let rotating = scope.spawn(|| place.run(&["rotate", "--yes"]).ok());
        place.run(&["destroy-user", "default", "--yes"]).ok();
        rotating.join().unwrap();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    for (writer, (tool, (written, told))) in tools.into_iter().zip(ends).enumerate() {
        assert!(written > 20, "{written}");
        assert!(told.contains("The memory cannot be used"), "the model is told: {told}");
        tool.close();
        let said = std::fs::read_to_string(log(writer)).unwrap();
        assert!(said.contains("store default of user default does not exist: it was destroyed"), "{said}");
    }
    place.run(&["rotate", "--yes"]).ok();
    place.run(&["maintain"]).ok();
    place.run(&["verify", "--read-data"]).ok();
    assert_eq!(place.run(&["users"]).ok(), "");
    let opened = place.run(&["cat", "a.md"]);
    assert_eq!((opened.code, opened.stdout.as_str()), (4, ""), "{opened:?}");
    let full =
        place.files().into_iter().filter(|(path, bytes)| path.to_string_lossy().contains("/log/") && !bytes.is_empty());
    assert_eq!(full.count(), 0, "nothing is left in a log");
}
