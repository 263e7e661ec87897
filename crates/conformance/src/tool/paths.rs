//! BEHAVIOUR, "Paths".

use super::{
    input::{create, delete, insert, rename, str_replace, view},
    session::Session,
};
use crate::{Failure, Place, check_eq};

/// `.`, `//`, a trailing `/` and a `..` that stays inside lead to the same file; the answer repeats what was given.
pub(crate) async fn paths_are_resolved_lexically(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a/b", "1")]).await?;
    for given in ["/memories/a/b", "/memories/./a//b", "/memories/a/./b", "/memories/x/../a/b", "/memories/a/x/../b"] {
        session.says(view(given), &format!("Here's the content of {given} with line numbers:\n     1\t1")).await?;
    }
    let listing = session.text(view("/memories/a")).await?;
    check_eq!(session.text(view("/memories/a/")).await?, listing, "a trailing slash is not repeated");
    session.says(create("/memories/./c//d", "2"), "File created successfully at: /memories/./c//d").await?;
    session
        .says(
            rename("/memories/x/../c/", "/memories/a/../e"),
            "Successfully renamed /memories/x/../c to /memories/a/../e",
        )
        .await?;
    session.says(delete("/memories//a/"), "Successfully deleted /memories//a").await?;
    session.ends_with(&[("/memories/e/d", "2")]).await
}

/// Only `/memories` and what is under it exists; `/memoriesX` is outside.
pub(crate) async fn paths_outside_are_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    for path in ["/memoriesX", "/memories.txt", "/etc/passwd", "memories/a", "/Memories/a", "./memories", "", "/"] {
        let expected = format!("Error: Path must start with /memories, got: {path}");
        every_command_fails(&session, path, &expected).await?;
    }
    session.ends_with(&[("/memories/a", "1")]).await
}

/// As soon as `..` leaves the directory, whatever follows.
pub(crate) async fn paths_that_escape_are_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1")]).await?;
    for path in [
        "/memories/..",
        "/memories/../memories/a",
        "/memories/../../secrets.env",
        "/memories/x/../../y",
        "/memories/./../a",
    ] {
        every_command_fails(&session, path, &format!("Error: Path {path} would escape /memories directory")).await?;
    }
    session.ends_with(&[("/memories/a", "1")]).await
}

/// Percent-encoded dots, slashes and backslashes, in any case, also doubly encoded, are refused and never decoded;
/// other percent signs are just characters.
pub(crate) async fn encoded_paths_are_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    for path in [
        "/memories/%2e%2e/x",
        "/memories/%2E%2e%2Fx",
        "/memories/a%2fb",
        "/memories/a%5Cb",
        "/memories/%252e%252e/x",
        "/memories/%25252fx",
    ] {
        let expected =
            format!("Error: Path {path} holds a percent-encoded dot, slash or backslash, which is not allowed");
        every_command_fails(&session, path, &expected).await?;
    }
    session.make(&[("/memories/100%", "1"), ("/memories/%41", "2")]).await?;
    session.ends_with(&[("/memories/%41", "2"), ("/memories/100%", "1")]).await
}

/// Backslashes, control and format characters are refused, and shown escaped in the error.
pub(crate) async fn invisible_characters_in_paths_are_refused(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    for (c, shown, code) in [
        ("\\", "\\\\", "U+005C"),
        ("\0", "\\u{0}", "U+0000"),
        ("\n", "\\u{a}", "U+000A"),
        ("\t", "\\u{9}", "U+0009"),
        ("\u{7f}", "\\u{7f}", "U+007F"),
        ("\u{85}", "\\u{85}", "U+0085"),
        ("\u{ad}", "\\u{ad}", "U+00AD"),
        ("\u{200b}", "\\u{200b}", "U+200B"),
        ("\u{200d}", "\\u{200d}", "U+200D"),
        ("\u{202e}", "\\u{202e}", "U+202E"),
        ("\u{2028}", "\\u{2028}", "U+2028"),
        ("\u{2029}", "\\u{2029}", "U+2029"),
        ("\u{2066}", "\\u{2066}", "U+2066"),
        ("\u{feff}", "\\u{feff}", "U+FEFF"),
        ("\u{e0041}", "\\u{e0041}", "U+E0041"),
    ] {
        let expected = format!("Error: Path /memories/a{shown}b holds a character that is not allowed: {code}");
        every_command_fails(&session, &format!("/memories/a{c}b"), &expected).await?;
    }
    session.ends_with(&[]).await
}

/// Names are kept and listed in NFC, whichever way they are written.
pub(crate) async fn names_are_kept_in_nfc(place: &dyn Place) -> Result<(), Failure> {
    let (composed, decomposed) = ("/memories/caf\u{e9}", "/memories/cafe\u{301}");
    let session = Session::fresh(place).await?;
    session.says(create(decomposed, "1"), &format!("File created successfully at: {decomposed}")).await?;
    session.fails(create(composed, "2"), &format!("Error: File {composed} already exists")).await?;
    for path in [composed, decomposed] {
        session.says(view(path), &format!("Here's the content of {path} with line numbers:\n     1\t1")).await?;
    }
    session.ends_with(&[(composed, "1")]).await
}

/// 1,024 bytes, 20 segments below the root, 255 bytes a segment, counted in what the path comes to.
pub(crate) async fn path_limits_hold(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let name = "n".repeat(255);
    let deep = format!("/memories{}", "/d".repeat(20));
    // 9 bytes of `/memories`, four times 252, and 7.
    let longest = format!("/memories{}/abcdef", format!("/{}", "l".repeat(251)).repeat(4));
    session.make(&[(&format!("/memories/{name}"), "1"), (&deep, "2"), (&longest, "3")]).await?;
    let text = session.error(create(&format!("/memories/{name}n"), "1")).await?;
    check_eq!(text, format!("Error: Path /memories/{name}n holds a name of 256 bytes; at most 255 are allowed"));
    let text = session.error(create(&format!("{deep}/d"), "1")).await?;
    check_eq!(text, format!("Error: Path {deep}/d is 21 levels below /memories; at most 20 are allowed"));
    let text = session.error(create(&format!("{longest}g"), "1")).await?;
    // What is shown of a path ends where the longest one could.
    check_eq!(text, format!("Error: Path {longest}… is 1025 bytes long; at most 1024 are allowed"));
    session.text(view(&format!("/memories/{}d", "x/../".repeat(500)))).await?;
    session.ends_with(&[(&deep, "2"), (&longest, "3"), (&format!("/memories/{name}"), "1")]).await
}

/// A file and a directory never stand at one path; below a file nothing exists.
pub(crate) async fn nothing_lies_below_a_file(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1"), ("/memories/b", "2")]).await?;
    let below = |path: &str| format!("Error: {path} cannot be made, because /memories/a is a file and not a directory");
    session.fails(create("/memories/a/x", "1"), &below("/memories/a/x")).await?;
    session.fails(create("/memories/a/x/y", "1"), &below("/memories/a/x/y")).await?;
    session.fails(rename("/memories/b", "/memories/a/x"), &below("/memories/a/x")).await?;
    session.fails(view("/memories/a/x"), "The path /memories/a/x does not exist. Please provide a valid path.").await?;
    session
        .fails(
            str_replace("/memories/a/x", "1", "2"),
            "Error: The path /memories/a/x does not exist. Please provide a valid path.",
        )
        .await?;
    let missing = "Error: The path /memories/a/x does not exist";
    session.fails(insert("/memories/a/x", 0, "1"), missing).await?;
    session.fails(delete("/memories/a/x"), missing).await?;
    session.fails(rename("/memories/a/x", "/memories/c"), missing).await?;
    session.ends_with(&[("/memories/a", "1"), ("/memories/b", "2")]).await
}

/// What a file system would fold, trim or reserve is just a name here.
pub(crate) async fn names_are_told_apart_by_their_bytes(place: &dyn Place) -> Result<(), Failure> {
    let files = [
        ("/memories/ ", "1"),
        ("/memories/ a", "2"),
        ("/memories/...", "3"),
        ("/memories/A", "4"),
        ("/memories/CON", "5"),
        ("/memories/NOTES.md", "6"),
        ("/memories/a", "7"),
        ("/memories/a ", "8"),
        ("/memories/a.", "9"),
        ("/memories/a:b*c?\"<>|", "10"),
        ("/memories/notes.md", "11"),
        ("/memories/~", "12"),
        ("/memories/ß", "13"),
        ("/memories/日本語", "14"),
        ("/memories/😀", "15"),
    ];
    Session::with(place, &files).await?.ends_with(&files).await
}

/// All six commands refuse `path`, as either of the paths that they take, with `expected`.
async fn every_command_fails(session: &Session, path: &str, expected: &str) -> Result<(), Failure> {
    for input in [
        view(path),
        create(path, "1"),
        str_replace(path, "1", "2"),
        insert(path, 0, "1"),
        delete(path),
        rename(path, "/memories/free"),
        rename("/memories/a", path),
    ] {
        session.fails(input, expected).await?;
    }
    Ok(())
}
