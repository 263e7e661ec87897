//! A full disk, and one that is read-only. For these a small disk is mounted, which takes root; without, they say
//! that they were skipped.

use std::{io, path::PathBuf, process::Command};

use object_store::ObjectStoreExt as _;

use super::*;

/// A small disk in memory, unmounted when dropped.
struct Disk {
    at: TempDir,
}

impl Disk {
    fn mount(size: &str) -> Option<Self> {
        let disk = Self { at: tempfile::tempdir().unwrap() };
        let arguments = ["-t", "tmpfs", "-o", size, "memoseal-test"];
        match Command::new("mount").args(arguments).arg(disk.at.path()).output() {
            Ok(output) if output.status.success() => return Some(disk),
            Ok(output) => {
                eprintln!("SKIPPED: cannot mount a small disk: {}", String::from_utf8_lossy(&output.stderr).trim())
            }
            Err(error) => eprintln!("SKIPPED: cannot run mount: {error}"),
        }
        None
    }

    fn remount(&self, mode: &str) {
        let status =
            Command::new("mount").args(["-o", &format!("remount,{mode}")]).arg(self.at.path()).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, since a test that failed may still have a file open. Not mounted is an error as well, and no harm.
        let _ = Command::new("umount").arg("--lazy").arg(self.at.path()).stderr(std::process::Stdio::null()).status();
    }
}

/// All files of the folder, staging files included.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

#[tokio::test]
async fn a_full_disk_is_told_and_leaves_nothing_behind() {
    let Some(disk) = Disk::mount("size=256k") else { return };
    let store = store(disk.at.path());
    let body = vec![7; 10_000];
    let mut made = Vec::new();
    let error = loop {
        let name = format!("log/{:03}", made.len());
        match create(&*store, &name, body.clone()).await {
            Ok(()) => made.push(name),
            Err(error) => break error,
        }
        assert!(made.len() < 100, "the disk does not fill");
    };
    assert_eq!(io_kind(&error), Some(io::ErrorKind::StorageFull), "{error:?}");
    assert_eq!(names(&*store, "").await.unwrap(), made);
    assert_eq!(files(disk.at.path()).len(), made.len(), "no staging file is left");

    let error = store.put(&made[0].as_str().into(), vec![8; 50_000].into()).await.unwrap_err();
    assert_eq!(io_kind(&error), Some(io::ErrorKind::StorageFull), "{error:?}");
    for name in &made {
        assert_eq!(store.get(&name.as_str().into()).await.unwrap().bytes().await.unwrap(), body, "{name}");
    }
    assert_eq!(files(disk.at.path()).len(), made.len());

    for name in &made[..2] {
        store.delete(&name.as_str().into()).await.unwrap();
    }
    create(&*store, "log/new", body).await.unwrap();
}

#[tokio::test]
async fn a_disk_without_room_for_a_folder_is_told_as_well() {
    // Of these files and folders the disk itself is one.
    let Some(disk) = Disk::mount("size=1m,nr_inodes=4") else { return };
    let store = store(disk.at.path());
    create(&*store, "a", "").await.unwrap();
    let error = create(&*store, "log/fff/000", "").await.unwrap_err();
    assert_eq!(io_kind(&error), Some(io::ErrorKind::StorageFull), "{error:?}");
    let error = create(&*store, "log/fff/fff/000", "").await.unwrap_err();
    assert!(matches!(ours(&error), Some(Error::Io { action: "create the folder", .. })), "{error:?}");
    assert_eq!(io_kind(&error), Some(io::ErrorKind::StorageFull), "{error:?}");
    assert_eq!(names(&*store, "").await.unwrap(), ["a"]);
}

#[tokio::test]
async fn a_read_only_disk_is_told_and_can_be_read() {
    let Some(disk) = Disk::mount("size=256k") else { return };
    let warm = store(disk.at.path());
    create(&*warm, "log/000", "body").await.unwrap();
    disk.remount("ro");
    for store in [warm, store(disk.at.path())] {
        for name in ["log/001", "new/folder/000"] {
            let error = create(&*store, name, "").await.unwrap_err();
            assert_eq!(io_kind(&error), Some(io::ErrorKind::ReadOnlyFilesystem), "{name}: {error:?}");
        }
        let error = store.put(&"log/000".into(), "".into()).await.unwrap_err();
        assert_eq!(io_kind(&error), Some(io::ErrorKind::ReadOnlyFilesystem), "{error:?}");
        let error = store.delete(&"log/000".into()).await.unwrap_err();
        assert_eq!(io_kind(&error), Some(io::ErrorKind::ReadOnlyFilesystem), "{error:?}");
        assert_eq!(store.get(&"log/000".into()).await.unwrap().bytes().await.unwrap(), "body");
        assert_eq!(names(&*store, "").await.unwrap(), ["log/000"]);
    }
    let error = memoseal_local::create(&url_of(&disk.at.path().join("memory"))).unwrap_err();
    assert_eq!(find::<io::Error>(&error).unwrap().kind(), io::ErrorKind::ReadOnlyFilesystem);
    disk.remount("rw");
    create(&*store(disk.at.path()), "log/001", "").await.unwrap();
}

#[tokio::test]
async fn an_unmounted_disk_is_not_written_beside() {
    let Some(disk) = Disk::mount("size=256k") else { return };
    let store = store(disk.at.path());
    create(&*store, "log/000", "body").await.unwrap();
    // An idle disk cannot be unmounted as long as the vault is open; one that is pulled out can.
    let polite = Command::new("umount").arg(disk.at.path()).output().unwrap();
    assert!(!polite.status.success());
    assert!(Command::new("umount").arg("--lazy").arg(disk.at.path()).status().unwrap().success());
    let error = create(&*store, "log/001", "body").await.unwrap_err();
    assert!(matches!(ours(&error), Some(Error::Gone { .. })), "{error}");
    assert!(files(disk.at.path()).is_empty());
}
