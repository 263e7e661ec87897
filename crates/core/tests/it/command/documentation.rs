//! Every example of the tool's documentation, in its order (`memory-tool.fr.md`).

use serde_json::json;

use super::harness::Harness;

#[test]
fn how_the_calls_work() {
    let lines = "<guidelines>\n<addressing_customers>\n- Always address customers by their first name\n- Use empathetic \
                 language\n";
    let guidelines = format!("{lines}{}", "x".repeat(1_536 - lines.len()));
    let policies = "y".repeat(2_048);
    let mut store = Harness::with(&[
        ("/memories/customer_service_guidelines.xml", &guidelines),
        ("/memories/refund_policies.xml", &policies),
    ]);
    // The first row is the sum of what is in the directory: a deliberate difference.
    assert_eq!(
        store.ok(json!({"command": "view", "path": "/memories"})),
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and \
         node_modules:\n3.5K\t/memories\n1.5K\t/memories/customer_service_guidelines.xml\n2.0K\t/memories/refund_policies.xml"
    );
    let shown = store.ok(json!({"command": "view", "path": "/memories/customer_service_guidelines.xml"}));
    assert!(shown.starts_with(
        "Here's the content of /memories/customer_service_guidelines.xml with line numbers:\n     1\t<guidelines>\n     \
         2\t<addressing_customers>\n     3\t- Always address customers by their first name\n     4\t- Use empathetic \
         language\n"
    ));
}

#[test]
fn view() {
    let mut lines: Vec<String> = (1..=100).map(|n| format!("line {n}")).collect();
    lines[0] = "Hello World".into();
    lines[1] = "This is line two".into();
    lines[9] = "Line ten".into();
    lines[99] = "Line one hundred".into();
    let mut store = Harness::with(&[("/memories/notes.txt", &lines.join("\n"))]);
    let text = store.ok(json!({"command": "view", "path": "/memories/notes.txt"}));
    for row in ["     1\tHello World", "     2\tThis is line two", "    10\tLine ten", "   100\tLine one hundred"] {
        assert!(text.lines().any(|line| line == row), "{row}");
    }
    let text = store.ok(json!({"command": "view", "path": "/memories/notes.txt", "view_range": [1, 10]}));
    assert!(text.starts_with("Here's the content of /memories/notes.txt with line numbers:\n     1\tHello World\n"));
    assert!(text.ends_with("\n    10\tLine ten"));
    assert_eq!(
        store.err(json!({"command": "view", "path": "/memories/none"})),
        "The path /memories/none does not exist. Please provide a valid path."
    );
}

#[test]
fn create() {
    let input = json!({
        "command": "create",
        "path": "/memories/notes.txt",
        "file_text": "Meeting notes:\n- Discussed project timeline\n- Next steps defined\n",
    });
    let mut store = Harness::default();
    assert_eq!(store.ok(input.clone()), "File created successfully at: /memories/notes.txt");
    assert_eq!(store.err(input), "Error: File /memories/notes.txt already exists");
}

#[test]
fn str_replace() {
    let input = json!({
        "command": "str_replace",
        "path": "/memories/preferences.txt",
        "old_str": "Favorite color: blue",
        "new_str": "Favorite color: green",
    });
    let mut store = Harness::default();
    assert_eq!(
        store.err(input.clone()),
        "Error: The path /memories/preferences.txt does not exist. Please provide a valid path."
    );
    let mut store = Harness::with(&[("/memories/preferences.txt", "Name: Ann\nFavorite color: blue\n")]);
    assert_eq!(
        store.ok(input.clone()),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tName: \
         Ann\n     2\tFavorite color: green\n     3\t"
    );
    assert_eq!(
        store.err(input.clone()),
        "No replacement was performed, old_str `Favorite color: blue` did not appear verbatim in \
         /memories/preferences.txt."
    );
    let text = "Favorite color: blue\n-\nFavorite color: blue\n";
    let mut store = Harness::with(&[("/memories/preferences.txt", text)]);
    assert_eq!(
        store.err(input),
        "No replacement was performed. Multiple occurrences of old_str `Favorite color: blue` in lines: 1, 3. Please \
         ensure it is unique"
    );
}

#[test]
fn insert() {
    let input = json!({
        "command": "insert",
        "path": "/memories/todo.txt",
        "insert_line": 2,
        "insert_text": "- Review memory tool documentation\n",
    });
    let mut store = Harness::default();
    assert_eq!(store.err(input.clone()), "Error: The path /memories/todo.txt does not exist");
    let mut store = Harness::with(&[("/memories/todo.txt", "- One\n- Two\n- Three\n")]);
    assert_eq!(store.ok(input.clone()), "The file /memories/todo.txt has been edited.");
    assert_eq!(store.text("/memories/todo.txt"), "- One\n- Two\n- Review memory tool documentation\n- Three\n");
    let mut store = Harness::with(&[("/memories/todo.txt", "")]);
    assert_eq!(
        store.err(input),
        "Error: Invalid `insert_line` parameter: 2. It should be within the range of lines of the file: [0, 1]"
    );
}

#[test]
fn delete() {
    let input = json!({"command": "delete", "path": "/memories/old_file.txt"});
    let mut store = Harness::with(&[("/memories/old_file.txt", "1")]);
    assert_eq!(store.ok(input.clone()), "Successfully deleted /memories/old_file.txt");
    assert_eq!(store.err(input), "Error: The path /memories/old_file.txt does not exist");
    assert_eq!(
        store.err(json!({"command": "delete", "path": "/memories"})),
        "Error: Cannot delete the /memories directory itself"
    );
}

#[test]
fn rename() {
    let input = json!({"command": "rename", "old_path": "/memories/draft.txt", "new_path": "/memories/final.txt"});
    let mut store = Harness::with(&[("/memories/draft.txt", "1")]);
    assert_eq!(store.ok(input.clone()), "Successfully renamed /memories/draft.txt to /memories/final.txt");
    assert_eq!(store.err(input.clone()), "Error: The path /memories/draft.txt does not exist");
    store.ok(json!({"command": "create", "path": "/memories/draft.txt", "file_text": "2"}));
    assert_eq!(store.err(input), "Error: The destination /memories/final.txt already exists");
    assert_eq!(
        store.err(json!({"command": "rename", "old_path": "/memories", "new_path": "/memories/x"})),
        "Error: Cannot rename the /memories directory itself"
    );
}

#[test]
fn security() {
    let mut store = Harness::default();
    for path in ["/memories/../../secrets.env", "/memories/..\\secrets", "/memories/%2e%2e%2fsecrets"] {
        assert!(store.err(json!({"command": "view", "path": path})).starts_with("Error: Path "));
    }
}
