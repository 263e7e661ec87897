//! `put`: how images come in. Not a command of the tool.

use bytes::Bytes;
use memoseal_core::command::{Command, Reply};
use serde_json::json;

use super::harness::{Harness, view};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

fn put(store: &mut Harness, path: &str, content: &[u8]) -> Reply {
    store.command(Ok(Command::Put { path: path.into(), content: Bytes::copy_from_slice(content) }))
}

fn written(path: &str) -> Reply {
    Reply::Text(format!("File written successfully at: {path}"))
}

#[test]
fn it_writes_text_and_images_over_files_of_either_kind() {
    let mut store = Harness::default();
    assert_eq!(put(&mut store, "/memories/a/b.png", b"text"), written("/memories/a/b.png"));
    assert_eq!(put(&mut store, "/memories/a/b.png", PNG), written("/memories/a/b.png"));
    assert!(matches!(store.call(&view("/memories/a/b.png")), Reply::Image { media_type: "image/png", .. }));
    assert_eq!(put(&mut store, "/memories/a/b.png", b""), written("/memories/a/b.png"));
    assert!(store.ok(view("/memories/a/b.png")).ends_with("     1\t"));
}

#[test]
fn it_keeps_the_identity_of_what_it_replaces_and_writes_nothing_twice() {
    let mut store = Harness::default();
    put(&mut store, "/memories/a", b"1");
    let command = Command::Put { path: "/memories/a".into(), content: Bytes::from_static(b"1") };
    let outcome = store.outcome(Ok(command));
    assert_eq!((outcome.reply, outcome.edits.len()), (written("/memories/a"), 0));
    put(&mut store, "/memories/a", b"2");
    assert_eq!(store.paths(), ["/memories/a"]);
}

#[test]
fn it_never_replaces_a_directory_and_makes_nothing_below_a_file() {
    let mut store = Harness::default();
    put(&mut store, "/memories/d/x", b"1");
    for path in ["/memories", "/memories/", "/memories/d", "/memories/d/"] {
        let shown = path.trim_end_matches('/');
        let expected = format!("Error: {shown} is a directory; a file cannot take its place");
        assert_eq!(put(&mut store, path, b"2"), Reply::Error(expected));
    }
    let expected = "Error: /memories/d/x/y cannot be made, because /memories/d/x is a file and not a directory";
    assert_eq!(put(&mut store, "/memories/d/x/y", b"2"), Reply::Error(expected.into()));
    let expected = "Error: Path /memories/z/ ends in a slash, but it would be a file; leave the slash out";
    assert_eq!(put(&mut store, "/memories/z/", b"2"), Reply::Error(expected.into()));
    let expected = "Error: Path must start with /memories, got: z";
    assert_eq!(put(&mut store, "z", b"2"), Reply::Error(expected.into()));
}

#[test]
fn other_binary_content_is_refused() {
    let mut store = Harness::default();
    for (path, content) in [
        ("/memories/a.png", &b"\xff\xfe\0"[..]),
        ("/memories/a.bin", b"\xff"),
        ("/memories/a.txt", PNG),
        ("/memories/png", PNG),
        ("/memories/x.png/y", PNG),
        ("/memories/a.gif", b"GIF89a\xff"),
        ("/memories/a.jpg", b"\xff\xd8"),
    ] {
        let expected = format!(
            "Error: {path} was not written: it is neither text nor an image (PNG or JPEG, named .png, .jpg or .jpeg)"
        );
        assert_eq!(put(&mut store, path, content), Reply::Error(expected));
    }
    assert!(store.paths().is_empty());
}

#[test]
fn images_have_a_limit_of_their_own() {
    let mut store = Harness::default();
    let image = |len: usize| [PNG, &vec![0; len - PNG.len()]].concat();
    let limit = 5 * 1024 * 1024;
    assert_eq!(put(&mut store, "/memories/a.png", &image(limit)), written("/memories/a.png"));
    let expected =
        "Error: /memories/b.png would be 5242881 bytes, and an image may hold at most 5242880. Make it smaller";
    assert_eq!(put(&mut store, "/memories/b.png", &image(limit + 1)), Reply::Error(expected.into()));
    // Text has the limit of text, under the name of an image too.
    let Reply::Error(text) = put(&mut store, "/memories/c.png", &vec![b'x'; 102_401]) else { panic!() };
    assert!(text.starts_with("Error: /memories/c.png would be 102401 bytes, and a file may hold at most 102400."));
}

#[test]
fn it_is_not_a_command_of_the_tool() {
    let mut store = Harness::default();
    assert_eq!(store.err(json!({"command": "put", "path": "/memories/a"})), "Error: Unknown command: put");
    assert_eq!(store.err(json!({"command": "clear"})), "Error: Unknown command: clear");
}

#[test]
fn where_nothing_may_be_replaced_a_file_that_differs_stays_and_one_that_is_the_same_is_fine() {
    let mut store = Harness::default();
    let put_new = |content: &'static [u8]| {
        Ok(Command::PutNew { path: "/memories/p.png".into(), content: Bytes::from_static(content) })
    };
    assert_eq!(store.command(put_new(PNG)), written("/memories/p.png"));
    let again = store.outcome(put_new(PNG));
    assert_eq!((again.reply, again.edits.len()), (written("/memories/p.png"), 0));
    let other = store.outcome(put_new(b"text"));
    let expected = Reply::Error("Error: File /memories/p.png already exists".into());
    assert_eq!((other.reply, other.edits.len()), (expected, 0));
    store.ok(json!({ "command": "create", "path": "/memories/d/x", "file_text": "" }));
    let directory = store.command(Ok(Command::PutNew { path: "/memories/d".into(), content: Bytes::new() }));
    assert!(directory.is_error());
    assert!(Command::PutNew { path: String::new(), content: Bytes::new() }.is_mutation());
}
