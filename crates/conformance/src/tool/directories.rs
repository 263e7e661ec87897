//! BEHAVIOUR, "view, a directory".

use memoseal_core::command::Limits;

use super::{
    input::{delete, view, view_range},
    session::Session,
};
use crate::{Failure, Place, check, check_eq};

/// The listing of `path` with these rows.
fn listing(path: &str, rows: &[&str]) -> String {
    let header = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    );
    std::iter::once(header.as_str()).chain(rows.iter().copied()).collect::<Vec<_>>().join("\n")
}

/// The first row is the directory itself, also when the store is empty: that is no error, and makes nothing.
pub(crate) async fn an_empty_store_lists_its_root(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::fresh(place).await?;
    session.says_unchanged(view("/memories"), &listing("/memories", &["0B\t/memories"])).await?;
    session.says_unchanged(view("/memories/"), &listing("/memories", &["0B\t/memories"])).await?;
    session.ends_with(&[]).await
}

/// Children and grandchildren; depth-first, names by bytes; a directory's row ends in a slash except the first.
pub(crate) async fn a_listing_shows_two_levels_by_bytes(place: &dyn Place) -> Result<(), Failure> {
    let files = [
        ("/memories/B", "1"),
        ("/memories/a/deep/er/est", "123"),
        ("/memories/a/deep/x", "12"),
        ("/memories/a/z", "1"),
        ("/memories/a-b", ""),
        ("/memories/b.txt", "12345"),
        ("/memories/é", "1"),
    ];
    let session = Session::with(place, &files).await?;
    let rows = [
        "13B\t/memories",
        "1B\t/memories/B",
        "6B\t/memories/a/",
        "5B\t/memories/a/deep/",
        "1B\t/memories/a/z",
        "0B\t/memories/a-b",
        "5B\t/memories/b.txt",
        "1B\t/memories/é",
    ];
    session.says_unchanged(view("/memories"), &listing("/memories", &rows)).await?;
    let rows =
        ["5B\t/memories/a/deep", "3B\t/memories/a/deep/er/", "3B\t/memories/a/deep/er/est", "2B\t/memories/a/deep/x"];
    session.says_unchanged(view("/memories/a/deep"), &listing("/memories/a/deep", &rows)).await?;
    session.ends_with(&files).await
}

/// Names that start with a dot and `node_modules` are left out at each level, but their sizes count; viewing one of
/// them directly works.
pub(crate) async fn a_listing_leaves_out_hidden_items_but_counts_them(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(
        place,
        &[
            ("/memories/.hidden", "12345678"),
            ("/memories/a/.hidden", "12"),
            ("/memories/a/node_modules/y", "1"),
            ("/memories/a/seen", "1"),
            ("/memories/node_modules/x/y", "1234"),
            ("/memories/only/.hidden", "1"),
        ],
    )
    .await?;
    let rows = ["17B\t/memories", "4B\t/memories/a/", "1B\t/memories/a/seen", "1B\t/memories/only/"];
    session.says(view("/memories"), &listing("/memories", &rows)).await?;
    let path = "/memories/node_modules";
    let rows = ["4B\t/memories/node_modules", "4B\t/memories/node_modules/x/", "4B\t/memories/node_modules/x/y"];
    session.says(view(path), &listing(path, &rows)).await?;
    let shown = "Here's the content of /memories/.hidden with line numbers:\n     1\t12345678";
    session.says(view("/memories/.hidden"), shown).await?;
    session.reopened().await
}

/// Bytes below 1,024; from there one decimal always, rounded first and then rolled over.
pub(crate) async fn sizes_have_one_decimal_and_roll_over(place: &dyn Place) -> Result<(), Failure> {
    let mut limits = Limits::default();
    limits.file_bytes = 2_000_000;
    let session = Session::with_limits(place, limits).await?;
    let sizes = [
        ("/memories/a", 1_023),
        ("/memories/b", 1_024),
        ("/memories/c", 1_536),
        ("/memories/d", 4_096),
        ("/memories/e", 102_400),
        ("/memories/f", 1_048_524),
        ("/memories/g", 1_048_575),
        ("/memories/h", 1_258_291),
    ];
    for (path, size) in sizes {
        session.make(&[(path, &"x".repeat(size))]).await?;
    }
    let rows = [
        "3.3M\t/memories",
        "1023B\t/memories/a",
        "1.0K\t/memories/b",
        "1.5K\t/memories/c",
        "4.0K\t/memories/d",
        "100.0K\t/memories/e",
        "1023.9K\t/memories/f",
        "1.0M\t/memories/g",
        "1.2M\t/memories/h",
    ];
    session.says(view("/memories"), &listing("/memories", &rows)).await?;
    session.reopened().await
}

/// Above 16,000 characters a listing is cut at a row and says how many are left; the rest comes with `view_range`.
pub(crate) async fn a_long_listing_is_cut_at_a_row(place: &dyn Place) -> Result<(), Failure> {
    const FILES: usize = 500;
    let session = Session::fresh(place).await?;
    let paths: Vec<String> = (0..FILES).map(|number| format!("/memories/{number:04}-{}", "x".repeat(30))).collect();
    for paths in paths.chunks(200) {
        session.make(&paths.iter().map(|path| (path.as_str(), "1")).collect::<Vec<_>>()).await?;
    }
    let all: Vec<String> =
        std::iter::once("500B\t/memories".to_owned()).chain(paths.iter().map(|path| format!("1B\t{path}"))).collect();
    // 14 characters, then 48 and a newline each.
    let shown = 1 + (16_000 - 14) / 49;
    let note = format!("[{} more entries; view a subdirectory or use view_range]", all.len() - shown);
    let rows: Vec<&str> = all.iter().take(shown).map(String::as_str).chain([note.as_str()]).collect();
    session.says(view("/memories"), &listing("/memories", &rows)).await?;

    let next = i64::try_from(shown)? + 1;
    let rows: Vec<&str> = all.iter().skip(shown).map(String::as_str).collect();
    session.says(view_range("/memories", [next, -1]), &listing("/memories", &rows)).await?;
    session.reopened().await
}

/// For a directory `view_range` counts rows after the header line.
pub(crate) async fn view_range_of_a_directory_counts_rows(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a", "1"), ("/memories/b", "1"), ("/memories/c", "1")]).await?;
    for (range, rows) in [
        ([1, 1], &["3B\t/memories"][..]),
        ([2, 3], &["1B\t/memories/a", "1B\t/memories/b"]),
        ([0, 2], &["3B\t/memories", "1B\t/memories/a"]),
        ([4, 99], &["1B\t/memories/c"]),
        ([4, -1], &["1B\t/memories/c"]),
    ] {
        session.says(view_range("/memories", range), &listing("/memories", rows)).await?;
    }
    for [start, end] in [[5, -1], [3, 2]] {
        let text = session.error(view_range("/memories", [start, end])).await?;
        let begin = format!("Error: Invalid `view_range` parameter: [{start}, {end}]");
        check!(text.starts_with(&begin) && text.contains('4'), "{text}");
    }
    session.reopened().await
}

/// Directories exist while something lies under them.
pub(crate) async fn a_directory_exists_while_something_lies_under_it(place: &dyn Place) -> Result<(), Failure> {
    let session = Session::with(place, &[("/memories/a/b/c", "1")]).await?;
    session.text(view("/memories/a")).await?;
    session.text(delete("/memories/a/b/c")).await?;
    for path in ["/memories/a/b", "/memories/a"] {
        session.fails(view(path), &format!("The path {path} does not exist. Please provide a valid path.")).await?;
        session.fails(delete(path), &format!("Error: The path {path} does not exist")).await?;
    }
    check_eq!(session.text(view("/memories")).await?, listing("/memories", &["0B\t/memories"]));
    session.ends_with(&[]).await
}
