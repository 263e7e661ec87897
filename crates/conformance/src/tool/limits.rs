//! BEHAVIOUR, limits of the handle: each has an error that tells the model what to do.

use memoseal_core::command::Limits;

use super::{
    input::{create, delete, insert, rename, str_replace},
    session::{Answer, Session},
};
use crate::{Failure, Place, check, check_eq};

/// 102,400 bytes a file, 2,000 files and 100,000,000 bytes a store.
pub(crate) async fn the_defaults_are_those_of_the_contract(place: &dyn Place) -> Result<(), Failure> {
    let limits = Limits::default();
    check_eq!((limits.file_bytes, limits.files, limits.store_bytes), (102_400, 2_000, 100_000_000));
    check_eq!((limits.view_chars, limits.overwrite), (16_000, false));
    let session = Session::with(place, &[("/memories/a", &"x".repeat(102_400))]).await?;
    let expected = |path: &str| {
        format!(
            "Error: {path} would be 102401 bytes, and a file may hold at most 102400. Shorten it, or split it into several files"
        )
    };
    session.fails(create("/memories/b", &"x".repeat(102_401)), &expected("/memories/b")).await?;
    session.fails(insert("/memories/a", 0, ""), &expected("/memories/a")).await?;
    session.text(create("/memories/b", &"é".repeat(51_200))).await?;
    session.reopened().await
}

/// A store that holds as many files as it may takes no new one, but every other change.
pub(crate) async fn a_full_store_takes_no_new_file(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    limits.files = 2;
    let session = Session::with_limits(place, limits).await?;
    session.make(&[("/memories/a", "1"), ("/memories/b", "1")]).await?;
    let text = session.error(create("/memories/c", "1")).await?;
    check!(text.starts_with("Error: The memory is full: it may hold at most 2 files. Delete"), "{text}");
    session.text(str_replace("/memories/a", "1", "22")).await?;
    session.text(rename("/memories/a", "/memories/c")).await?;
    // Room made within a turn counts in it.
    let answers =
        session.turn(&[create("/memories/d", "3"), delete("/memories/b"), create("/memories/d", "3")]).await?;
    check!(matches!(answers.as_slice(), [Answer::Error(_), Answer::Text(_), Answer::Text(_)]), "{answers:?}");
    session.ends_with(&[("/memories/c", "22"), ("/memories/d", "3")]).await
}

/// A store of as many bytes as it may hold takes nothing that makes it larger.
pub(crate) async fn a_full_store_does_not_grow(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    limits.store_bytes = 10;
    let session = Session::with_limits(place, limits).await?;
    session.make(&[("/memories/a", "12345"), ("/memories/b", "12345")]).await?;
    for input in [create("/memories/c", "1"), str_replace("/memories/a", "5", "56"), insert("/memories/a", 1, "")] {
        let text = session.error(input).await?;
        let expected = "Error: The memory is full: this would make it 11 bytes, and it may hold at most 10. Delete";
        check!(text.starts_with(expected), "{text}");
    }
    session.text(create("/memories/c", "")).await?;
    session.text(str_replace("/memories/a", "45", "")).await?;
    session.text(insert("/memories/a", 1, "4")).await?;
    session.ends_with(&[("/memories/a", "123\n4"), ("/memories/b", "12345"), ("/memories/c", "")]).await
}

/// Where a limit was lowered, what is too large already can be read, moved and made smaller, but not larger.
pub(crate) async fn what_is_too_large_can_be_made_smaller(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "0123456789")]).await?;
    let mut limits = Limits::default();
    limits.file_bytes = 5;
    limits.store_bytes = 5;
    limits.files = 0;
    let lower = session.again_with(limits).await?;
    lower.text(str_replace("/memories/a", "9", "")).await?;
    lower.text(str_replace("/memories/a", "8", "x")).await?;
    let text = lower.error(str_replace("/memories/a", "7", "xx")).await?;
    check!(text.contains("may hold at most 5"), "{text}");
    lower.text(rename("/memories/a", "/memories/b")).await?;
    lower.ends_with(&[("/memories/b", "01234567x")]).await
}
