//! BEHAVIOUR, "view, a directory".

use super::harness::{Harness, create, delete, view, view_range};

const HEADER: &str =
    "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";

fn listing(header: &str, rows: &[&str]) -> String {
    let mut text = header.to_owned();
    for row in rows {
        text.push('\n');
        text.push_str(row);
    }
    text
}

#[test]
fn an_empty_store_is_no_error_and_shows_the_directory_itself() {
    assert_eq!(Harness::default().ok(view("/memories")), listing(HEADER, &["0B\t/memories"]));
}

#[test]
fn children_and_grandchildren_depth_first_by_bytes() {
    let mut store = Harness::with(&[
        ("/memories/b.txt", "12345"),
        ("/memories/a/z", "1"),
        ("/memories/a/deep/er/est", "123"),
        ("/memories/a/deep/x", "12"),
        ("/memories/a-b", ""),
        ("/memories/B", "1"),
        ("/memories/é", "1"),
    ]);
    assert_eq!(
        store.ok(view("/memories")),
        listing(
            HEADER,
            &[
                "13B\t/memories",
                "1B\t/memories/B",
                "6B\t/memories/a/",
                "5B\t/memories/a/deep/",
                "1B\t/memories/a/z",
                "0B\t/memories/a-b",
                "5B\t/memories/b.txt",
                "1B\t/memories/é",
            ]
        )
    );
}

#[test]
fn directories_of_the_same_name_are_told_apart() {
    let mut store = Harness::with(&[
        ("/memories/a/x/1", "1"),
        ("/memories/b/x/1", "12"),
        ("/memories/b/x/2", "12"),
        ("/memories/b/y", "1"),
    ]);
    assert_eq!(
        store.ok(view("/memories")),
        listing(
            HEADER,
            &[
                "6B\t/memories",
                "1B\t/memories/a/",
                "1B\t/memories/a/x/",
                "5B\t/memories/b/",
                "4B\t/memories/b/x/",
                "1B\t/memories/b/y",
            ]
        )
    );
}

#[test]
fn hidden_items_are_left_out_at_each_level_but_counted() {
    let mut store = Harness::with(&[
        ("/memories/.hidden", "12345678"),
        ("/memories/.dir/x", "1"),
        ("/memories/node_modules/x/y", "1234"),
        ("/memories/a/.hidden", "12"),
        ("/memories/a/node_modules/y", "1"),
        ("/memories/a/seen", "1"),
        ("/memories/only/.hidden", "1"),
        ("/memories/a/node_modules_not", "1"),
    ]);
    assert_eq!(
        store.ok(view("/memories")),
        listing(
            HEADER,
            &[
                "19B\t/memories",
                "5B\t/memories/a/",
                "1B\t/memories/a/node_modules_not",
                "1B\t/memories/a/seen",
                "1B\t/memories/only/",
            ]
        )
    );
    // Viewing one directly works.
    let text = store.ok(view("/memories/node_modules"));
    assert!(
        text.ends_with("\n4B\t/memories/node_modules\n4B\t/memories/node_modules/x/\n4B\t/memories/node_modules/x/y")
    );
    let text = store.ok(view("/memories/.dir"));
    assert!(text.ends_with("\n1B\t/memories/.dir\n1B\t/memories/.dir/x"), "{text}");
    assert!(store.ok(view("/memories/.hidden")).ends_with("     1\t12345678"));
}

#[test]
fn sizes() {
    let kilo = |n: usize| "x".repeat(n);
    let mut store = Harness::with(&[
        ("/memories/a", &kilo(1_023)),
        ("/memories/b", &kilo(1_024)),
        ("/memories/c", &kilo(1_536)),
        ("/memories/d", &kilo(4_096)),
        ("/memories/e/f", &kilo(2_048)),
    ]);
    assert_eq!(
        store.ok(view("/memories")),
        listing(
            HEADER,
            &[
                "9.5K\t/memories",
                "1023B\t/memories/a",
                "1.0K\t/memories/b",
                "1.5K\t/memories/c",
                "4.0K\t/memories/d",
                "2.0K\t/memories/e/",
                "2.0K\t/memories/e/f",
            ]
        )
    );
}

#[test]
fn the_path_is_echoed_as_given_less_its_trailing_slashes() {
    let mut store = Harness::with(&[("/memories/a/b", "1")]);
    let header = "Here're the files and directories up to 2 levels deep in /memories/x/../a, excluding hidden items and \
                  node_modules:";
    assert_eq!(
        store.ok(view("/memories/x/../a//")),
        listing(header, &["1B\t/memories/x/../a", "1B\t/memories/x/../a/b"])
    );
    assert_eq!(store.ok(view("/memories/")), store.ok(view("/memories")));
}

#[test]
fn names_are_listed_in_nfc() {
    let mut store = Harness::default();
    assert_eq!(store.ok(create("/memories/cafe\u{301}", "1")), "File created successfully at: /memories/cafe\u{301}");
    assert_eq!(store.ok(view("/memories")), listing(HEADER, &["1B\t/memories", "1B\t/memories/caf\u{e9}"]));
}

#[test]
fn missing() {
    let mut store = Harness::with(&[("/memories/a", "1")]);
    for path in ["/memories/b", "/memories/a/b", "/memories/A", "/memories/.a"] {
        assert_eq!(store.err(view(path)), format!("The path {path} does not exist. Please provide a valid path."));
    }
}

#[test]
fn a_directory_exists_while_something_lies_under_it() {
    let mut store = Harness::with(&[("/memories/a/b", "1")]);
    store.ok(view("/memories/a"));
    store.ok(delete("/memories/a/b"));
    assert_eq!(store.err(view("/memories/a")), "The path /memories/a does not exist. Please provide a valid path.");
}

#[test]
fn view_range_counts_rows_after_the_header_line() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/b", "1"), ("/memories/c", "1")]);
    for (range, rows) in [
        ([1, 1], &["3B\t/memories"][..]),
        ([2, 3], &["1B\t/memories/a", "1B\t/memories/b"]),
        ([4, -1], &["1B\t/memories/c"]),
        ([0, 2], &["3B\t/memories", "1B\t/memories/a"]),
        ([4, 99], &["1B\t/memories/c"]),
    ] {
        assert_eq!(store.ok(view_range("/memories", range)), listing(HEADER, rows), "{range:?}");
    }
    for range in [[5, 6], [5, -1], [3, 2], [1, 0]] {
        let [start, end] = range;
        assert_eq!(
            store.err(view_range("/memories", range)),
            format!("Error: Invalid `view_range` parameter: [{start}, {end}]. The listing of /memories has 4 rows")
        );
    }
}

#[test]
fn a_long_listing_is_cut_at_a_row() {
    let mut store = Harness::default();
    for i in 0..1_000 {
        store.ok(create(&format!("/memories/{i:04}-{}", "x".repeat(20)), "1"));
    }
    let text = store.ok(view("/memories"));
    let (header, rest) = text.split_once('\n').unwrap();
    let (rows, note) = rest.rsplit_once('\n').unwrap();
    assert_eq!(header, HEADER);
    // 11 + newline for the first row, 38 with the newline for each other one.
    assert_eq!(rows.lines().count(), 1 + (16_000 - 15) / 39);
    assert!(rows.chars().count() <= 16_000);
    let left = 1_001 - rows.lines().count();
    assert_eq!(note, format!("[{left} more entries; view a subdirectory or use view_range]"));

    // The rest is there by view_range, and nothing twice or not at all.
    let next = i64::try_from(rows.lines().count() + 1).unwrap();
    let more = store.ok(view_range("/memories", [next, next + 99]));
    assert!(!more.contains("more entries"));
    assert_eq!(more.lines().nth(1).unwrap().split('\t').nth(1).unwrap().get(10..14), Some("0409"), "{more}");
    assert_eq!(more.lines().count(), 101);
}

#[test]
fn exactly_the_cap_is_not_cut() {
    let mut store = Harness::with(&[("/memories/a", "1"), ("/memories/é", "1")]);
    let rows = "2B\t/memories\n1B\t/memories/a\n1B\t/memories/é";
    store.limits.view_chars = rows.chars().count();
    assert_eq!(store.ok(view("/memories")), listing(HEADER, &[rows]));
    store.limits.view_chars -= 1;
    assert_eq!(
        store.ok(view("/memories")),
        listing(
            HEADER,
            &["2B\t/memories", "1B\t/memories/a", "[1 more entries; view a subdirectory or use view_range]"]
        )
    );
    store.limits.view_chars = 1;
    assert_eq!(
        store.ok(view_range("/memories", [2, -1])),
        listing(HEADER, &["1B\t/memories/a", "[1 more entries; view a subdirectory or use view_range]"])
    );
}

#[test]
fn it_never_asks_for_content() {
    let mut store = Harness::with(&[("/memories/a/b", "1"), ("/memories/c", "1")]);
    assert_eq!(store.asks(view("/memories")), (0, Ok(())));
    assert_eq!(store.asks(view("/memories/a")), (0, Ok(())));
    assert_eq!(store.asks(view("/memories/none")), (0, Ok(())));
}
