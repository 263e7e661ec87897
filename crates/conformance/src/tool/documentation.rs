//! Every example of the tool's documentation, in its order.

use serde_json::json;

use super::session::Session;
use crate::{Failure, Place, check};

/// The exchange that shows how the calls work; sizes of directories differ on purpose.
pub(crate) async fn the_example_exchange(place: &dyn Place) -> Result<(), Failure> {
    let lines = "<guidelines>\n<addressing_customers>\n- Always address customers by their first name\n- Use empathetic \
                 language\n";
    let guidelines = format!("{lines}{}", "x".repeat(1_536 - lines.len()));
    let policies = "y".repeat(2_048);
    let files = [
        ("/memories/customer_service_guidelines.xml", guidelines.as_str()),
        ("/memories/refund_policies.xml", policies.as_str()),
    ];
    let session = Session::with(place, &files).await?;
    session
        .says(
            json!({"command": "view", "path": "/memories"}),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and \
             node_modules:\n3.5K\t/memories\n1.5K\t/memories/customer_service_guidelines.xml\n2.0K\t/memories/\
             refund_policies.xml",
        )
        .await?;
    let shown = session.text(json!({"command": "view", "path": "/memories/customer_service_guidelines.xml"})).await?;
    let expected = "Here's the content of /memories/customer_service_guidelines.xml with line numbers:\n     \
                    1\t<guidelines>\n     2\t<addressing_customers>\n     3\t- Always address customers by their first \
                    name\n     4\t- Use empathetic language\n";
    check!(shown.starts_with(expected), "{shown}");
    session.ends_with(&files).await
}

/// The example of each command, what it returns, and each of its errors.
pub(crate) async fn the_example_of_each_command(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let create = json!({
        "command": "create",
        "path": "/memories/notes.txt",
        "file_text": "Meeting notes:\n- Discussed project timeline\n- Next steps defined\n",
    });
    session.says(create.clone(), "File created successfully at: /memories/notes.txt").await?;
    session.fails(create, "Error: File /memories/notes.txt already exists").await?;

    let view = json!({"command": "view", "path": "/memories/notes.txt", "view_range": [1, 2]});
    session
        .says(
            view,
            "Here's the content of /memories/notes.txt with line numbers:\n     1\tMeeting notes:\n     2\t- Discussed \
             project timeline",
        )
        .await?;
    let view = json!({"command": "view", "path": "/memories/none.txt"});
    session.fails(view, "The path /memories/none.txt does not exist. Please provide a valid path.").await?;

    let replace = json!({
        "command": "str_replace",
        "path": "/memories/preferences.txt",
        "old_str": "Favorite color: blue",
        "new_str": "Favorite color: green",
    });
    let expected = "Error: The path /memories/preferences.txt does not exist. Please provide a valid path.";
    session.fails(replace.clone(), expected).await?;
    session.make(&[("/memories/preferences.txt", "Favorite color: blue\n")]).await?;
    session
        .says(
            replace.clone(),
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     \
             1\tFavorite color: green\n     2\t",
        )
        .await?;
    let expected = "No replacement was performed, old_str `Favorite color: blue` did not appear verbatim in \
                    /memories/preferences.txt.";
    session.fails(replace, expected).await?;

    let insert = json!({
        "command": "insert",
        "path": "/memories/todo.txt",
        "insert_line": 2,
        "insert_text": "- Review memory tool documentation\n",
    });
    session.fails(insert.clone(), "Error: The path /memories/todo.txt does not exist").await?;
    session.make(&[("/memories/todo.txt", "")]).await?;
    let expected =
        "Error: Invalid `insert_line` parameter: 2. It should be within the range of lines of the file: [0, 1]";
    session.fails(insert.clone(), expected).await?;
    let text = json!({"command": "insert", "path": "/memories/todo.txt", "insert_line": 0, "insert_text": "- a\n- b"});
    session.says(text, "The file /memories/todo.txt has been edited.").await?;
    session.says(insert, "The file /memories/todo.txt has been edited.").await?;

    let delete = json!({"command": "delete", "path": "/memories/old_file.txt"});
    session.fails(delete.clone(), "Error: The path /memories/old_file.txt does not exist").await?;
    session.make(&[("/memories/old_file.txt", "1"), ("/memories/draft.txt", "2")]).await?;
    session.says(delete, "Successfully deleted /memories/old_file.txt").await?;

    let rename = json!({"command": "rename", "old_path": "/memories/draft.txt", "new_path": "/memories/final.txt"});
    session.says(rename.clone(), "Successfully renamed /memories/draft.txt to /memories/final.txt").await?;
    session.fails(rename.clone(), "Error: The path /memories/draft.txt does not exist").await?;
    session.make(&[("/memories/draft.txt", "3")]).await?;
    session.fails(rename, "Error: The destination /memories/final.txt already exists").await?;
    session
        .ends_with(&[
            ("/memories/draft.txt", "3"),
            ("/memories/final.txt", "2"),
            ("/memories/notes.txt", "Meeting notes:\n- Discussed project timeline\n- Next steps defined\n"),
            ("/memories/preferences.txt", "Favorite color: green\n"),
            ("/memories/todo.txt", "- a\n- b\n- Review memory tool documentation"),
        ])
        .await
}
