//! The inputs of the six commands in short.

use serde_json::{Value, json};

pub(super) fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

pub(super) fn view_range(path: &str, range: [i64; 2]) -> Value {
    json!({"command": "view", "path": path, "view_range": range})
}

pub(super) fn create(path: &str, file_text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": file_text})
}

pub(super) fn str_replace(path: &str, old_str: &str, new_str: &str) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": old_str, "new_str": new_str})
}

pub(super) fn insert(path: &str, insert_line: i64, insert_text: &str) -> Value {
    json!({"command": "insert", "path": path, "insert_line": insert_line, "insert_text": insert_text})
}

pub(super) fn delete(path: &str) -> Value {
    json!({"command": "delete", "path": path})
}

pub(super) fn rename(old_path: &str, new_path: &str) -> Value {
    json!({"command": "rename", "old_path": old_path, "new_path": new_path})
}
