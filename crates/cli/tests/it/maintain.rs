//! `maintain`: what nobody uses, what was left behind, and by a timer.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::support::*;

fn lived_in() -> Place {
    let place = Place::new();
    let mut tool = place.tool(&[]);
    tool.ok(&create("/memories/a.md", "a\n"));
    tool.ok(&create("/memories/b.md", "b\n"));
    tool.close();
    place
}

#[test]
fn what_is_used_stays_whatever_is_asked_for() {
    let place = lived_in();
    let before = place.files();
    let dry = place.run(&["maintain", "--expire-unused", "1", "--dry-run"]).ok();
    assert_eq!(dry, "user default, store default: nothing to do\n");
    let changed = place.files().into_iter().filter(|file| !before.contains(file)).count();
    assert!(changed <= 1, "the store's clock, and nothing else");
    let done: Value = serde_json::from_str(&place.run(&["maintain", "--expire-unused", "1", "--json"]).ok()).unwrap();
    assert_eq!(done["stores"][0]["unused"], json!([]));
    place.run(&["maintain", "--dry-run"]).fails_in_usage();
    place.run(&["maintain", "--expire-unused", "0"]).fails_in_usage();
    place.run(&["maintain", "--every", "0s"]).fails_in_usage();
    place.run(&["maintain", "--every", "often"]).fails_in_usage();
    place.run(&["verify"]).ok();
}

#[test]
fn half_written_files_of_a_killed_process_are_removed_after_an_hour() {
    let place = lived_in();
    let (old, young) = (place.vault().join("clock#1"), place.vault().join("clock#2"));
    for path in [&old, &young] {
        std::fs::write(path, "half").unwrap();
    }
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    assert!(place.run(&["maintain"]).ok().ends_with("1 half-written file removed\n"));
    assert!(!old.exists() && young.exists());
    place.run(&["verify"]).ok();
}

#[cfg(unix)]
#[test]
fn by_a_timer_it_maintains_again_and_again_until_ctrl_c() {
    let place = lived_in();
    let mut child = place.command(&["maintain", "--every", "1s", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let done: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(done["stores"][0]["store"], "default", "{done}");
    }
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    assert!(child.wait().unwrap().success());
    place.run(&["verify"]).ok();
}
