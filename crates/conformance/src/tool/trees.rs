//! BEHAVIOUR, "delete" and "rename", and clearing everything.

use memoseal_core::command::Reply;

use super::{
    input::{create, delete, rename, view},
    session::Session,
};
use crate::{Failure, Place, check, check_eq};

/// A file goes; a directory goes with all that is in it, hidden things too, in one commit.
pub(crate) async fn delete_takes_what_is_in_a_directory(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(
        place,
        &[
            ("/memories/a/.y/z", "1"),
            ("/memories/a/node_modules/z", "2"),
            ("/memories/a/x", "3"),
            ("/memories/b/a/x", "4"),
            ("/memories/c", "5"),
        ],
    )
    .await?;
    let before = session.store.seq();
    session.says(delete("/memories/a/"), "Successfully deleted /memories/a").await?;
    check_eq!(session.store.seq(), before + 1, "commits for a directory");
    session.says(delete("/memories/c"), "Successfully deleted /memories/c").await?;
    for path in ["/memories/a", "/memories/a/x", "/memories/c"] {
        session.fails(delete(path), &format!("Error: The path {path} does not exist")).await?;
    }
    session.ends_with(&[("/memories/b/a/x", "4")]).await
}

/// The root is not deleted, however it is spelt, and whether or not something is in it.
pub(crate) async fn the_root_is_not_deleted(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    for files in [&[][..], &[("/memories/a", "1")]] {
        session.make(files).await?;
        for path in ["/memories", "/memories/", "/memories/a/..", "/memories//."] {
            session.fails(delete(path), "Error: Cannot delete the /memories directory itself").await?;
        }
    }
    session.ends_with(&[("/memories/a", "1")]).await
}

/// What was deleted can be made again, as a file or as a directory.
pub(crate) async fn a_deleted_path_is_free(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1"), ("/memories/d/x", "1")]).await?;
    session.text(delete("/memories/a")).await?;
    session.text(delete("/memories/d")).await?;
    session.text(create("/memories/a/x", "2")).await?;
    session.text(create("/memories/d", "2")).await?;
    session.ends_with(&[("/memories/a/x", "2"), ("/memories/d", "2")]).await
}

/// `clear_all_memory` of the library: everything goes, and once more is no change.
pub(crate) async fn clearing_deletes_everything(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/.b", "1"), ("/memories/a/b", "1")]).await?;
    let cleared = Reply::Text("All memory cleared".into());
    check_eq!(session.store.clear_all_memory().await?, cleared);
    let seq = session.store.seq();
    check_eq!(session.store.clear_all_memory().await?, cleared);
    check_eq!(session.store.seq(), seq, "commits after clearing an empty store");
    let listing = session.text(view("/memories")).await?;
    check!(listing.ends_with(":\n0B\t/memories"), "{listing}");
    session.ends_with(&[]).await
}

/// A file moves, also to a directory that does not exist yet, and keeps its content.
pub(crate) async fn rename_moves_a_file(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/draft.txt", "1\n2")]).await?;
    let expected = "Successfully renamed /memories/draft.txt to /memories/final.txt";
    session.says(rename("/memories/draft.txt", "/memories/final.txt"), expected).await?;
    session.text(rename("/memories/final.txt", "/memories/a/b/c.txt")).await?;
    // A handle that has to find the content through two renames.
    let shown = "Here's the content of /memories/a/b/c.txt with line numbers:\n     1\t1\n     2\t2";
    session.again().await?.says(view("/memories/a/b/c.txt"), shown).await?;
    session.ends_with(&[("/memories/a/b/c.txt", "1\n2")]).await
}

/// A directory moves with all that is in it, in one commit; what begins alike stays.
pub(crate) async fn rename_moves_a_directory(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(
        place,
        &[
            ("/memories/a/.y/z", "2"),
            ("/memories/a/m/n/o", "5"),
            ("/memories/a/x", "1"),
            ("/memories/a!/x", "4"),
            ("/memories/ab", "3"),
        ],
    )
    .await?;
    let before = session.store.seq();
    session
        .says(rename("/memories/a/", "/memories/new/b/"), "Successfully renamed /memories/a to /memories/new/b")
        .await?;
    check_eq!(session.store.seq(), before + 1, "commits for a directory");
    session.fails(view("/memories/a"), "The path /memories/a does not exist. Please provide a valid path.").await?;
    session
        .ends_with(&[
            ("/memories/a!/x", "4"),
            ("/memories/ab", "3"),
            ("/memories/new/b/.y/z", "2"),
            ("/memories/new/b/m/n/o", "5"),
            ("/memories/new/b/x", "1"),
        ])
        .await
}

/// Root, missing source, taken destination, into itself, below a file, trailing slash, limits: in this order.
pub(crate) async fn rename_checks_in_order(place: &dyn Place) -> Result<(), Failure> {
    let deep = format!("/memories/deep{}", "/d".repeat(15));
    let files = [("/memories/a", "1"), ("/memories/b", "2"), ("/memories/d/x", "3"), (deep.as_str(), "4")];
    let session = Session::with(place, &files).await?;
    let taken = |path: &str| format!("Error: The destination {path} already exists");
    let root = "Error: Cannot rename the /memories directory itself";
    for (old, new, expected) in [
        ("/memories", "/memories/z", root.to_owned()),
        ("/memories/d/..", "/memories/b", root.into()),
        ("/memories/none", "/memories/b", "Error: The path /memories/none does not exist".into()),
        ("/memories/none", "/memories/none/x", "Error: The path /memories/none does not exist".into()),
        ("/memories/a", "/memories/b", taken("/memories/b")),
        ("/memories/a", "/memories/a", taken("/memories/a")),
        ("/memories/a", "/memories/d/", taken("/memories/d")),
        ("/memories/d", "/memories/a", taken("/memories/a")),
        ("/memories/d", "/memories/d/x", taken("/memories/d/x")),
        ("/memories/a", "/memories", taken("/memories")),
        (
            "/memories/d",
            "/memories/d/y",
            "Error: Cannot rename /memories/d to /memories/d/y, which lies inside it".into(),
        ),
        (
            "/memories/a",
            "/memories/a/y",
            "Error: Cannot rename /memories/a to /memories/a/y, which lies inside it".into(),
        ),
        (
            "/memories/d",
            "/memories/b/c/d",
            "Error: /memories/b/c/d cannot be made, because /memories/b is a file and not a directory".into(),
        ),
        (
            "/memories/a",
            "/memories/z/",
            "Error: Path /memories/z/ ends in a slash, but it would be a file; leave the slash out".into(),
        ),
    ] {
        session.fails(rename(old, new), &expected).await?;
    }
    let text = session.error(rename("/memories/deep", "/memories/1/2/3/4/5/6")).await?;
    check!(text.starts_with("Error: ") && text.contains("21 levels"), "{text}");
    session.text(rename("/memories/deep", "/memories/1/2/3/4/5/")).await?;
    check_eq!(session.paths().await?.len(), files.len());
    session.reopened().await
}

/// A thousand files are renamed in one commit, and deleted in one.
pub(crate) async fn a_thousand_files_move_in_one_commit(place: &dyn Place) -> Result<(), Failure> {
    const FILES: usize = 1_000;
    let session = Session::fresh(place).await?;
    let paths: Vec<String> = (0..FILES).map(|number| format!("/memories/a/{number:04}")).collect();
    for paths in paths.chunks(250) {
        session.make(&paths.iter().map(|path| (path.as_str(), path.as_str())).collect::<Vec<_>>()).await?;
    }
    let before = session.store.seq();
    session.text(rename("/memories/a", "/memories/b/c")).await?;
    check_eq!(session.store.seq(), before + 1, "commits for a rename of a thousand files");
    let moved = session.again().await?;
    check_eq!(moved.paths().await?, paths.iter().map(|path| path.replace("/a/", "/b/c/")).collect::<Vec<_>>());
    for path in paths.iter().step_by(99) {
        moved.holds(&path.replace("/a/", "/b/c/"), path).await?;
    }
    session.text(delete("/memories/b")).await?;
    check_eq!(session.store.seq(), before + 2, "commits for a delete of a thousand files");
    session.ends_with(&[]).await
}
