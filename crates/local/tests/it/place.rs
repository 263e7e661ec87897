//! From a URL to a folder.

use super::*;

#[test]
fn a_url_that_names_no_folder_of_this_machine_is_refused() {
    let says = |url: &str| {
        let url = Url::parse(url).unwrap();
        assert_eq!(
            memoseal_local::open(&url).unwrap_err().to_string(),
            memoseal_local::create(&url).unwrap_err().to_string()
        );
        memoseal_local::open(&url).unwrap_err()
    };
    for url in ["s3://bucket/memory", "https://user:secret@example.com/", "data:text,secret"] {
        let error = says(url);
        assert!(matches!(&error, Error::WrongScheme { scheme } if url.starts_with(scheme)), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    for (url, part) in [
        ("file://server/memory", "a host"),
        ("file:///memory?fsync=off", "a query"),
        ("file:///memory?", "a query"),
        ("file:///memory#1", "a fragment"),
    ] {
        let error = says(url);
        assert!(matches!(error, Error::BadUrl { what } if what == part), "{url}: {error}");
    }
}

#[test]
fn what_is_not_there_or_not_a_folder_is_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("file"), "").unwrap();
    let open = |name: &str| memoseal_local::open(&url_of(&temp.path().join(name))).unwrap_err();
    let create = |name: &str| memoseal_local::create(&url_of(&temp.path().join(name))).unwrap_err();

    let error = open("missing/memory");
    assert!(matches!(&error, Error::Missing { path, .. } if path.ends_with("missing/memory")), "{error}");
    for name in ["file", "file/memory"] {
        assert!(matches!(open(name), Error::NotAFolder { path } if path.ends_with(name)));
        assert!(matches!(create(name), Error::NotAFolder { path } if path.ends_with("file")));
    }
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "nothing was made");
}

#[tokio::test]
async fn the_vault_lies_in_the_folder_itself() {
    let temp = tempfile::tempdir().unwrap();
    let backend = memoseal_local::open(&url_of(temp.path())).unwrap();
    assert!(backend.prefix().is_root());
    create(&**backend.creates(), "log/fff", "body").await.unwrap();
    assert_eq!(fs::read_to_string(temp.path().join("log/fff")).unwrap(), "body");
    assert_eq!(names(&**backend.rest(), "").await.unwrap(), ["log/fff"]);
    // No slash at the end of the URL is as good as one.
    let url = Url::from_file_path(temp.path()).unwrap();
    assert_eq!(names(&**memoseal_local::open(&url).unwrap().rest(), "").await.unwrap(), ["log/fff"]);
}

#[tokio::test]
async fn a_folder_may_have_any_name() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["with space", "50%20off", "a#1", "wh?t", "é", "back\\slash", "semi;colon"] {
        let folder = temp.path().join(name);
        let backend = memoseal_local::create(&url_of(&folder)).unwrap();
        create(&**backend.creates(), "log/fff", name.to_owned()).await.unwrap();
        assert_eq!(fs::read_to_string(folder.join("log/fff")).unwrap(), name);
        assert_eq!(names(&**backend.rest(), "log").await.unwrap(), ["log/fff"]);
    }
}

#[tokio::test]
async fn create_makes_missing_parents_and_keeps_what_is_there() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("srv/deep/memory");
    let backend = memoseal_local::create(&url_of(&folder)).unwrap();
    create(&**backend.creates(), "kept", "").await.unwrap();
    let again = memoseal_local::create(&url_of(&folder)).unwrap();
    assert_eq!(names(&**again.rest(), "").await.unwrap(), ["kept"]);
}

#[cfg(unix)]
#[test]
fn create_lets_nobody_else_in_and_does_not_touch_existing_folders() {
    use std::os::unix::fs::PermissionsExt as _;
    let temp = tempfile::tempdir().unwrap();
    let mode = |name: &str| fs::metadata(temp.path().join(name)).unwrap().permissions().mode() & 0o777;
    fs::create_dir(temp.path().join("srv")).unwrap();
    fs::set_permissions(temp.path().join("srv"), fs::Permissions::from_mode(0o755)).unwrap();
    memoseal_local::create(&url_of(&temp.path().join("srv/deep/memory"))).unwrap();
    assert_eq!([mode("srv"), mode("srv/deep"), mode("srv/deep/memory")], [0o755, 0o700, 0o700]);
    memoseal_local::create(&url_of(&temp.path().join("srv"))).unwrap();
    assert_eq!(mode("srv"), 0o755);
}

#[cfg(unix)]
#[tokio::test]
async fn a_symbolic_link_to_the_folder_will_do() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", temp.path().join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", temp.path().join("dangling")).unwrap();
    create(&*store(&temp.path().join("link")), "log/fff", "").await.unwrap();
    assert!(temp.path().join("real/log/fff").is_file());
    for attempt in [memoseal_local::open, memoseal_local::create] {
        let error = attempt(&url_of(&temp.path().join("dangling"))).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }), "{error}");
    }
}

#[tokio::test]
async fn names_of_staging_files_cannot_be_written() {
    let (store, folder) = fresh();
    for name in ["log/fff#1", "a#b#12"] {
        let error = create(&*store, name, "").await.unwrap_err();
        assert!(matches!(ours(&error), Some(Error::Reserved { .. })), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    create(&*store, "a#b", "").await.unwrap();
    create(&*store, "a#", "").await.unwrap();
    assert_eq!(names(&*store, "").await.unwrap(), ["a#", "a#b"]);
}
