//! The other verbs: what they print, how they fail.

use std::fs;

use serde_json::{Value, json};

use crate::support::*;

const OTHER_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

#[test]
fn nothing_that_was_written_can_be_read_in_the_folder() {
    let place = Place::new();
    let user = "zaphod@example.com";
    let mut tool = place.tool(&["--user", user, "--store", "bookshelf"]);
    tool.ok(&create("/memories/projects/heart-of-gold.md", "improbability drive\n"));
    tool.ok(&json!({ "command": "rename", "old_path": "/memories/projects", "new_path": "/memories/undertakings" }));
    tool.close();
    let vault = place.vault();
    for secret in
        ["zaphod", "example.com", "bookshelf", "projects", "heart-of-gold", "improbability", "undertakings", "memories"]
    {
        for (path, bytes) in place.files() {
            assert!(!path.strip_prefix(&vault).unwrap().to_string_lossy().contains(secret), "{secret} in {path:?}");
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} in {path:?}");
        }
    }
    assert_eq!(place.files().len(), 5, "header, keyring, two commits, and the one of the catalogue");
}

#[test]
fn init_makes_a_vault_once_and_a_key_that_only_its_owner_can_read() {
    let place = Place::empty();
    let key = place.key();
    let key = key.to_str().unwrap();
    let shown = place.run(&["init", "--generate-key", key]).ok();
    assert!(shown.contains("keep a copy elsewhere"), "{shown}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(place.key()).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let (header, made) = (place.files(), fs::read(place.key()).unwrap());
    place.run(&["init", "--generate-key", key]).fails(2, "choose a new name");
    place.run(&["init"]).fails(2, "exists already");
    let other = place.path().join("other-key");
    let mut command = bare();
    command.args(["init", "--vault", place.vault().to_str().unwrap(), "--generate-key", other.to_str().unwrap()]);
    Ended::of(&mut command).fails(2, "exists already");
    assert!(!other.exists(), "a key without a vault is not left behind");
    assert_eq!((place.files(), fs::read(place.key()).unwrap()), (header, made));
}

#[test]
fn init_does_not_put_the_key_beside_what_it_opens() {
    let place = Place::empty();
    let inside = place.vault().join("key");
    fs::create_dir(place.vault()).unwrap();
    let mut command = bare();
    command.args(["init", "--vault", place.vault().to_str().unwrap(), "--generate-key", inside.to_str().unwrap()]);
    Ended::of(&mut command).fails(2, "in the vault's own folder");
    assert!(!inside.exists());
}

#[test]
#[cfg(unix)]
fn a_reader_that_has_gone_away_is_no_error_and_a_full_one_is() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    for arguments in [["ls", "-r"], ["cat", "n"]] {
        let mut child = place.command(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{arguments:?}");
        if std::path::Path::new("/dev/full").exists() {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let ended = place.command(&arguments).stdout(full).output().unwrap();
            assert_eq!(ended.status.code(), Some(5), "{ended:?}");
        }
    }
}

#[test]
fn init_answers_in_json() {
    let place = Place::empty();
    let shown = place.run(&["init", "--json", "--generate-key", place.key().to_str().unwrap()]).ok();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["vault"].as_str().unwrap().len(), 32);
    assert!(shown["url"].as_str().unwrap().starts_with("file:///"));
}

#[test]
fn a_vault_can_be_opened_by_passphrase() {
    let place = Place::empty();
    let run = |arguments: &[&str], passphrase: &str| {
        Ended::of(bare().env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_PASSPHRASE", passphrase).args(arguments))
    };
    run(&["init"], "correct horse").ok();
    run(&["ls"], "correct horse").ok();
    run(&["ls"], "battery staple").fails(3, "does not open this vault");
    fs::write(place.path().join("pass"), "correct horse\n").unwrap();
    let file = place.path().join("pass");
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).args(["ls", "--passphrase-file", file.to_str().unwrap()]);
    Ended::of(&mut command).ok();
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_KEY", OTHER_KEY).arg("ls");
    Ended::of(&mut command).fails(3, "no slot of type raw");
}

#[test]
fn the_key_comes_from_exactly_one_place() {
    let place = Place::new();
    let vault = place.vault();
    let run = |variables: &[(&str, &str)], arguments: &[&str]| {
        Ended::of(bare().env("MEMOSEAL_VAULT", &vault).envs(variables.iter().copied()).args(arguments))
    };
    let key_file = place.key();
    let key_file = key_file.to_str().unwrap();
    let text = fs::read_to_string(key_file).unwrap();
    let key = text.lines().find(|line| !line.starts_with('#')).unwrap();
    run(&[("MEMOSEAL_KEY", key)], &["ls"]).ok();
    run(&[("MEMOSEAL_KEY_FILE", key_file)], &["ls"]).ok();
    run(&[], &["ls", "--key-file", key_file]).ok();
    run(&[("MEMOSEAL_KEY_FILE", "/nonexistent")], &["ls", "--key-file", key_file]).ok();
    run(&[], &["ls"]).fails(3, "no key was given: give --key-file FILE, --passphrase-file FILE or --kms ARN");
    run(&[], &["ls"]).fails(3, "memoseal.toml");
    run(&[], &["init"]).fails(3, "--generate-key FILE to make one");
    run(&[("MEMOSEAL_KEY_FILE", key_file)], &["init", "--generate-key", "other"]).fails(3, key_file);
    run(&[], &["init", "--generate-key", "other", "--passphrase-file", "pass"])
        .fails(3, "too, the passphrase file pass: ");
    run(&[("MEMOSEAL_KEY", key), ("MEMOSEAL_KEY_FILE", key_file)], &["ls"]).fails(3, "more than one key");
    run(&[("MEMOSEAL_KEY", key), ("MEMOSEAL_PASSPHRASE", "x")], &["ls"]).fails(3, "more than one key");
    run(&[("MEMOSEAL_KEY", OTHER_KEY)], &["ls"]).fails(3, "does not open this vault");
    run(&[("MEMOSEAL_PASSPHRASE", "x")], &["ls"]).fails(3, "no slot of type passphrase");
    run(&[("MEMOSEAL_PASSPHRASE", "")], &["ls"]).fails(3, "no key was given");
    run(&[("MEMOSEAL_KEY", key), ("MEMOSEAL_KEY_FILE", ""), ("MEMOSEAL_PASSPHRASE", "")], &["ls"]).ok();
    run(&[("MEMOSEAL_KEY", "not base64")], &["ls"]).fails(3, "32 bytes in base64");
    run(&[("MEMOSEAL_KEY", "c2hvcnQ=")], &["ls"]).fails(3, "32 bytes in base64");
    run(&[("MEMOSEAL_KEY_FILE", "/nonexistent")], &["ls"]).fails(3, "cannot read the key file /nonexistent");
    run(&[("MEMOSEAL_KEY_FILE", "/dev/zero")], &["ls"]).fails(3, "key file");
    for failed in [run(&[("MEMOSEAL_KEY", "hunter2hunter2")], &["ls"]), run(&[("MEMOSEAL_KEY", OTHER_KEY)], &["ls"])] {
        assert!(!failed.stderr.contains("hunter2") && !failed.stderr.contains(OTHER_KEY), "{failed:?}");
    }
}

#[test]
fn what_is_missing_or_misspelt_is_a_clear_error() {
    let place = Place::new();
    place.run_with(&["put", "d/n", "-"], b"x").ok();
    place.run(&["cat", "nope.md"]).fails(4, "/memories/nope.md does not exist");
    place.run(&["cat", "d"]).fails(2, "/memories/d is a directory");
    place.run(&["ls", "nope"]).fails(4, "/memories/nope does not exist");
    place.run(&["cat", "../etc/passwd"]).fails(2, "would escape");
    place.run(&["put", "n", "/nonexistent"]).fails(2, "cannot read /nonexistent");
    place.run(&["ls", "--user", ""]).fails(2, "name of a user");
    let run = |vault: &str| Ended::of(bare().env("MEMOSEAL_KEY", OTHER_KEY).args(["ls", "--vault", vault]));
    run("/nonexistent/vault").fails(4, "does not exist");
    run("ftp://bucket/prefix").fails(2, "no backend serves");
    run("http://").fails(2, "is not a vault URL");
    run("").fails(2, "no vault given");
    run(place.key().to_str().unwrap()).fails(2, "is not a folder");
    let empty = Place::empty();
    fs::create_dir(empty.vault()).unwrap();
    run(empty.vault().to_str().unwrap()).fails(4, "make one with `memoseal init`");
    assert_eq!(Ended::of(bare().arg("nonsense")).code, 2);
    assert_eq!(Ended::of(bare().arg("--help")).code, 0);
}

#[test]
fn a_vault_that_is_newer_or_damaged_or_none_is_told_apart() {
    let header = |bytes: &[u8]| {
        let place = Place::new();
        let (path, _) = place.files().into_iter().find(|(path, _)| path.parent().unwrap().ends_with("vault")).unwrap();
        fs::write(path, bytes).unwrap();
        place
    };
    header(br#"{"memoseal":"vault","format":2}"#).run(&["ls"]).fails(1, "newer format");
    header(br#"{"memoseal":"vault","format":1}"#).run(&["ls"]).fails(1, "damaged: the vault's header");
    header(b"hello").run(&["ls"]).fails(4, "something else lies there");
    header(&vec![b'['; 1 << 20]).run(&["ls"]).fails(1, "the vault's header");
    // A header whose slot asks for more than any machine should give.
    let huge = br#"{"memoseal":"vault","format":1,"vault":"00000000000000000000000000000000","generation":1,"epoch":1,
        "slots":[{"id":"00","type":"passphrase","kdf":{"name":"argon2id","m_kib":4294967295,"t":4294967295,"p":1,
        "salt":"AAAAAAAAAAAAAAAAAAAAAA=="},"sealed":""}],"sealed":""}"#;
    let place = header(huge);
    let mut command = bare();
    command.env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_PASSPHRASE", "x").arg("ls");
    Ended::of(&mut command).fails(1, "the vault's header");
}

#[test]
fn verify_finds_a_flipped_byte_and_says_what_to_do() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    assert!(place.run(&["verify"]).ok().contains("no damage found"));
    let (path, mut bytes) =
        place.files().into_iter().find(|(path, _)| path.to_string_lossy().contains("/log/")).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
    let found = place.run(&["verify"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.stdout.contains("commit 1") && found.stdout.contains("restore the object"), "{found:?}");
    let found: Value = serde_json::from_str(&place.run(&["verify", "--json"]).stdout).unwrap();
    assert_eq!(found["findings"].as_array().unwrap().len(), 1);
    place.run(&["cat", "n"]).fails(1, "damaged: commit 1");
}

#[test]
fn put_cat_and_ls_agree_text_and_images() {
    let place = Place::new();
    // A PNG's signature and a header chunk are enough to be one.
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0; 64]].concat();
    fs::write(place.path().join("p.png"), &png).unwrap();
    place.run(&["put", "pictures/p.png", place.path().join("p.png").to_str().unwrap()]).ok();
    place.run_with(&["put", "/memories/notes/today.md", "-"], "naïve\n".as_bytes()).ok();
    place.run_with(&["put", "notes/today.md", "-"], b"over\n").ok();
    assert_eq!(place.run(&["cat", "notes/today.md"]).ok(), "over\n");
    let cat: Value = serde_json::from_str(&place.run(&["cat", "--json", "pictures/p.png"]).ok()).unwrap();
    assert_eq!(cat["size"], png.len());
    assert_eq!(place.run(&["ls"]).ok(), "/memories/notes/\n/memories/pictures/\n");
    assert_eq!(place.run(&["ls", "notes"]).ok(), "/memories/notes/today.md\n");
    assert_eq!(place.run(&["ls", "-r"]).ok(), "/memories/notes/today.md\n/memories/pictures/p.png\n");
    place.run_with(&["put", "notes", "-"], b"x").fails(2, "directory");
    place.run_with(&["put", "b.bin", "-"], b"\xff\x00\x01").fails(2, "");
    let info: Value = serde_json::from_str(&place.run(&["info", "--json"]).ok()).unwrap();
    assert_eq!(info["users"][0]["stores"][0]["files"], 2);
    assert_eq!(info["users"][0]["stores"][0]["content_bytes"], png.len() + 5);
}

#[test]
fn a_vault_put_back_from_a_backup_is_noticed_and_can_be_accepted() {
    let place = Place::new();
    let state = place.path().join("state");
    let run = |arguments: &[&str], stdin: &[u8]| {
        Ended::with(place.command(arguments).env("MEMOSEAL_STATE_DIR", &state), stdin)
    };
    run(&["put", "a", "-"], b"1").ok();
    let backup = place.files();
    run(&["put", "a", "-"], b"2").ok();
    let newest = place.files().into_iter().find(|file| !backup.contains(file)).unwrap().0;
    fs::remove_file(newest).unwrap();
    run(&["cat", "a"], b"").fails(1, "--accept-rollback");
    let found = run(&["verify"], b"");
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.stdout.contains("was seen before"), "{found:?}");
    assert_eq!(run(&["cat", "a", "--accept-rollback"], b"").ok(), "1");
    assert_eq!(run(&["cat", "a"], b"").ok(), "1");
    run(&["verify"], b"").ok();
    // The whole vault at once, every user.
    for user in ["alice", "bob"] {
        run(&["put", "a", "-", "--user", user], b"1").ok();
    }
    let backup = place.files();
    for user in ["alice", "bob"] {
        run(&["put", "a", "-", "--user", user], b"2").ok();
    }
    for newest in place.files().into_iter().filter(|file| !backup.contains(file)) {
        fs::remove_file(newest.0).unwrap();
    }
    run(&["cat", "a", "--user", "alice"], b"").fails(1, "rolled back");
    run(&["verify", "--accept-rollback"], b"").ok();
    for user in ["alice", "bob"] {
        assert_eq!(run(&["cat", "a", "--user", user], b"").ok(), "1");
    }
    // All that a user had.
    fs::remove_dir_all(place.vault().join("users")).unwrap();
    let found = run(&["verify"], b"");
    assert!(found.code == 1 && found.stdout.matches("now there is no log").count() == 3, "{found:?}");
    run(&["verify", "--accept-rollback"], b"").ok();
    run(&["verify"], b"").ok();
}

#[test]
fn who_has_nowhere_to_remember_is_told_that_an_older_copy_would_not_be_noticed() {
    let place = Place::new();
    place.run_with(&["put", "a", "-"], b"1").ok();
    let ended = Ended::of(place.command(&["cat", "a"]).env_remove("MEMOSEAL_STATE_DIR"));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "1"), "{ended:?}");
    assert!(ended.stderr.contains("WARN") && ended.stderr.contains("set MEMOSEAL_STATE_DIR"), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    for (variable, folder) in [("HOME", "home"), ("XDG_STATE_HOME", "xdg")] {
        let mut command = place.command(&["cat", "a"]);
        let ended = Ended::of(command.env_remove("MEMOSEAL_STATE_DIR").env(variable, place.path().join(folder)));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    }
}

#[test]
fn users_and_stores_are_named() {
    let place = Place::new();
    for (user, store) in [("bob", "default"), ("alice", "work"), ("alice", "default")] {
        place.run_with(&["put", "n", "-", "--user", user, "--store", store], b"x").ok();
    }
    assert_eq!(place.run(&["users"]).ok(), "alice\nbob\n");
    assert_eq!(place.run(&["stores", "--user", "alice"]).ok(), "default\nwork\n");
    let users: Value = serde_json::from_str(&place.run(&["users", "--json"]).ok()).unwrap();
    assert_eq!(users, json!({ "users": ["alice", "bob"] }));
    place.run(&["stores", "--user", "carol"]).fails(4, "carol does not exist");
}
