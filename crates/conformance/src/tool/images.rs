//! BEHAVIOUR, images: how they come in, and how they are shown.

use bytes::Bytes;
use memoseal_core::command::{Limits, Reply};

use super::{
    input::{insert, rename, str_replace, view, view_range},
    session::{Answer, Session},
};
use crate::{Failure, Place, check_eq};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\0\xfe";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\xff";

fn written(path: &str) -> Reply {
    Reply::Text(format!("File written successfully at: {path}"))
}

/// PNG and JPEG, told by their content, under the name of an image, come back as an image block; `view_range` is
/// ignored.
pub(crate) async fn images_come_back_as_image_blocks(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    let table = [
        ("/memories/a.png", PNG, "image/png"),
        ("/memories/b.PNG", PNG, "image/png"),
        ("/memories/c.jpg", PNG, "image/png"),
        ("/memories/d.jpeg", JPEG, "image/jpeg"),
        ("/memories/e.Jpg", JPEG, "image/jpeg"),
    ];
    for (path, content, _) in table {
        check_eq!(session.put(path, content).await?, written(path));
    }
    let again = session.again().await?;
    for (path, content, media_type) in table {
        let image = Answer::Image { media_type: media_type.into(), data: Bytes::from_static(content) };
        check_eq!(session.call(&view(path)).await?, image, "{path}");
        check_eq!(again.call(&view(path)).await?, image, "{path} in a new handle");
        check_eq!(session.call(&view_range(path, [9, 1])).await?, image, "{path} with a view_range");
        let expected =
            format!("Error: {path} is not a text file and cannot be edited; it can only be renamed or deleted");
        session.fails(str_replace(path, "IHDR", "x"), &expected).await?;
        session.fails(insert(path, 0, "x"), &expected).await?;
    }
    session.reopened().await
}

/// Valid UTF-8 is text whatever its name; an image under another name, or anything else, is not shown.
pub(crate) async fn what_is_no_image_is_told_by_content(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a.png", "PNG")]).await?;
    let shown = "Here's the content of /memories/a.png with line numbers:\n     1\tPNG";
    session.says(view("/memories/a.png"), shown).await?;
    session.put("/memories/b.png", PNG).await?;
    session.text(rename("/memories/b.png", "/memories/b.bin")).await?;
    let expected = "Error: /memories/b.bin can not be shown: it is neither text nor an image (PNG or JPEG, named .png, \
                    .jpg or .jpeg)";
    session.fails(view("/memories/b.bin"), expected).await?;
    for (path, content) in [
        ("/memories/c.png", &b"\xff\xfe\0"[..]),
        ("/memories/c.bin", b"\xff"),
        ("/memories/c.txt", PNG),
        ("/memories/c.gif", b"GIF89a\xff"),
    ] {
        let expected = format!(
            "Error: {path} was not written: it is neither text nor an image (PNG or JPEG, named .png, .jpg or .jpeg)"
        );
        check_eq!(session.put(path, content).await?, Reply::Error(expected));
    }
    check_eq!(session.paths().await?, ["/memories/a.png", "/memories/b.bin"]);
    session.reopened().await
}

/// `put` replaces a file of either kind, never a directory, and makes nothing below a file.
pub(crate) async fn put_replaces_files_and_never_directories(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a.png", "text"), ("/memories/d/x", "1")]).await?;
    check_eq!(session.put("/memories/a.png", PNG).await?, written("/memories/a.png"));
    session.holds("/memories/a.png", PNG).await?;
    let seq = session.store.seq();
    check_eq!(session.put("/memories/a.png", PNG).await?, written("/memories/a.png"));
    check_eq!(session.store.seq(), seq, "commits after the same content again");
    check_eq!(session.put("/memories/a.png", "text again").await?, written("/memories/a.png"));
    for path in ["/memories", "/memories/d"] {
        let expected = format!("Error: {path} is a directory; a file cannot take its place");
        check_eq!(session.put(path, "1").await?, Reply::Error(expected));
    }
    let expected = "Error: /memories/d/x/y cannot be made, because /memories/d/x is a file and not a directory";
    check_eq!(session.put("/memories/d/x/y", "1").await?, Reply::Error(expected.into()));
    session.ends_with(&[("/memories/a.png", "text again"), ("/memories/d/x", "1")]).await
}

/// Images have a limit of their own.
pub(crate) async fn images_have_their_own_limit(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    check_eq!((limits.image_bytes, limits.file_bytes), (5 * 1024 * 1024, 102_400), "defaults");
    limits.image_bytes = 200_000;
    let session = Session::with_limits(place, limits).await?;
    let image = |len: usize| PNG.iter().copied().chain(std::iter::repeat(0)).take(len).collect::<Vec<_>>();
    check_eq!(session.put("/memories/a.png", image(200_000)).await?, written("/memories/a.png"));
    let expected =
        "Error: /memories/b.png would be 200001 bytes, and an image may hold at most 200000. Make it smaller";
    check_eq!(session.put("/memories/b.png", image(200_001)).await?, Reply::Error(expected.into()));
    let expected = "Error: /memories/b.png would be 102401 bytes, and a file may hold at most 102400. Shorten it, or \
                    split it into several files";
    check_eq!(session.put("/memories/b.png", "x".repeat(102_401)).await?, Reply::Error(expected.into()));
    session.holds("/memories/a.png", image(200_000)).await?;
    session.reopened().await
}
