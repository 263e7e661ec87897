//! What processes that were killed have left half-written.

use std::{
    fs::File,
    time::{Duration, SystemTime},
};

use super::*;

/// Makes a file that was last written to so long ago.
fn aged(root: &Path, name: &str, age: Duration) {
    file(root, name);
    File::options().write(true).open(root.join(name)).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

#[tokio::test]
async fn half_written_files_go_when_they_are_an_hour_old_and_nothing_else_does() {
    let (store, folder) = fresh();
    let root = folder.path();
    let (old, young) = (Duration::from_secs(3_601), Duration::from_secs(3_500));
    for name in ["clock#1", "users/u/log/s/l/fff/ffe#12", "vault/fff#0"] {
        aged(root, name, old);
    }
    for name in ["clock#2", "users/u/log/s/l/fff/ffe#13"] {
        aged(root, name, young);
    }
    for name in ["clock", "vault/fff", "users/u/log/s/l/fff/ffe", "notes#", "notes#1a", "#x"] {
        aged(root, name, old);
    }
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        aged(elsewhere.path(), "theirs#1", old);
        std::os::unix::fs::symlink(elsewhere.path(), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root, root.join("loop")).unwrap();
        std::os::unix::fs::symlink(root.join("clock"), root.join("clock#9")).unwrap();
        assert_eq!(memoseal_local::remove_leftovers(&url_of(root)).unwrap(), 3);
        assert!(elsewhere.path().join("theirs#1").exists() && root.join("clock#9").symlink_metadata().is_ok());
        for link in ["link", "loop", "clock#9"] {
            fs::remove_file(root.join(link)).unwrap();
        }
    }
    assert_eq!(memoseal_local::remove_leftovers(&url_of(root)).unwrap(), 0);
    for name in ["clock#2", "users/u/log/s/l/fff/ffe#13", "notes#", "notes#1a", "#x"] {
        assert!(root.join(name).exists(), "{name}");
    }
    for name in ["clock#1", "users/u/log/s/l/fff/ffe#12", "vault/fff#0"] {
        assert!(!root.join(name).exists(), "{name}");
    }
    assert!(names(&*store, "users").await.unwrap().contains(&"users/u/log/s/l/fff/ffe".to_owned()));
}

#[test]
fn where_no_folder_is_there_are_no_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let missing = url_of(&folder.path().join("missing"));
    assert!(matches!(memoseal_local::remove_leftovers(&missing), Err(Error::Missing { .. })));
}
