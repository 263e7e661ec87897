//! Listings are in order, lazy, and of objects only.

use futures_util::StreamExt as _;

use super::*;

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((number ^ (number >> 31)) % bound as u64) as usize
    }
}

/// Names that meet at every character that sorts next to `/`.
fn random_name(numbers: &mut Numbers) -> String {
    const SEGMENTS: [&str; 16] =
        ["a", "a.x", "a-b", "a!", "a0", "aa", "A", "a b", "b", "b.", "log", "log.x", "fff", "ffe", "é", "%2F"];
    let depth = 1 + numbers.below(4);
    (0..depth).map(|_| SEGMENTS[numbers.below(SEGMENTS.len())]).collect::<Vec<_>>().join("/")
}

/// Fills `root` with files that are not in each other's way, and returns their names in order.
fn random_tree(root: &Path, numbers: &mut Numbers) -> Vec<String> {
    let mut made = Vec::new();
    for _ in 0..1 + numbers.below(120) {
        let name = random_name(numbers);
        let path = root.join(&name);
        if path.exists() || fs::create_dir_all(path.parent().unwrap()).is_err() {
            continue;
        }
        fs::write(path, &name).unwrap();
        made.push(name);
    }
    made.sort_unstable();
    made
}

#[tokio::test]
async fn every_listing_equals_the_sorted_reference() {
    for seed in 0..60 {
        let (store, folder) = fresh();
        let numbers = &mut Numbers(seed);
        let all = random_tree(folder.path(), numbers);
        assert_eq!(names(&*store, "").await.unwrap(), all, "seed {seed}");

        for _ in 0..20 {
            let (prefix, offset) = (random_name(numbers), random_name(numbers));
            let below: Vec<_> = all.iter().filter(|name| name.starts_with(&format!("{prefix}/"))).cloned().collect();
            let prefix = Location::parse(&prefix).unwrap();
            let offset = Location::parse(&offset).unwrap();
            let listed: Vec<_> =
                store.list(Some(&prefix)).map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
            assert_eq!(listed, below, "seed {seed}, below {prefix}");

            for (prefix, names) in [(None, &all), (Some(&prefix), &below)] {
                let listing = store.list_with_offset(prefix, &offset);
                let listed: Vec<_> = listing.map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
                let expected: Vec<_> = names.iter().filter(|name| name.as_str() > offset.as_ref()).cloned().collect();
                assert_eq!(listed, expected, "seed {seed}, below {prefix:?} after {offset}");
            }

            let folder = store.list_with_delimiter(Some(&prefix)).await.unwrap();
            let objects: Vec<_> = folder.objects.iter().map(|object| object.location.to_string()).collect();
            let is_direct = |name: &&String| !name[prefix.as_ref().len() + 1..].contains('/');
            assert_eq!(objects, below.iter().filter(is_direct).cloned().collect::<Vec<_>>(), "seed {seed}");
            for inner in folder.common_prefixes {
                assert!(below.iter().any(|name| name.starts_with(&format!("{inner}/"))), "seed {seed}: {inner}");
            }
        }
    }
}

#[tokio::test]
async fn entries_tell_what_a_get_tells() {
    let (store, _folder) = fresh();
    create(&*store, "log/fff", "12345").await.unwrap();
    let listed = store.list(None).try_next().await.unwrap().unwrap();
    let got = store.get_opts(&"log/fff".into(), Default::default()).await.unwrap().meta;
    assert_eq!((listed.location, listed.size, listed.last_modified), (got.location, got.size, got.last_modified));
}

/// 20,000 objects in 5 folders. Before it goes on from the tenth, the test exchanges what is in the four later
/// folders: a listing that had looked into one of them would tell the old content.
#[tokio::test]
async fn folders_are_not_read_before_their_turn() {
    let (store, folder) = fresh();
    let folders = ["1", "2", "3", "4", "5"].map(|name| folder.path().join("log").join(name));
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
        for n in 0..4_000 {
            fs::write(folder.join(format!("{n:03x}")), "").unwrap();
        }
    }
    let mut listing = store.list(Some(&"log".into()));
    for n in 0..10 {
        assert_eq!(listing.next().await.unwrap().unwrap().location.as_ref(), format!("log/1/{n:03x}"));
    }
    for folder in &folders[1..] {
        fs::remove_dir_all(folder).unwrap();
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("new"), "").unwrap();
    }
    let rest: Vec<_> = listing.map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
    assert_eq!(rest.len(), 3_990 + 4);
    assert_eq!(rest[3_990..], ["log/2/new", "log/3/new", "log/4/new", "log/5/new"]);
}

/// The same with an offset: a folder that lies before it is not read at all, so that it may as well be unreadable.
#[cfg(unix)]
#[tokio::test]
async fn folders_before_the_offset_are_not_read() {
    let (store, folder) = fresh();
    for name in ["log/2/a", "log/2/b", "log/3/a"] {
        file(folder.path(), name);
    }
    // A link that leads back is an error for whoever reads the folder that it lies in.
    fs::create_dir(folder.path().join("log/1")).unwrap();
    std::os::unix::fs::symlink("..", folder.path().join("log/1/loop")).unwrap();

    let error = names(&*store, "log").await.unwrap_err();
    assert!(matches!(ours(&error), Some(Error::Loop { path }) if path.ends_with("log/1/loop")), "{error}");
    let listing = store.list_with_offset(Some(&"log".into()), &"log/2/a".into());
    let rest: Vec<_> = listing.map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
    assert_eq!(rest, ["log/2/b", "log/3/a"]);
}

#[tokio::test]
async fn staging_files_are_hidden_and_others_are_not() {
    let (store, folder) = fresh();
    for name in ["log/fff", "log/fff#1", "log/fff#12", "a#b#1", "log/fff#", "log/fff#1x", "log#2/x"] {
        file(folder.path(), name);
    }
    assert_eq!(names(&*store, "").await.unwrap(), ["log#2/x", "log/fff", "log/fff#", "log/fff#1x"]);
    let listed = store.list_with_delimiter(Some(&"log".into())).await.unwrap();
    assert_eq!(listed.objects.len(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn what_cannot_be_an_object_is_passed_over() {
    use std::os::unix::{ffi::OsStrExt as _, fs::symlink, net::UnixListener};
    let (store, folder) = fresh();
    let at = |name: &str| folder.path().join(name);
    file(folder.path(), "log/fff");
    fs::create_dir(at("empty")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"not-utf8-\xff")), "").unwrap();
    fs::write(at("line\nbreak"), "").unwrap();
    assert_eq!(names(&*store, "").await.unwrap(), ["log/fff"]);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_as_reading_follows_them() {
    use std::os::unix::fs::symlink;
    let (store, folder) = fresh();
    let elsewhere = tempfile::tempdir().unwrap();
    file(elsewhere.path(), "a/1");
    file(folder.path(), "log/fff");
    symlink(elsewhere.path(), folder.path().join("k")).unwrap();
    symlink("log/fff", folder.path().join("m")).unwrap();
    assert_eq!(names(&*store, "").await.unwrap(), ["k/a/1", "log/fff", "m"]);
    for name in ["k/a/1", "m"] {
        store.get_opts(&name.into(), Default::default()).await.unwrap();
    }
}

#[test]
fn a_listing_needs_no_runtime() {
    let (store, folder) = fresh();
    file(folder.path(), "log/fff");
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut listing = store.list(None);
    match listing.poll_next_unpin(&mut context) {
        std::task::Poll::Ready(Some(Ok(object))) => assert_eq!(object.location.as_ref(), "log/fff"),
        other => panic!("{other:?}"),
    }
}
