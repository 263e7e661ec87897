//! Several writers on one store: nothing is lost, nothing is applied twice, errors are true.

use std::collections::BTreeSet;

use memoseal_testkit::{Op, errors};
use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn a_command_that_loses_the_race_runs_again_on_what_won() {
    let bucket = Bucket::new();
    let here = roomy(&bucket.create().await, "alice").await;
    ok(&here, create("/memories/n", "a\n")).await;
    let there = roomy(&bucket.again().open().await, "alice").await;

    ok(&there, replace("/memories/n", "a", "a\nb")).await;
    ok(&here, replace("/memories/n", "a\n", "A\n")).await;
    ok(&there, create("/memories/taken", "theirs")).await;
    assert_eq!(
        fails(&here, create("/memories/taken", "ours")).await,
        "Error: File /memories/taken already exists",
        "uniqueness holds on the new state"
    );
    ok(&there, delete("/memories/n")).await;
    let text = fails(&here, replace("/memories/n", "b", "c")).await;
    assert_eq!(text, "Error: The path /memories/n does not exist. Please provide a valid path.");
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/taken".into(), "theirs".into())]);
}

#[tokio::test]
async fn an_error_is_not_answered_from_a_stale_state() {
    let bucket = Bucket::new();
    let here = roomy(&bucket.create().await, "alice").await;
    ok(&here, create("/memories/n", "a\n")).await;
    let there = roomy(&bucket.again().open().await, "alice").await;
    ok(&there, delete("/memories/n")).await;
    ok(&here, create("/memories/n", "new\n")).await;
    assert!(ok(&there, view("/memories/n")).await.contains("new"));
    ok(&here, replace("/memories/n", "new", "newer")).await;
    // `there` knows nothing of `newer`: the command fails on its state, but not on the current one.
    ok(&there, replace("/memories/n", "newer", "newest")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_at_once_lose_nothing() {
    let bucket = Bucket::new();
    bucket.create().await;
    let mut tasks = Vec::new();
    for writer in 0..4 {
        let store = roomy(&bucket.again().open().await, "alice").await;
        for task in 0..8 {
            let store = store.clone();
            tasks.push(tokio::spawn(async move {
                for i in 0..10 {
                    ok(&store, create(&format!("/memories/{writer}/{task}/{i}"), "x")).await;
                }
            }));
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
    let paths: BTreeSet<_> = tree(&bucket.open().await, "alice").await.into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths.len(), 4 * 8 * 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn increments_by_many_writers_add_up() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    ok(&roomy(&vault, "alice").await, create("/memories/n", "<0>")).await;
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let store = roomy(&bucket.again().open().await, "alice").await;
        tasks.push(tokio::spawn(async move {
            for _ in 0..10 {
                loop {
                    let text = String::from_utf8(store.read("/memories/n").await.unwrap().to_vec()).unwrap();
                    let n: u64 = text.trim_matches(['<', '>']).parse().unwrap();
                    // Whoever comes too late finds another number there, and nothing to replace.
                    let edit = replace("/memories/n", &text, &format!("<{}>", n + 1));
                    if !store.execute(edit).await.unwrap().is_error() {
                        break;
                    }
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "<40>".into())]);
}

#[tokio::test]
async fn what_waits_while_a_put_is_on_its_way_leaves_in_one_commit() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    let gate = bucket.faults.on(Op::PutCreate).hold();
    let mut tasks = vec![tokio::spawn({
        let store = store.clone();
        async move { ok(&store, create("/memories/held", "")).await }
    })];
    gate.reached().await;
    bucket.spent();
    for i in 0..50 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move { ok(&store, create(&format!("/memories/{i}"), "")).await }));
    }
    tokio::task::yield_now().await;
    assert!(tasks.iter().all(|task| !task.is_finished()), "no answer before its commit is decided");
    gate.release();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(bucket.spent().put_create, 1, "fifty changes, one commit");
}

#[tokio::test]
async fn a_turn_is_one_commit_in_order_and_an_error_in_it_does_not_stop_the_next() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let block =
        |id: &str, input: serde_json::Value| json!({ "type": "tool_use", "id": id, "name": "memory", "input": input });
    let answers = store
        .handle_turn(&[
            block("1", json!({ "command": "create", "path": "/memories/n", "file_text": "one\n" })),
            block("2", json!({ "command": "str_replace", "path": "/memories/n", "old_str": "one", "new_str": "two" })),
            block("3", json!({ "command": "str_replace", "path": "/memories/n", "old_str": "one", "new_str": "x" })),
            block("4", json!({ "command": "nonsense" })),
            block("5", json!({ "command": "view", "path": "/memories/n" })),
            block("6", json!({ "command": "insert", "path": "/memories/n", "insert_line": 1, "insert_text": "three" })),
        ])
        .await;
    let ids: Vec<_> = answers.iter().map(|answer| answer["tool_use_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6"]);
    let errors: Vec<_> = answers.iter().map(|answer| answer.get("is_error").is_some()).collect();
    assert_eq!(errors, [false, false, true, true, false, false]);
    assert!(answers[4]["content"].as_str().unwrap().ends_with("     1\ttwo\n     2\t"), "{}", answers[4]);
    assert_eq!(store.seq(), 1);
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/n".into(), "two\nthree\n".into())]);
}

#[tokio::test]
async fn a_view_among_changes_is_not_answered_before_they_are_decided() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    bucket.faults.on(Op::PutCreate).path_contains("log/").fail_before(errors::permission_denied());
    let answers = store.execute_turn(vec![create("/memories/n", "secret"), view("/memories/n")]).await;
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
}

#[tokio::test]
async fn a_cancelled_caller_does_not_stop_a_change_that_was_taken_up() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let gate = bucket.faults.on(Op::PutCreate).path_contains("log/").hold();
    let first = tokio::spawn({
        let store = store.clone();
        async move { ok(&store, create("/memories/taken-up", "")).await }
    });
    gate.reached().await;
    let second = tokio::spawn({
        let store = store.clone();
        async move { ok(&store, create("/memories/withdrawn", "")).await }
    });
    tokio::task::yield_now().await;
    first.abort();
    second.abort();
    assert!(first.await.is_err() && second.await.is_err());
    gate.release();
    ok(&store, create("/memories/after", "")).await;
    let paths: Vec<_> = tree(&bucket.open().await, "alice").await.into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/memories/after", "/memories/taken-up"]);
}

#[tokio::test]
async fn a_group_closes_at_256_changes_or_1_mib_and_a_larger_turn_goes_alone() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "")).await;
    let gate = bucket.faults.on(Op::PutCreate).hold();
    let mut tasks = Vec::new();
    let mut submit = |turn: Vec<_>| {
        let store = store.clone();
        tasks
            .push(tokio::spawn(async move { store.execute_turn(turn).await.into_iter().all(|answer| answer.is_ok()) }));
    };
    submit(vec![create("/memories/held", "")]);
    gate.reached().await;
    // 200 + 56 fill a commit; 57 would not have fitted beside 200 …
    submit((0..200).map(|i| create(&format!("/memories/a{i}"), "")).collect());
    tokio::task::yield_now().await;
    submit((0..57).map(|i| create(&format!("/memories/b{i}"), "")).collect());
    tokio::task::yield_now().await;
    // … and what is larger than a commit goes alone.
    submit((0..400).map(|i| create(&format!("/memories/c{i}"), "")).collect());
    tokio::task::yield_now().await;
    submit(vec![create("/memories/d", &"x".repeat(2 * 1024 * 1024))]);
    tokio::task::yield_now().await;
    let before = store.seq();
    gate.release();
    for task in tasks {
        assert!(task.await.unwrap());
    }
    assert_eq!(store.seq() - before, 5);
}

#[tokio::test]
async fn a_turn_that_is_too_much_for_one_commit_is_refused_in_part_and_what_was_written_opens() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", &"x".repeat(1024 * 1024))).await;
    let insert = json!({ "command": "insert", "path": "/memories/n", "insert_line": 0, "insert_text": "line" });
    let answers = store.execute_turn((0..60).map(|_| command(insert.clone())).collect()).await;
    let refused = answers.iter().filter(|answer| answer.as_ref().unwrap().is_error()).count();
    assert!((10..40).contains(&refused), "{refused}");
    assert!(answers[0].as_ref().is_ok_and(|reply| !reply.is_error()));
    let reader = roomy(&bucket.open().await, "alice").await;
    let content = reader.read("/memories/n").await.unwrap();
    assert_eq!(content.iter().filter(|byte| **byte == b'\n').count(), 60 - refused);
    let much = store.execute(create("/memories/m", &"x".repeat(60 * 1024 * 1024))).await;
    assert!(much.unwrap().is_error());
}

#[tokio::test]
async fn a_message_of_too_many_calls_is_refused_as_a_whole() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let call = json!({ "id": "t", "name": "memory", "input": { "command": "view", "path": "/memories" } });
    let answer = store.handle_message(&serde_json::Value::Array(vec![call.clone(); 1_000])).await;
    assert_eq!(answer.as_array().unwrap().len(), 1_000);
    let answer = store.handle_message(&serde_json::Value::Array(vec![call; 1_001])).await;
    assert_eq!(answer["is_error"], true);
}

#[tokio::test]
async fn a_bare_input_may_have_fields_that_are_not_known() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for field in ["type", "input", "id", "name"] {
        let input = json!({ "command": "view", "path": "/memories", field: "x" });
        let answer = store.handle_message(&input).await;
        assert!(answer.get("is_error").is_none(), "{field}: {answer}");
        assert_eq!(store.handle_message(&json!([input])).await, json!([answer]), "among the calls of a turn");
    }
}

#[test]
fn every_call_is_send() {
    fn is_send<T: Send>(_: &T) {}
    fn check(vault: &memoseal_core::Vault, store: &memoseal_core::Store) {
        is_send(&vault.user("alice").store("default").open());
        is_send(&store.execute(create("/memories/n", "")));
        is_send(&store.execute_turn(Vec::new()));
        is_send(&store.handle(&serde_json::Value::Null));
        is_send(&store.read("/memories/n"));
        is_send(&store.memories());
        is_send(&vault.inspect(memoseal_core::Depth::Contents, |_, _| {}));
    }
    let _ = check;
}
