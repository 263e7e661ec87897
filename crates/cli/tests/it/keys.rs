//! Slots and rotation, as somebody at a shell has them.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::support::*;

/// The program on this place's vault, opened with this key file.
fn with_key(place: &Place, key: &PathBuf, arguments: &[&str]) -> Ended {
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_KEY_FILE", key).args(arguments);
    Ended::of(&mut command)
}

fn with_passphrase(place: &Place, passphrase: &str, arguments: &[&str]) -> Ended {
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_PASSPHRASE", passphrase).args(arguments);
    Ended::of(&mut command)
}

fn slots(place: &Place) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&place.run(&["slot", "list", "--json"]).ok()).unwrap();
    listed["slots"].as_array().unwrap().clone()
}

fn id(slot: &Value) -> &str {
    slot["id"].as_str().unwrap()
}

#[test]
fn slots_are_added_listed_and_removed() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    let second = place.path().join("second");
    let shown = place.run(&["slot", "add", "--generate-key", second.to_str().unwrap()]).ok();
    assert!(shown.contains("(raw)") && shown.contains("its key is in"), "{shown}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&second).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let pass = place.path().join("pass");
    fs::write(&pass, "correct horse\n").unwrap();
    let added = place.run(&["slot", "add", "--json", "--new-passphrase-file", pass.to_str().unwrap()]).ok();
    let added: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(added["type"], "passphrase");

    let listed = slots(&place);
    let types: Vec<_> =
        listed.iter().map(|slot| (slot["type"].as_str().unwrap(), slot["opened_with_this_key"] == true)).collect();
    assert_eq!(types, [("raw", true), ("raw", false), ("passphrase", false)]);
    assert_eq!(id(&listed[2]), id(&added));
    let text = place.run(&["slot", "list"]).ok();
    assert_eq!(text.lines().next().unwrap(), format!("{} raw (opened with this key)", id(&listed[0])));
    assert_eq!(with_key(&place, &second, &["cat", "n"]).ok(), "x");
    assert_eq!(with_passphrase(&place, "correct horse", &["cat", "n"]).ok(), "x");

    let target = id(&listed[1]);
    place.run(&["slot", "remove", id(&listed[0]), "--yes"]).fails(2, "of the key in use");
    place.run(&["slot", "remove", target]).fails(2, "give --yes");
    assert!(place.run(&["slot", "remove", target, "--dry-run"]).ok().starts_with("would remove"));
    assert_eq!(slots(&place), listed, "nothing was changed");
    place.run(&["slot", "remove", target, "--yes"]).ok();
    with_key(&place, &second, &["cat", "n"]).fails(3, "does not open this vault");
    place.run(&["slot", "remove", target, "--yes"]).fails(4, "slot list");
    place.run(&["slot", "remove", id(&added), "--yes"]).ok();
    let own = slots(&place)[0].clone();
    for last in [&["--yes"][..], &["--dry-run"], &[]] {
        place.run(&[&["slot", "remove", id(&own)], last].concat()).fails(2, "is the last");
    }
    assert_eq!(place.run(&["cat", "n"]).ok(), "x");
}

#[test]
fn a_new_key_comes_from_one_place_and_opens_nothing_yet() {
    let place = Place::new();
    let key = place.key();
    let key = key.to_str().unwrap();
    place.run(&["slot", "add"]).fails(3, "no new key was given");
    place.run(&["slot", "add", "--new-key-file", key]).fails(2, "exists already");
    place.run(&["slot", "add", "--new-key-file", "/nonexistent"]).fails(3, "cannot read the key file /nonexistent");
    let before = fs::read(place.key()).unwrap();
    place.run(&["slot", "add", "--generate-key", key]).fails(2, "choose a new name");
    assert_eq!(fs::read(place.key()).unwrap(), before);
    let two = place.run(&["slot", "add", "--new-key-file", key, "--new-passphrase-file", key]);
    assert_eq!(two.code, 2, "{two:?}");
    assert_eq!(slots(&place).len(), 1);
    // A key whose slot was not made is not left behind.
    for n in 0..15 {
        let file = place.path().join(n.to_string());
        place.run(&["slot", "add", "--generate-key", file.to_str().unwrap()]).ok();
    }
    let late = place.path().join("late");
    place.run(&["slot", "add", "--generate-key", late.to_str().unwrap()]).fails(2, "1 to 16 slots");
    assert!(!late.exists());
}

#[test]
fn rotate_keeps_the_slots_whose_keys_are_given() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    place.run_with(&["put", "n", "-", "--user", "bob"], b"y").ok();
    let (second, third) = (place.path().join("second"), place.path().join("third"));
    let (second_text, third_text) = (second.to_str().unwrap(), third.to_str().unwrap());
    place.run(&["slot", "add", "--generate-key", second_text]).ok();
    fs::write(&third, "correct horse").unwrap();
    place.run(&["slot", "add", "--new-passphrase-file", third_text]).ok();
    let before = (place.files(), slots(&place));

    let both = ["--also-key-file", second_text, "--also-passphrase-file", third_text];
    let rotate = |arguments: &[&str]| place.run(&[&["rotate"], arguments].concat());
    rotate(&["--yes"]).fails(2, "--drop-others");
    rotate(&["--yes", "--also-key-file", second_text]).fails(2, id(&before.1[2]));
    rotate(&both).fails(2, "give --yes");
    fs::write(place.path().join("typo"), "correct house").unwrap();
    let typo = place.path().join("typo");
    rotate(&["--yes", "--drop-others", "--also-passphrase-file", typo.to_str().unwrap()]).fails(3, "opens no slot");
    assert!(rotate(&["--dry-run", "--drop-others"]).ok().contains("and drop"));
    let planned: Value = serde_json::from_str(&rotate(&[&["--dry-run", "--json"], &both[..]].concat()).ok()).unwrap();
    assert_eq!((&planned["slots"], &planned["dropped"]), (&json!(before.1), &json!([])));
    assert_eq!((place.files(), slots(&place)), before, "nothing was written");

    let done: Value = serde_json::from_str(&rotate(&[&["--yes", "--json"], &both[..]].concat()).ok()).unwrap();
    assert_eq!((&done["epoch"], &done["users"], &done["resealed"]), (&json!(2), &json!(2), &json!(2)));
    assert_eq!(slots(&place), before.1);
    assert_eq!(with_key(&place, &second, &["cat", "n"]).ok(), "x");
    assert_eq!(with_passphrase(&place, "correct horse", &["cat", "n", "--user", "bob"]).ok(), "y");

    let shown = rotate(&["--yes", "--drop-others"]).ok();
    assert!(shown.contains("epoch 3") && shown.contains("dropped: ") && shown.contains("backups"), "{shown}");
    with_key(&place, &second, &["cat", "n"]).fails(3, "does not open this vault");
    with_passphrase(&place, "correct horse", &["cat", "n"]).fails(3, "no slot of type passphrase");
    assert_eq!(place.run(&["cat", "n"]).ok(), "x");
    assert!(place.run(&["verify", "--read-data"]).ok().contains("no damage found"));
}

#[test]
fn an_agent_that_runs_through_a_rotation_goes_on() {
    let place = Place::new();
    let mut tool = place.tool(&[]);
    tool.ok(&create("/memories/before", "x"));
    place.run(&["rotate", "--yes"]).ok();
    tool.ok(&create("/memories/after", "y"));
    tool.close();
    place.run(&["rotate", "--yes"]).ok();
    assert_eq!(place.run(&["ls"]).ok(), "/memories/after\n/memories/before\n");
}

#[test]
fn two_processes_that_add_slots_at_once_both_succeed() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let place = &place;
            let file = place.path().join(n.to_string());
            scope.spawn(move || place.run(&["slot", "add", "--generate-key", file.to_str().unwrap()]).ok());
        }
    });
    assert_eq!(slots(&place).len(), 5);
    for n in 0..4 {
        with_key(&place, &place.path().join(n.to_string()), &["ls"]).ok();
    }
}
