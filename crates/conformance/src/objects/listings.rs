//! Listing: in order, from an offset, below a prefix.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::site::Site;
use crate::{Failure, Place, check, check_eq};

/// The name of the `n`-th commit, so that the newest comes first.
fn commit(n: u64) -> String {
    let name = format!("{:016x}", u64::MAX - n);
    let (folder, file) = name.split_at(13);
    format!("log/{folder}/{file}")
}

/// Creates the objects, sixteen at a time, each with its name as its content.
async fn fill(site: &Site, names: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    stream::iter(names)
        .map(|name| async move { site.create(&name, name.clone()).await })
        .buffer_unordered(16)
        .try_collect::<()>()
        .await?;
    Ok(())
}

/// More than a page of commits, created in no order and lying in two folders: listed newest first, each once, and
/// from the thousandth on.
pub(crate) async fn eleven_hundred_names_are_listed_newest_first(place: &dyn Place) -> Result<(), Failure> {
    const FIRST: u64 = 3_600;
    const COUNT: u64 = 1_100;
    let site = Site::fresh(place).await?;
    // 607 has no divisor in common with 1,100, so each comes once.
    fill(&site, (0..COUNT).map(|n| commit(FIRST + (n * 607 + 31) % COUNT))).await?;
    fill(&site, ["clock", "log-old/0", "logs/0"].map(String::from)).await?;

    let newest_first: Vec<_> = (FIRST..FIRST + COUNT).rev().map(commit).collect();
    let listed = site.names("log").await?;
    for pair in listed.windows(2) {
        check!(pair[0] < pair[1], "listed out of order: {} before {}", pair[0], pair[1]);
    }
    check_eq!(listed.len(), newest_first.len(), "how many names are listed");
    check!(listed == newest_first, "other names are listed than were created");
    for at in [0, 499, 999, 1_000, 1_099] {
        let rest = site.names_after("log", &listed[at]).await?;
        check!(rest == listed[at + 1..], "listed from the offset {at}: {} names", rest.len());
    }
    Ok(())
}

/// An offset is exclusive, may be a name that does not exist, and cuts anywhere.
pub(crate) async fn a_listing_begins_after_its_offset(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    let names = ["aa/2", "log/1/a", "log/1/c", "log/2/a", "log/2/c", "log/3/a", "zz/2"];
    fill(&site, names.map(String::from)).await?;
    let below_log = &names[1..6];
    for offset in [
        "a",
        "log",
        "log/0",
        "log/1",
        "log/1/a",
        "log/1/b",
        "log/1/c",
        "log/1/d",
        "log/2",
        "log/2/a",
        "log/2/a/x",
        "log/2/c",
        "log/20",
        "log/3/a",
        "log/3/z",
        "log/4",
        "lp",
    ] {
        let expected: Vec<_> = below_log.iter().copied().filter(|name| *name > offset).collect();
        check_eq!(site.names_after("log", offset).await?, expected, "names below log after {offset}");
        let expected: Vec<_> = names.iter().copied().filter(|name| *name > offset).collect();
        check_eq!(site.names_after("", offset).await?, expected, "names after {offset}");
    }
    Ok(())
}

/// A prefix is whole segments: `log` is neither `logs/…` nor an object that is itself called `log`.
pub(crate) async fn a_listing_keeps_to_its_prefix(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    let names = ["lo/1", "log-x/1", "log.x/1", "log/1/fff", "log/1/fff.checkpoint", "log/10/fff", "log0", "logs/1"];
    fill(&site, names.map(String::from)).await?;
    check_eq!(site.names("log").await?, ["log/1/fff", "log/1/fff.checkpoint", "log/10/fff"]);
    check_eq!(site.names("log/1").await?, ["log/1/fff", "log/1/fff.checkpoint"]);
    check_eq!(site.names("lo").await?, ["lo/1"]);
    for nothing in ["l", "log/1/fff", "log0", "log/1/ff", "log/2"] {
        check_eq!(site.names(nothing).await?, Vec::<String>::new(), "names below {nothing}");
    }
    check_eq!(site.names("").await?, names, "all names");
    Ok(())
}

/// Names are compared byte by byte, `/` being a byte like any other.
pub(crate) async fn a_listing_is_in_byte_order(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    // As ASCII has them: ! - . / 0 9 A _ a. No name is a folder of another, nor do two differ in case alone, since
    // there are file systems that cannot have both.
    let names = [
        "C/x", "Z", "a!/x", "a-b", "a-b0", "a.x", "a.x.y", "a/b", "a/b-c/d", "a/b.c", "a/b0", "a/c/d", "a0", "a9/x",
        "aX", "a_", "aa", "b/a",
    ];
    let scattered = (0..names.len()).map(|n| names[(n * 7 + 3) % names.len()].to_owned());
    fill(&site, scattered).await?;
    check_eq!(site.names("").await?, names);
    check_eq!(site.names("a").await?, ["a/b", "a/b-c/d", "a/b.c", "a/b0", "a/c/d"]);
    Ok(())
}

/// What is empty is listed as such, not as an error.
pub(crate) async fn a_listing_of_nothing_is_empty(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    for prefix in ["", "log", "log/fffffffffffff"] {
        check_eq!(site.names(prefix).await?, Vec::<String>::new(), "names below {prefix:?} of an empty place");
        check_eq!(site.names_after(prefix, "log/000").await?, Vec::<String>::new(), "the same, from an offset");
    }
    Ok(())
}

/// A listing tells the size of each object, as it is now.
pub(crate) async fn a_listing_tells_sizes(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    for size in [0, 1, 1_000, 100_000] {
        site.create(&format!("log/{size:06}"), vec![7; size]).await?;
    }
    site.put("log/001000", vec![7; 10]).await?;
    let sizes: Vec<_> = site.list("log").await?.iter().map(|object| object.size).collect();
    check_eq!(sizes, [0, 1, 10, 100_000]);
    Ok(())
}
