//! BEHAVIOUR: "Several calls of one turn run in the order in which they came; an error in one does not stop the next."

use serde_json::json;

use super::{
    input::{create, delete, insert, rename, str_replace, view},
    session::{Answer, Session},
};
use crate::{Failure, Place, check, check_eq};

fn text(text: &str) -> Answer {
    Answer::Text(text.to_owned())
}

fn error(text: &str) -> Answer {
    Answer::Error(text.to_owned())
}

/// A view in the middle of a turn reads what the calls before it did, and not what those after it do; the whole turn
/// is one commit.
pub(crate) async fn a_turn_is_one_commit_in_order(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/old", "1")]).await?;
    let before = session.store.seq();
    let answers = session
        .turn(&[
            create("/memories/a", "one\n"),
            view("/memories/a"),
            str_replace("/memories/a", "one", "two"),
            view("/memories/a"),
            insert("/memories/a", 1, "three"),
            rename("/memories/a", "/memories/dir/b"),
            view("/memories/dir/b"),
            view("/memories/a"),
            delete("/memories/old"),
            create("/memories/old", "new"),
            view("/memories"),
        ])
        .await?;
    let expected = [
        text("File created successfully at: /memories/a"),
        text("Here's the content of /memories/a with line numbers:\n     1\tone\n     2\t"),
        text(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\ttwo\n     \
             2\t",
        ),
        text("Here's the content of /memories/a with line numbers:\n     1\ttwo\n     2\t"),
        text("The file /memories/a has been edited."),
        text("Successfully renamed /memories/a to /memories/dir/b"),
        text("Here's the content of /memories/dir/b with line numbers:\n     1\ttwo\n     2\tthree\n     3\t"),
        error("The path /memories/a does not exist. Please provide a valid path."),
        text("Successfully deleted /memories/old"),
        text("File created successfully at: /memories/old"),
        text(
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and \
             node_modules:\n13B\t/memories\n10B\t/memories/dir/\n10B\t/memories/dir/b\n3B\t/memories/old",
        ),
    ];
    for (number, (answer, expected)) in answers.iter().zip(&expected).enumerate() {
        check_eq!(answer, expected, "answer {number}");
    }
    check_eq!(session.store.seq(), before + 1, "commits for a turn");
    session.ends_with(&[("/memories/dir/b", "two\nthree\n"), ("/memories/old", "new")]).await
}

/// An error in the middle does not stop the next call.
pub(crate) async fn an_error_does_not_stop_a_turn(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let answers = session
        .turn(&[
            create("/memories/a", "1"),
            create("/memories/a", "2"),
            json!({"command": "nonsense"}),
            create("/etc/passwd", "3"),
            json!(null),
            create("/memories/b", "4"),
        ])
        .await?;
    check_eq!(
        answers,
        [
            text("File created successfully at: /memories/a"),
            error("Error: File /memories/a already exists"),
            error("Error: Unknown command: nonsense"),
            error("Error: Path must start with /memories, got: /etc/passwd"),
            error("Error: The input must be a JSON object with a `command` field"),
            text("File created successfully at: /memories/b"),
        ]
    );
    session.ends_with(&[("/memories/a", "1"), ("/memories/b", "4")]).await
}

/// A turn of nothing but errors and views commits nothing.
pub(crate) async fn a_turn_that_changes_nothing_commits_nothing(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    let before = session.store.seq();
    let answers = session
        .turn(&[
            create("/memories/a", "2"),
            view("/memories/a"),
            str_replace("/memories/a", "1", "1"),
            delete("/memories/none"),
        ])
        .await?;
    check_eq!(answers.len(), 4);
    check!(matches!(answers.as_slice(), [Answer::Error(_), Answer::Text(_), Answer::Text(_), Answer::Error(_)]));
    check_eq!(session.store.seq(), before, "commits for a turn that changes nothing");
    session.ends_with(&[("/memories/a", "1")]).await
}

/// Directories move and go within a turn, over what its earlier calls made.
pub(crate) async fn directories_move_within_a_turn(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a/1", "1"), ("/memories/a/2", "2"), ("/memories/b", "3")]).await?;
    let answers = session
        .turn(&[
            create("/memories/a/3", "4"),
            rename("/memories/a", "/memories/c"),
            delete("/memories/c/2"),
            rename("/memories/b", "/memories/a"),
            rename("/memories/c", "/memories/a/x"),
            rename("/memories/c", "/memories/d"),
            delete("/memories/a"),
            rename("/memories/d", "/memories/a"),
        ])
        .await?;
    let below = "Error: /memories/a/x cannot be made, because /memories/a is a file and not a directory";
    check_eq!(answers.get(4), Some(&error(below)));
    let errors = answers.iter().filter(|answer| matches!(answer, Answer::Error(_))).count();
    check_eq!(errors, 1, "errors in {answers:?}");
    session.ends_with(&[("/memories/a/1", "1"), ("/memories/a/3", "4")]).await
}

/// Turns of several handles at once: every change lands, none is lost.
pub(crate) async fn turns_of_several_handles_all_land(place: &dyn Place) -> Result<(), Failure> {
    const HANDLES: usize = 4;
    const TURNS: usize = 5;
    let session = Session::with(place, &[("/memories/log", "start\n")]).await?;
    let mut handles = Vec::new();
    for handle in 0..HANDLES {
        let session = session.again().await?;
        handles.push(tokio::spawn(async move {
            for turn in 0..TURNS {
                let name = format!("{handle}-{turn}");
                let answers = session
                    .turn(&[create(&format!("/memories/{name}"), &name), insert("/memories/log", 1, &name)])
                    .await?;
                let texts = answers.iter().all(|answer| matches!(answer, Answer::Text(_)));
                check!(texts, "{name} was answered with {answers:?}");
            }
            Ok::<_, Failure>(())
        }));
    }
    for handle in handles {
        handle.await??;
    }
    let names = (0..HANDLES).flat_map(|handle| (0..TURNS).map(move |turn| format!("{handle}-{turn}")));
    let log = String::from_utf8(session.store.read("/memories/log").await?.to_vec())?;
    check_eq!(session.paths().await?.len(), HANDLES * TURNS + 1, "files at the end");
    for name in names {
        session.holds(&format!("/memories/{name}"), &name).await?;
        check_eq!(log.lines().filter(|line| *line == name).count(), 1, "lines {name} in the log");
    }
    session.reopened().await
}
