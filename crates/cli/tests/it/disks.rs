//! Disks that are full or read-only, folders that go away.

use std::{fs, path::PathBuf, process::Command};

use serde_json::json;

use crate::support::*;

/// A file system of its own, as root can make one on Linux.
struct Mount(PathBuf);

impl Mount {
    /// Mounts 512 KiB at `path`; nothing, and a word on why, where that cannot be done.
    fn small(path: PathBuf) -> Option<Self> {
        Self::of(path, "512k")
    }

    fn of(path: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(path)),
            other => {
                eprintln!("skipped: a small file system cannot be mounted here (that takes root): {other:?}");
                None
            }
        }
    }

    fn remount(&self, options: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_a_clear_error_and_nothing_is_lost_or_half_written() {
    let place = Place::empty();
    let Some(disk) = Mount::small(place.vault()) else { return };
    place.run(&["init", "--generate-key", place.key().to_str().unwrap()]).ok();
    let text = "x".repeat(20_000);
    let mut tool = place.tool(&["--log-level", "off"]);
    let mut answered = 0;
    loop {
        let answer = tool.ask(&create(&format!("/memories/{answered}"), &text));
        if answer.get("is_error").is_some() {
            assert_eq!(answer["content"], "Error: The memory cannot be reached; nothing was changed. Try again.");
            break;
        }
        answered += 1;
    }
    assert!((10..26).contains(&answered), "{answered}");
    // The same process goes on reading, and writing once there is room.
    assert_eq!(tool.ok(&json!({ "command": "view", "path": "/memories" })).lines().count(), answered + 2);
    place.run_with(&["put", "big", "-"], text.as_bytes()).fails(5, "free some space");
    assert!(place.files().iter().all(|(path, _)| !path.to_string_lossy().contains('#')), "no file half written");
    disk.remount("size=4m");
    tool.ok(&create("/memories/after", "x"));
    tool.close();
    place.run(&["verify", "--read-data"]).ok();
    assert_eq!(place.run(&["ls"]).ok().lines().count(), answered + 1);
}

#[test]
fn a_read_only_disk_can_be_read_and_says_so_when_written_to() {
    let place = Place::empty();
    let Some(disk) = Mount::small(place.vault()) else { return };
    place.run(&["init", "--generate-key", place.key().to_str().unwrap()]).ok();
    place.run_with(&["put", "n", "-"], b"x").ok();
    disk.remount("ro");
    assert_eq!(place.run(&["cat", "n"]).ok(), "x");
    place.run(&["verify", "--read-data"]).ok();
    place.run_with(&["put", "m", "-"], b"y").fails(5, "make the disk writable");
    let other = place.path().join("other");
    let mut command = bare();
    command.args([
        "init",
        "--vault",
        place.vault().join("sub").to_str().unwrap(),
        "--generate-key",
        other.to_str().unwrap(),
    ]);
    Ended::of(&mut command).fails(5, "");
    assert!(!other.exists());
}

#[test]
fn a_folder_that_goes_away_under_the_program_is_not_made_anew() {
    let place = Place::new();
    let mut tool = place.tool(&["--log-level", "off"]);
    tool.ok(&create("/memories/n", "x"));
    let away = place.path().join("away");
    fs::rename(place.vault(), &away).unwrap();
    for input in [create("/memories/m", "y"), json!({ "command": "view", "path": "/memories" })] {
        let answer = tool.ask(&input);
        assert_eq!(answer["content"], "Error: The memory cannot be reached; nothing was changed. Try again.");
    }
    assert!(!place.vault().exists());
    fs::rename(&away, place.vault()).unwrap();
    tool.ok(&create("/memories/m", "y"));
    tool.close();
    assert_eq!(place.run(&["ls"]).ok(), "/memories/m\n/memories/n\n");
}

#[test]
fn a_disk_that_is_full_after_the_header_leaves_a_vault_with_its_key() {
    let place = Place::empty();
    // One page: the header fits, the probe's staging file does not.
    let Some(disk) = Mount::of(place.vault(), "4k") else { return };
    let ended = place.run(&["init", "--generate-key", place.key().to_str().unwrap()]);
    assert_eq!(ended.code, 6, "{ended:?}");
    assert!(place.key().exists(), "the vault may be there, and this is its only key");
    disk.remount("size=1m");
    place.run_with(&["put", "n", "-"], b"x").ok();
}
