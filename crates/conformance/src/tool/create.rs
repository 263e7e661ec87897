//! BEHAVIOUR, "create".

use memoseal_core::command::Limits;

use super::{input::create, session::Session};
use crate::{Failure, Place};

/// Parents need no making, and every byte is kept.
pub(crate) async fn create_keeps_every_byte(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let files = [
        ("/memories/.hidden/x", "1"),
        ("/memories/a/b/c/d.md", "# Deep\n"),
        ("/memories/empty", ""),
        ("/memories/newlines", "\n\n\n"),
        ("/memories/odd", "\r\n\0\u{feff}\u{2028}$&\\n😀\u{10ffff}"),
        ("/memories/one", "a"),
    ];
    for (path, text) in files {
        session.says(create(path, text), &format!("File created successfully at: {path}")).await?;
    }
    session.ends_with(&files).await
}

/// What exists, a directory or the root too, is not overwritten.
pub(crate) async fn create_refuses_what_exists(place: &dyn Place) -> Result<(), Failure> {
    let files = [("/memories/a", "1"), ("/memories/d/x", "2")];
    let session = Session::with(place, &files).await?;
    for path in ["/memories/a", "/memories/./a", "/memories/d", "/memories", "/memories/d/.."] {
        session.fails(create(path, "2"), &format!("Error: File {path} already exists")).await?;
        session.fails(create(path, "1"), &format!("Error: File {path} already exists")).await?;
    }
    session.fails(create("/memories/d/", "2"), "Error: File /memories/d already exists").await?;
    session.ends_with(&files).await
}

/// A path that ends in a slash is refused.
pub(crate) async fn create_refuses_a_trailing_slash(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let expected = "Error: Path /memories/a/ ends in a slash, but it would be a file; leave the slash out";
    session.fails(create("/memories/a/", "1"), expected).await?;
    session.ends_with(&[]).await
}

/// Overwriting is an option of the handle: the same text, never a directory, and no commit for the same content.
pub(crate) async fn create_overwrites_where_that_is_allowed(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    limits.overwrite = true;
    let session = Session::with_limits(place, limits).await?;
    session.make(&[("/memories/a", "1"), ("/memories/d/x", "2")]).await?;
    session.says(create("/memories/a", "new"), "File created successfully at: /memories/a").await?;
    session.says_unchanged(create("/memories/a", "new"), "File created successfully at: /memories/a").await?;
    session.fails(create("/memories/d", "3"), "Error: File /memories/d already exists").await?;
    session.fails(create("/memories", "3"), "Error: File /memories already exists").await?;
    let below = "Error: /memories/a/b cannot be made, because /memories/a is a file and not a directory";
    session.fails(create("/memories/a/b", "3"), below).await?;
    // Another handle of the same store goes on refusing.
    let strict = session.again_with(Limits::default()).await?;
    strict.fails(create("/memories/a", "4"), "Error: File /memories/a already exists").await?;
    session.ends_with(&[("/memories/a", "new"), ("/memories/d/x", "2")]).await
}
