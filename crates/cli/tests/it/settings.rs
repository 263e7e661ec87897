//! memoseal.toml and `memoseal config`: what is in force, and from where.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::support::*;

/// The program in the place's folder, whose configuration folder lies in it too.
fn here(place: &Place, arguments: &[&str]) -> Command {
    let mut command = bare();
    command.current_dir(place.path()).env("XDG_CONFIG_HOME", place.path().join("etc")).args(arguments);
    command
}

fn config(place: &Place, local: &str, own: &str) {
    fs::write(place.path().join("memoseal.toml"), local).unwrap();
    fs::create_dir_all(place.path().join("etc/memoseal")).unwrap();
    fs::write(place.path().join("etc/memoseal/memoseal.toml"), own).unwrap();
}

#[test]
fn an_option_wins_over_a_variable_over_this_folder_over_ones_own() {
    let place = Place::new();
    config(
        &place,
        "vault = \"vault\"\nkey_file = \"key\"\nstore = \"here\"\n",
        "user = \"own\"\nstore = \"own\"\nactor = \"own\"\n",
    );
    let put = |user: &str| Ended::with(here(&place, &["put", "n", "-"]).env("MEMOSEAL_USER", user), b"x");
    put("variable").ok();
    put("").ok();
    assert_eq!(Ended::of(&mut here(&place, &["users"])).ok(), "own\nvariable\n");
    assert_eq!(Ended::of(&mut here(&place, &["stores", "--user", "own"])).ok(), "here\n");
    let history = Ended::of(&mut here(&place, &["history"])).ok();
    assert!(history.contains("  own  /memories/n"), "{history}");

    let mut shown = here(&place, &["config", "--json", "--store", "option"]);
    shown.env("MEMOSEAL_USER", "variable").env("MEMOSEAL_ACTOR", "");
    let shown: Value = serde_json::from_str(&Ended::of(&mut shown).ok()).unwrap();
    let own = place.path().join("etc/memoseal/memoseal.toml");
    let own = own.to_str().unwrap();
    assert_eq!(
        shown,
        json!({
            "files": ["memoseal.toml", own],
            "settings": {
                "vault": { "value": "vault", "from": "memoseal.toml" },
                "user": { "value": "variable", "from": "MEMOSEAL_USER" },
                "store": { "value": "option", "from": "--store" },
                "actor": { "value": "own", "from": own },
                "rules": { "value": null, "from": "not set" },
            },
            "keys": [{ "type": "key_file", "place": "key", "from": "memoseal.toml" }],
        })
    );
    let text = Ended::of(&mut here(&place, &["config"])).ok();
    assert!(text.contains(&format!("user            own  ({own})")) && text.contains("store           here"), "{text}");
}

#[test]
fn what_is_set_nowhere_is_built_in() {
    let place = Place::empty();
    let text = Ended::of(&mut here(&place, &["config"])).ok();
    for expected in
        ["vault           -  (not set)", "user            default  (built in)", "no key", "no memoseal.toml"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_key_that_was_given_wins_over_one_that_a_file_names() {
    let place = Place::new();
    let key = fs::read_to_string(place.key()).unwrap();
    let key = key.lines().find(|line| !line.starts_with('#')).unwrap();
    config(&place, "vault = \"vault\"\nkey_env = \"MY_KEY\"\n", "passphrase_file = \"nowhere\"\n");
    let run = |variables: &[(&str, &str)]| Ended::of(here(&place, &["ls"]).envs(variables.iter().copied()));
    run(&[("MY_KEY", key)]).ok();
    run(&[("MEMOSEAL_KEY", key)]).ok();
    run(&[("MEMOSEAL_KEY", key), ("MY_KEY", "wrong")]).ok();
    run(&[]).fails(3, "names the variable MY_KEY, which is not set");
    let wrong = run(&[("MY_KEY", "hunter2")]);
    assert!(wrong.code == 3 && !wrong.stderr.contains("hunter2"), "{wrong:?}");
    // What is shown is where a key comes from, and never a key.
    for variables in [[("MEMOSEAL_KEY", key)], [("MEMOSEAL_PASSPHRASE", key)], [("MY_KEY", key)]] {
        for arguments in [&["config"] as &[&str], &["config", "--json"]] {
            let shown = Ended::of(here(&place, arguments).envs(variables)).ok();
            assert!(!shown.contains(key), "{shown}");
        }
    }
    let mut url = here(&place, &["config", "--vault", "https://me:hunter2@example.com/v"]);
    assert!(!Ended::of(&mut url).ok().contains("hunter2"));
}

#[test]
fn a_file_with_a_secret_or_a_mistake_is_refused_before_anything_is_done() {
    let place = Place::new();
    let run = |text: &str, arguments: &[&str]| {
        config(&place, text, "");
        Ended::of(&mut here(&place, arguments))
    };
    for verb in ["ls", "config", "users"] {
        let refused = run("passphrase = \"hunter2\"\n", &[verb]);
        assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
        refused.fails(2, "looks like a secret");
    }
    run("usr = \"a\"", &["ls"]).fails(2, "it may set vault, user");
    run("user", &["ls"]).fails(2, "line 1 is not TOML");
    // What needs no vault needs no settings.
    run("passphrase = \"hunter2\"\n", &["version"]).ok();
    run("passphrase = \"hunter2\"\n", &["completions", "bash"]).ok();
    fs::write(place.path().join("memoseal.toml"), vec![b'#'; 100_000]).unwrap();
    Ended::of(&mut here(&place, &["ls"])).fails(2, "larger than any file of settings");
}

#[test]
fn a_vault_can_be_made_where_a_file_says() {
    let place = Place::empty();
    config(&place, "vault = \"vault\"\nkey_file = \"key\"\n", "");
    Ended::of(&mut here(&place, &["init", "--generate-key", "key"])).ok();
    Ended::of(&mut here(&place, &["ls"])).ok();
    // From a folder below, the paths of another folder's file still count from there.
    fs::create_dir(place.path().join("below")).unwrap();
    config(&place, "", &format!("vault = \"../../vault\"\nkey_file = {:?}\n", place.key()));
    Ended::of(here(&place, &["ls"]).current_dir(place.path().join("below"))).ok();
}

/// Somebody may have put a secret where none belongs; what is in force is shown all the same.
#[test]
fn the_settings_show_no_secret_of_a_url() {
    let place = Place::empty();
    for (url, shown) in [
        ("s3://key:hunter2@bucket/a?region=x", "s3://key:%E2%80%A6@bucket/a?region=x"),
        ("s3://bucket/a?secret=hunter2&region=x", "s3://bucket/a?…&region=x"),
        ("s3://bucket/a?hunter2", "s3://bucket/a?…"),
        ("s3://bucket/a?endpoint=https://user:hunter2@example.com", "s3://bucket/a?…"),
        ("s3://bucket/a?endpoint=https://example.com", "s3://bucket/a?endpoint=https://example.com"),
    ] {
        for arguments in [&["config"] as &[&str], &["config", "--json"]] {
            let text = Ended::of(here(&place, arguments).env("MEMOSEAL_VAULT", url)).ok();
            assert!(text.contains(shown) && !text.contains("hunter2"), "{url}: {text}");
        }
    }
}
