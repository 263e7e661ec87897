//! `memoseal conformance`, on a folder.
#![cfg(feature = "conformance")]

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::*;

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_folder_passes_is_told_of_in_every_form_and_is_left_as_it_was() {
    let place = Place::empty();
    let (folder, junit) = (place.path().join("storage"), place.path().join("results.xml"));
    fs::create_dir(&folder).unwrap();
    let arguments =
        ["conformance", folder.to_str().unwrap(), "--group", "objects", "--case", "clearing_deletes_everything"];
    let ended = Ended::of(bare().args(arguments).args(["--json", "--junit", junit.to_str().unwrap()]));
    let told: Value = serde_json::from_str(&ended.ok()).unwrap();
    let cases = told["cases"].as_array().unwrap();
    assert!(cases.len() > 15 && told["passed"] == cases.len() && told["failed"] == 0, "{told}");
    assert!(told["left_behind"].is_null() && is_empty(&folder), "{told}");
    assert_eq!(cases.iter().filter(|case| case["group"] == "tool").count(), 1, "{told}");

    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("classname=\"memoseal.objects\" name=\"overwrite_replaces\""), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), cases.len(), "{xml}");
    assert!(!xml.contains("<failure"), "{xml}");

    let table =
        Ended::of(bare().args(["conformance", folder.to_str().unwrap(), "--case", "objects::overwrite_replaces"]));
    let table = table.ok();
    assert!(table.lines().any(|line| line.split_whitespace().take(3).eq(["objects", "1", "0"])), "{table}");
    assert!(is_empty(&folder));
}

#[test]
fn what_does_not_exist_is_named() {
    let place = Place::empty();
    let folder = place.path().to_str().unwrap();
    for (arguments, part) in [
        (["conformance", folder, "--group", "nope"], "no group `nope`"),
        (["conformance", folder, "--case", "nope"], "no case `nope`"),
    ] {
        let ended = Ended::of(bare().args(arguments));
        assert!(ended.code == 2 && ended.stderr.contains(part) && ended.stderr.contains("--list"), "{ended:?}");
    }
    let ended =
        Ended::of(bare().args(["conformance", folder, "--case", "overwrite_replaces", "--junit", "/nonexistent/x"]));
    assert!(ended.code != 0 && ended.stderr.contains("/nonexistent/x"), "{ended:?}");
    assert_eq!(Ended::of(bare().arg("conformance")).code, 2);
    assert!(is_empty(place.path()), "something was begun");
    let list = Ended::of(bare().args(["conformance", "--list"])).ok();
    assert!(list.lines().count() > 150 && list.lines().any(|line| line == "objects::overwrite_replaces"), "{list}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_behind() {
    use std::process::{Command, Stdio};

    let place = Place::empty();
    let folder = place.path().to_str().unwrap();
    let arguments = ["conformance", folder, "--jobs", "1"];
    let child = bare().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Until a case has made its first place.
    let has_begun = || fs::read_dir(place.path()).unwrap().flatten().any(|entry| entry.path().join("0").is_dir());
    while !has_begun() {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.stderr.contains("cases were run, nothing was left in the storage"), "{ended:?}");
    assert!(is_empty(place.path()));
}
