//! BEHAVIOUR, "Input": validated whole before storage is touched.

use serde_json::{Value, json};

use super::session::{Answer, Session};
use crate::{Failure, Place, check, check_eq};

/// What is no command gets an error that says so, and the blocks around it are answered all the same.
pub(crate) async fn what_is_no_command_is_named(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    for input in [json!(null), json!("view"), json!([]), json!(1), json!([{"command": "view"}])] {
        session.fails(input, "Error: The input must be a JSON object with a `command` field").await?;
    }
    session.fails(json!({"path": "/memories"}), "Error: The field `command` is missing").await?;
    session.fails(json!({"command": 1}), "Error: The field `command` must be a string, not a number").await?;
    for command in ["", "VIEW", "undo_edit", "put", "clear", "clear_all_memory"] {
        session.fails(json!({"command": command}), &format!("Error: Unknown command: {command}")).await?;
    }
    session.ends_with(&[]).await
}

/// A missing or mistyped field is named; nothing is written.
pub(crate) async fn bad_fields_are_named(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    for whole in [
        json!({"command": "view", "path": "/memories"}),
        json!({"command": "create", "path": "/memories/b", "file_text": ""}),
        json!({"command": "str_replace", "path": "/memories/a", "old_str": "1"}),
        json!({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": ""}),
        json!({"command": "delete", "path": "/memories/a"}),
        json!({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"}),
    ] {
        let fields: Vec<String> = whole.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
        for field in fields.iter().filter(|field| *field != "command") {
            let missing = format!("Error: The field `{field}` is missing");
            let mut input = whole.clone();
            input.as_object_mut().map(|fields| fields.remove(field));
            session.fails(input.clone(), &missing).await?;
            set(&mut input, field, Value::Null);
            session.fails(input.clone(), &missing).await?;
            for wrong in [json!([]), json!({}), json!(true), json!(1.5)] {
                set(&mut input, field, wrong);
                let text = session.error(input.clone()).await?;
                check!(text.starts_with(&format!("Error: The field `{field}` must be ")), "{text}");
            }
        }
    }
    let input = json!({"command": "str_replace", "path": "/memories/a", "old_str": "1", "new_str": 2});
    session.fails(input, "Error: The field `new_str` must be a string, not a number").await?;
    session.ends_with(&[("/memories/a", "1")]).await
}

/// A number given as a string, `1.0` and `true` are not integers; integers beyond 64 bits are an error like any other.
pub(crate) async fn integers_are_integers(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    let numbers = ["\"1\"", "1.0", "true", "[1]", "1e3", "9223372036854775808", "18446744073709551616", "1e400"];
    // What is no JSON number, here 1e400, is what the reader of JSON makes of it: nothing.
    for text in numbers {
        let Ok(number) = serde_json::from_str::<Value>(text) else { continue };
        let input = json!({"command": "insert", "path": "/memories/a", "insert_line": number, "insert_text": "x"});
        let text = session.error(input).await?;
        check!(text.starts_with("Error: The field `insert_line` "), "{text}");
        let input = json!({"command": "view", "path": "/memories/a", "view_range": [number, 1.0]});
        let text = session.error(input).await?;
        check!(text.starts_with("Error: The field `view_range` "), "{text}");
    }
    for range in [json!([]), json!([1]), json!([1, 2, 3]), json!("1-2"), json!({"start": 1}), json!(["1", "2"])] {
        // Also where there is nothing to view: before storage is read.
        for path in ["/memories/a", "/memories", "/memories/none"] {
            let input = json!({"command": "view", "path": path, "view_range": range});
            let expected =
                "Error: The field `view_range` must be an array of exactly two integers, [start_line, end_line]";
            session.fails(input, expected).await?;
        }
    }
    session.ends_with(&[("/memories/a", "1")]).await
}

/// Fields that a command does not know are ignored; `null` for an optional one is omitted.
pub(crate) async fn unknown_fields_are_ignored(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let input =
        json!({"command": "create", "path": "/memories/a", "file_text": "1", "view_range": "bad", "x": {"y": [null]}});
    session.says(input, "File created successfully at: /memories/a").await?;
    let input = json!({"command": "view", "path": "/memories/a", "view_range": null, "file_text": 7});
    session.says(input, "Here's the content of /memories/a with line numbers:\n     1\t1").await?;
    session.ends_with(&[("/memories/a", "1")]).await
}

/// Blocks that lack what a block has, or call another tool, get an answer too.
pub(crate) async fn odd_blocks_are_answered(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    for block in [json!(null), json!([]), json!("x"), json!({}), json!({"type": "tool_use", "name": "memory", "id": 7})]
    {
        let result = session.store.handle(&block).await;
        check_eq!(result.get("type"), Some(&json!("tool_result")), "{block}");
        check_eq!(result.get("is_error"), Some(&json!(true)), "{block}");
        let text = result.get("content").and_then(Value::as_str).unwrap_or_default();
        check!(text.starts_with("Error: "), "{block} was answered with {result}");
    }
    let input = json!({"command": "create", "path": "/memories/a", "file_text": "1"});
    let other = json!({"type": "tool_use", "id": "x", "name": "bash", "input": input});
    check_eq!(session.store.handle(&other).await.get("is_error"), Some(&json!(true)), "another tool");
    check_eq!(session.store.handle_turn(&[]).await, Vec::<Value>::new(), "an empty turn");
    // A message's text beside its calls needs no answer, and one would be refused.
    let text = json!({"type": "text", "text": "x"});
    check_eq!(session.store.handle_turn(&[text]).await, Vec::<Value>::new(), "a block that is no call");
    check_eq!(session.turn(&[]).await?, Vec::<Answer>::new());
    session.ends_with(&[]).await
}

fn set(input: &mut Value, field: &str, value: Value) {
    if let Some(fields) = input.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
}
