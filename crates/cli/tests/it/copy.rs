//! `copy`: the vault at another place.

use std::fs;

use serde_json::{Value, json};

use crate::support::*;

fn copy(place: &Place, arguments: &[&str]) -> Ended {
    let mut command = bare();
    command.env("MEMOSEAL_KEY_FILE", place.key()).arg("copy").args(arguments);
    Ended::of(&mut command)
}

fn report(place: &Place, arguments: &[&str]) -> Value {
    serde_json::from_str(&copy(place, &[arguments, &["--json"]].concat()).ok()).unwrap()
}

fn text(place: &Place, path: &str) -> String {
    place.path().join(path).to_str().unwrap().to_owned()
}

#[test]
fn a_copy_is_opened_with_the_same_key_and_brought_up_to_date() {
    let place = Place::new();
    let (from, to) = (text(&place, "vault"), text(&place, "new/copy"));
    place.run_with(&["put", "plan", "-"], b"swordfish\n").ok();
    let dry = report(&place, &[&from, &to, "--dry-run"]);
    assert!(dry["created"].as_u64().unwrap() >= 3 && dry["dry_run"] == json!(true), "{dry}");
    assert!(!place.path().join("new").exists(), "nothing was made");

    let said = copy(&place, &[&from, &to]).ok();
    assert!(said.starts_with("copied ") && said.contains("write to one of the two only"), "{said}");
    assert_eq!(place.run(&["cat", "plan", "--vault", &to]).ok(), "swordfish\n");
    let again = report(&place, &[&from, &to]);
    assert_eq!((&again["created"], &again["unchanged"]), (&json!(0), &dry["created"]));

    place.run_with(&["put", "plan", "-"], b"nothing\n").ok();
    place.run(&["redact", "1.0", "--yes"]).ok();
    let caught_up = report(&place, &[&from, &to]);
    assert!(caught_up["overwritten"].as_u64().unwrap() > 0, "{caught_up}");
    assert_eq!(place.run(&["show", "1.0", "--vault", &to]).code, 4);
    assert!(place.run(&["verify", "--read-data", "--vault", &to]).ok().contains("no damage found"));
}

#[test]
fn what_is_no_older_copy_is_refused_and_left_as_it_is() {
    let place = Place::new();
    let (from, to) = (text(&place, "vault"), text(&place, "copy"));
    place.run_with(&["put", "a", "-"], b"x").ok();
    copy(&place, &[&from, &to]).ok();
    Ended::with(&mut place.command(&["put", "there", "-", "--vault", &to]), b"x").ok();
    copy(&place, &[&from, &to]).fails(2, "no older copy of this vault");

    let other = Place::new();
    copy(&place, &[&from, &text(&other, "vault")]).fails(2, "another vault at the target");
    let photos = text(&place, "photos");
    fs::create_dir(&photos).unwrap();
    fs::write(place.path().join("photos/1.jpg"), "x").unwrap();
    copy(&place, &[&from, &photos]).fails(2, "photos");
}

#[test]
fn places_that_lie_in_one_another_and_options_that_mean_nothing_are_refused() {
    let place = Place::new();
    let (from, inner) = (text(&place, "vault"), text(&place, "vault/copy"));
    copy(&place, &[&from, &from]).fails(2, "same folder");
    copy(&place, &[&from, &inner]).fails(2, "lies in");
    let to = text(&place, "copy");
    copy(&place, &[&from, &to, "--user", "alice"]).fails(2, "--user would change nothing");
    copy(&place, &[&from, &to, "--vault", &from]).fails(2, "--vault would change nothing");
    copy(&place, &[&from, &to, "--only-user", "nobody"]).fails(4, "user nobody does not exist");
    assert!(!place.path().join("copy/vault").exists());
}

#[test]
fn one_user_goes_alone() {
    let place = Place::new();
    let (from, to) = (text(&place, "vault"), text(&place, "copy"));
    for user in ["alice", "bob"] {
        place.run_with(&["put", "a", "-", "--user", user], user.as_bytes()).ok();
    }
    copy(&place, &[&from, &to, "--only-user", "bob"]).ok();
    assert_eq!(place.run(&["users", "--vault", &to]).ok(), "bob\n");
}
