//! BEHAVIOUR, "Limits of the handle": each error tells the model what to do.

use super::harness::{Harness, create, delete, insert, rename, str_replace};

#[test]
fn defaults() {
    let limits = Harness::default().limits;
    assert_eq!(
        (limits.file_bytes, limits.image_bytes, limits.files, limits.store_bytes, limits.view_chars, limits.overwrite),
        (102_400, 5_242_880, 2_000, 100_000_000, 16_000, false)
    );
}

#[test]
fn bytes_a_file() {
    let mut store = Harness::default();
    store.ok(create("/memories/a", &"x".repeat(102_400)));
    let expected = |path: &str, size: usize| {
        format!(
            "Error: {path} would be {size} bytes, and a file may hold at most 102400. Shorten it, or split it into \
             several files"
        )
    };
    assert_eq!(store.err(create("/memories/b", &"é".repeat(51_201))), expected("/memories/b", 102_402));
    assert_eq!(store.err(insert("/memories/a", 0, "")), expected("/memories/a", 102_401));
    store.limits.overwrite = true;
    assert_eq!(store.err(create("/memories/a", &"x".repeat(102_401))), expected("/memories/a", 102_401));

    let mut store = Harness::with(&[("/memories/a", "ab")]);
    assert_eq!(store.err(str_replace("/memories/a", "b", &"x".repeat(102_400))), expected("/memories/a", 102_401));
    store.ok(str_replace("/memories/a", "b", &"x".repeat(102_399)));
}

#[test]
fn a_file_above_a_lowered_limit_can_be_made_smaller() {
    let mut store = Harness::with(&[("/memories/a", "0123456789")]);
    store.limits.file_bytes = 5;
    store.limits.store_bytes = 5;
    store.ok(str_replace("/memories/a", "9", ""));
    store.ok(str_replace("/memories/a", "8", "x"));
    assert!(store.err(str_replace("/memories/a", "7", "xx")).contains("may hold at most 5"));
    store.ok(rename("/memories/a", "/memories/b"));
    store.ok(delete("/memories/b"));
}

#[test]
fn files_a_store() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/b", "1")]);
    store.limits.files = 2;
    store.limits.overwrite = true;
    assert_eq!(
        store.err(create("/memories/c", "1")),
        "Error: The memory is full: it may hold at most 2 files. Delete files that are no longer needed, or put their \
         content together in fewer files, then try again"
    );
    store.ok(create("/memories/a", "2"));
    store.ok(rename("/memories/a", "/memories/c"));
    store.ok(delete("/memories/c"));
    store.ok(create("/memories/a", "1"));
}

#[test]
fn bytes_a_store() {
    let mut store = Harness::with(&[("/memories/a", "12345"), ("/memories/b", "12345")]);
    store.limits.store_bytes = 10;
    store.limits.overwrite = true;
    let expected = |bytes: u64| {
        format!(
            "Error: The memory is full: this would make it {bytes} bytes, and it may hold at most 10. Delete or shorten \
             files that are no longer needed, then try again"
        )
    };
    assert_eq!(store.err(create("/memories/c", "1")), expected(11));
    assert_eq!(store.err(create("/memories/a", "123456")), expected(11));
    assert_eq!(store.err(str_replace("/memories/a", "5", "5678")), expected(13));
    assert_eq!(store.err(insert("/memories/a", 1, "")), expected(11));
    store.ok(create("/memories/c", ""));
    store.ok(create("/memories/a", "1234"));
    store.ok(insert("/memories/a", 1, ""));
}

#[test]
fn limits_count_within_one_turn() {
    let mut store = Harness::default();
    store.limits.files = 2;
    let answers = store.turn(&[
        create("/memories/a", "1"),
        create("/memories/b", "1"),
        create("/memories/c", "1"),
        delete("/memories/a"),
        create("/memories/c", "1"),
    ]);
    assert!(answers[2].starts_with("✗ Error: The memory is full"));
    assert_eq!(answers[4], "File created successfully at: /memories/c");
    assert_eq!(store.paths(), ["/memories/b", "/memories/c"]);
}
