//! `destroy-user` and `destroy-store`.

use serde_json::Value;

use crate::support::*;

fn lived_in() -> Place {
    let place = Place::new();
    for (user, store) in [("alice", "default"), ("alice", "notes"), ("bob", "default")] {
        place.tool(&["--user", user, "--store", store]).ok(&create("/memories/a.md", "swordfish\n"));
    }
    place
}

#[test]
fn a_user_without_stores_is_no_user_who_does_not_exist() {
    let place = lived_in();
    place.run(&["destroy-store", "default", "--user", "bob", "--yes"]).ok();
    assert_eq!(place.run(&["users"]).ok(), "alice\nbob\n");
    assert_eq!(place.run(&["stores", "--user", "bob"]).ok(), "");
    assert_eq!(place.run(&["stores", "--user", "bob", "--json"]).ok(), "{\"stores\":[]}\n");
    place.run(&["stores", "--user", "carol"]).fails(4, "user carol does not exist");
    place.run(&["destroy-user", "bob", "--yes"]).ok();
    place.run(&["stores", "--user", "bob"]).fails(4, "user bob does not exist");
}

#[test]
fn destroy_user_asks_and_takes_everything_of_it() {
    let place = lived_in();
    let before = place.files();
    let dry = place.run(&["destroy-user", "alice", "--dry-run"]).ok();
    assert!(dry.starts_with("would destroy user alice: stores default, notes, 3 objects of "), "{dry}");
    place.run(&["destroy-user", "alice"]).fails(2, "give --yes");
    place.run(&["destroy-user", "alise", "--yes"]).fails(4, "user alise does not exist");
    assert_eq!(place.files(), before, "nothing was changed");

    let told: Value = serde_json::from_str(&place.run(&["destroy-user", "alice", "--yes", "--json"]).ok()).unwrap();
    assert_eq!((&told["stores"], &told["objects"]), (&serde_json::json!(["default", "notes"]), &3.into()));
    assert_eq!(place.run(&["users"]).ok(), "bob\n");
    place.run(&["stores", "--user", "alice"]).fails(4, "user alice does not exist");
    let gone = place.run(&["cat", "a.md", "--user", "alice"]);
    assert!(gone.code == 4 && gone.stderr.contains("a.md does not exist"), "{gone:?}");
    assert_eq!(place.run(&["cat", "a.md", "--user", "bob"]).ok(), "swordfish\n");
    place.run(&["verify", "--read-data"]).ok();
    place.run(&["maintain"]).ok();
    // Again, and anew.
    place.run(&["destroy-user", "alice", "--yes"]).ok();
    place.tool(&["--user", "alice"]).ok(&create("/memories/b.md", "anew\n"));
    assert_eq!(place.run(&["ls", "--user", "alice"]).ok().lines().count(), 1);
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
fn destroy_store_takes_one_store() {
    let place = lived_in();
    let before = place.files();
    place.run(&["destroy-store", "nots", "--user", "alice", "--yes"]).fails(4, "memoseal stores --user alice");
    let dry = place.run(&["destroy-store", "notes", "--user", "alice", "--dry-run"]).ok();
    assert!(dry.starts_with("would destroy store notes of user alice: 1 object of "), "{dry}");
    assert_eq!(place.files(), before, "nothing was changed");
    let told = place.run(&["destroy-store", "notes", "--user", "alice", "--yes"]).ok();
    assert!(told.starts_with("destroyed store notes of user alice: 1 object overwritten"), "{told}");
    assert_eq!(place.run(&["stores", "--user", "alice"]).ok(), "default\n");
    place.run(&["verify", "--read-data"]).ok();
}
