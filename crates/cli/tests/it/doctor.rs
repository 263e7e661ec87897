//! `memoseal doctor`, as somebody at a shell has it.

use std::fs;

use serde_json::Value;

use crate::support::*;

#[test]
fn a_folder_is_looked_at_without_a_key_and_nothing_is_left() {
    let place = Place::new();
    let before = place.files();
    let mut command = bare();
    command.args(["doctor", "--json"]).arg(place.vault());
    let shown: Value = serde_json::from_str(&Ended::of(&mut command).ok()).unwrap();
    assert_eq!(shown["endangered"], false);
    let checks = shown["checks"].as_array().unwrap();
    let vault = checks.iter().find(|check| check["check"] == "vault").unwrap();
    assert!(vault["found"].as_str().unwrap().starts_with("one is here: "), "{vault}");
    for check in checks {
        assert!(check["result"] == "ok" || !check["todo"].as_str().unwrap().is_empty(), "{check}");
    }
    assert_eq!(place.files(), before);
    assert!(!place.vault().join("memoseal-doctor").exists());
}

#[test]
fn it_is_a_line_a_check_and_the_vault_may_be_named_as_ever() {
    let place = Place::new();
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).arg("doctor");
    let text = Ended::of(&mut command).ok();
    for name in ["reachable", "put-if-absent", "its races", "listing order", "latency", "fsync", "clean up"] {
        let lines = text.lines().filter(|line| line.contains(&format!("  {name} ")));
        assert_eq!(lines.count(), 1, "{name}: {text}");
    }
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("ok ") && last.contains("danger 0, not checked "), "{last}");
}

#[cfg(unix)]
#[test]
fn what_endangers_memory_is_the_exit_code() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    fs::set_permissions(place.vault(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = bare();
    command.arg("doctor").arg(place.vault());
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("danger       access") && ended.stdout.contains("chmod go-w"), "{ended:?}");
}

#[test]
fn where_nothing_is_nothing_is_made() {
    let place = Place::empty();
    let mut command = bare();
    command.arg("doctor").arg(place.vault());
    Ended::of(&mut command).fails(4, "does not exist");
    bare().arg("doctor").output().map(|output| assert_eq!(output.status.code(), Some(2))).unwrap();
    let mut command = bare();
    command.args(["doctor", "ftp://example.com/a"]);
    Ended::of(&mut command).fails(2, "no backend serves `ftp:` URLs");
    assert!(!place.vault().exists());
}

/// A server that answers nothing is out of reach, and nothing else is tried.
#[cfg(feature = "s3")]
#[test]
fn a_server_that_is_not_there_is_out_of_reach() {
    let mut command = bare();
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
    command.args(["doctor", "--json", "s3://memory?endpoint=http://127.0.0.1:1&allow_http=true"]);
    let ended = Ended::of(&mut command);
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &shown["endangered"]), (1, &Value::Bool(true)));
    let found = |name: &str| shown["checks"].as_array().unwrap().iter().find(|check| check["check"] == name).cloned();
    assert_eq!(found("reachable").unwrap()["result"], "danger");
    assert_eq!(found("everything else").unwrap()["result"], "not checked");
    assert_eq!(found("put"), None);
}
