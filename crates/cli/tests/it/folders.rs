//! `import` and `export`: folders of plain files.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::support::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\xff\x00rest";

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// Every file below a folder with its bytes; a link by where it leads.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_symlink() {
                files.insert(name, fs::read_link(path).unwrap().to_str().unwrap().into());
            } else if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// What the local memory tool of the Python SDK keeps under its base path.
fn sdk_folder(place: &Place) -> std::path::PathBuf {
    let folder = place.path().join("sdk");
    write(&folder, "memories/customers/acme.md", "prefers email\n");
    write(&folder, "memories/customers/größe.md", "naïve\n");
    write(&folder, "memories/empty.md", "");
    write(&folder, "memories/.hidden", "x");
    write(&folder, "memories/sketch.png", PNG);
    folder
}

fn json(ended: Ended, code: i32) -> Value {
    assert_eq!(ended.code, code, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn what_an_sdk_kept_comes_in_and_goes_out_as_it_was() {
    let place = Place::new();
    let folder = sdk_folder(&place);
    let given = folder.to_str().unwrap();
    let dry = json(place.run(&["import", given, "--dry-run", "--json"]), 0);
    assert_eq!((&dry["imported"], &dry["dry_run"]), (&json!(5), &json!(true)), "{dry}");
    let memories = folder.join("memories");
    assert_eq!(dry["folder"], memories.to_str().unwrap());
    assert_eq!(place.files().len(), 1, "nothing was changed");

    let done = place.run(&["import", given]).ok();
    assert!(
        done.ends_with("(0 replaced), 0 unchanged, 0 left out\n") && done.starts_with("imported 5 files"),
        "{done}"
    );
    assert_eq!(place.run(&["cat", "customers/acme.md"]).ok(), "prefers email\n");
    assert_eq!(place.run(&["history"]).ok().lines().filter(|line| line.starts_with("1.")).count(), 5, "one commit");
    // The same folder by its other name, again: nothing to do.
    let again = json(place.run(&["import", memories.to_str().unwrap(), "--json"]), 0);
    assert_eq!((&again["imported"], &again["unchanged"]), (&json!(0), &json!(5)));

    let out = place.path().join("out");
    let dry = place.run(&["export", out.to_str().unwrap(), "--dry-run", "-v"]).ok();
    assert!(dry.contains("would write /memories/sketch.png") && dry.contains("would export 5 files"), "{dry}");
    assert!(!out.exists());
    place.run(&["export", out.to_str().unwrap()]).ok();
    assert_eq!(tree(&out), tree(&folder));
    let again = json(place.run(&["export", out.to_str().unwrap(), "--json"]), 0);
    assert_eq!((&again["exported"], &again["unchanged"], &again["finished"]), (&json!(0), &json!(5), &json!(true)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&out), mode(&out.join("memories/customers"))), (0o700, 0o700));
        assert_eq!(mode(&out.join("memories/sketch.png")), 0o600, "plain text is for its owner alone");
    }
}

#[test]
fn a_store_whose_only_directory_is_called_memories_comes_back_as_it_was() {
    let place = Place::new();
    place.run_with(&["put", "/memories/memories/x", "-"], b"x").ok();
    let out = place.path().join("out");
    place.run(&["export", out.to_str().unwrap()]).ok();
    for folder in [out.clone(), out.join("memories")] {
        let again = json(place.run(&["import", folder.to_str().unwrap(), "--json"]), 0);
        assert_eq!((&again["imported"], &again["unchanged"]), (&json!(0), &json!(1)), "{folder:?}");
    }
}

#[test]
fn a_folder_with_memories_and_other_things_is_not_guessed_at() {
    let place = Place::new();
    let folder = sdk_folder(&place);
    write(&folder, "agent.py", "print()");
    place.run(&["import", folder.to_str().unwrap()]).fails(2, "beside it agent.py");
    place.run(&["import", folder.join("memories").to_str().unwrap()]).ok();
    // A folder without one is taken as it is.
    let plain = place.path().join("plain");
    write(&plain, "notes/a.md", "a");
    place.run(&["import", plain.to_str().unwrap()]).ok();
    assert_eq!(place.run(&["cat", "notes/a.md"]).ok(), "a");
    place.run(&["import", "/nonexistent"]).fails(2, "cannot read /nonexistent");
}

#[test]
fn what_cannot_be_imported_is_listed_and_the_rest_is() {
    let place = Place::new();
    let folder = place.path().join("mixed");
    write(&folder, "good.md", "good\n");
    write(&folder, "back\\slash", "x");
    write(&folder, "a%2e%2e", "x");
    write(&folder, "large.md", "x".repeat(102_401));
    write(&folder, "huge.png", vec![0; 6 << 20]);
    write(&folder, "noise.bin", b"\xff\xfe\x00");
    write(&folder, ".tmp-4711-123e4567-e89b-12d3-a456-426614174000", "half a fi");
    write(&folder, "cafe\u{301}.md", "nfd");
    write(&folder, "caf\u{e9}.md", "nfc");
    let deep = format!("{}x", "d/".repeat(20));
    write(&folder, &deep, "x");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        fs::write(folder.join(std::ffi::OsStr::from_bytes(b"latin\xe9")), "x").unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("etc")).unwrap();
        std::os::unix::fs::symlink("good.md", folder.join("link.md")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    }
    let given = folder.to_str().unwrap();
    let strict = place.run(&["import", given, "--strict"]);
    assert_eq!(strict.code, 2, "{strict:?}");
    assert!(strict.stderr.contains("nothing was changed: "), "{strict:?}");
    assert_eq!(place.files().len(), 1, "nothing was changed");

    let dry = json(place.run(&["import", given, "--json", "--dry-run"]), 7);
    let done = json(place.run(&["import", given, "--json"]), 7);
    assert_eq!(done["left_out"], dry["left_out"], "a dry run tells what happens");
    assert_eq!(done["imported"], 2);
    let left_out: BTreeMap<String, String> = done["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| {
            let what = Path::new(left["what"].as_str().unwrap()).strip_prefix(&folder).unwrap().to_owned();
            (what.display().to_string(), left["why"].as_str().unwrap().to_owned())
        })
        .collect();
    let mut expected = vec![
        ("back\\slash", "not allowed: U+005C"),
        ("a%2e%2e", "percent-encoded"),
        ("large.md", "at most 102400"),
        ("huge.png", "largest image"),
        ("noise.bin", "neither text nor an image"),
        (".tmp-4711-123e4567-e89b-12d3-a456-426614174000", "has left of a file"),
        ("caf\u{e9}.md", "in NFC"),
        (deep.as_str(), "levels below"),
    ];
    if cfg!(unix) {
        expected.extend([
            ("latin\u{fffd}", "not UTF-8"),
            ("etc", "symbolic link"),
            ("link.md", "symbolic link"),
            ("pipe", "neither a file nor a folder"),
        ]);
    }
    for (what, why) in &expected {
        assert!(left_out.get(*what).is_some_and(|said| said.contains(why)), "{what} {why}: {left_out:#?}");
    }
    assert_eq!(left_out.len(), expected.len(), "{left_out:#?}");
    assert_eq!(
        place.run(&["ls", "-r"]).ok(),
        "/memories/cafe\u{301}.md\n/memories/good.md\n".replace("e\u{301}", "\u{e9}")
    );
    assert_eq!(place.run(&["cat", "caf\u{e9}.md"]).ok(), "nfd");
}

#[test]
fn neither_the_key_nor_the_vault_is_imported_into_the_vault() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    let done = json(place.run(&["import", place.path().to_str().unwrap(), "--json"]), 7);
    let left_out: Vec<&str> = done["left_out"].as_array().unwrap().iter().map(|l| l["why"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["what opens the vault is not kept in it", "the vault's own folder"], "{done}");
    assert_eq!(done["imported"], 0);
}

#[test]
fn a_file_that_differs_is_replaced_only_if_asked() {
    let place = Place::new();
    let folder = sdk_folder(&place);
    let given = folder.to_str().unwrap();
    place.run(&["import", given]).ok();
    place.run_with(&["put", "empty.md", "-"], b"not any more\n").ok();
    let done = place.run(&["import", given]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stdout.contains("/memories/empty.md differs: give --overwrite"), "{done:?}");
    assert_eq!(place.run(&["cat", "empty.md"]).ok(), "not any more\n");

    // The other way round.
    let export = ["export", given, "--json"];
    let done = json(place.run(&export), 7);
    assert_eq!((&done["exported"], &done["unchanged"]), (&json!(0), &json!(4)), "{done}");
    assert_eq!(fs::read(folder.join("memories/empty.md")).unwrap(), b"");
    let done = json(place.run(&[&export, ["--overwrite"].as_slice()].concat()), 0);
    assert_eq!((&done["exported"], &done["replaced"]), (&json!(1), &json!(1)));
    assert_eq!(fs::read(folder.join("memories/empty.md")).unwrap(), b"not any more\n");

    write(&folder, "memories/empty.md", "");
    let done = json(place.run(&["import", given, "--overwrite", "--json"]), 0);
    assert_eq!((&done["imported"], &done["replaced"], &done["unchanged"]), (&json!(1), &json!(1), &json!(4)));
    assert_eq!(place.run(&["cat", "empty.md"]).ok(), "");
    place.run(&["restore", "empty.md"]).ok();
    assert_eq!(place.run(&["cat", "empty.md"]).ok(), "not any more\n");
}

#[test]
fn an_import_makes_few_large_commits_and_knows_the_limits_of_a_store_before() {
    let place = Place::new();
    let folder = place.path().join("many");
    for i in 0..2_010 {
        write(&folder, &format!("{:02}/{i:04}", i % 20), format!("{i}\n"));
    }
    let given = folder.to_str().unwrap();
    let dry = json(place.run(&["import", given, "--dry-run", "--json"]), 7);
    assert_eq!((&dry["imported"], dry["left_out"].as_array().unwrap().len()), (&json!(2_000), 10), "{dry}");
    let done = json(place.run(&["import", given, "--json"]), 7);
    assert_eq!(done["left_out"], dry["left_out"]);
    let info: Value = serde_json::from_str(&place.run(&["info", "--json"]).ok()).unwrap();
    let store = &info["users"][0]["stores"][0];
    assert_eq!((&store["files"], &store["commits"]), (&json!(2_000), &json!(8)), "256 changes a commit");

    // Content fills a commit too: 1 MiB of it.
    let folder = place.path().join("large");
    for i in 0..25 {
        write(&folder, &i.to_string(), format!("{i}").repeat(100_000 / i.to_string().len()));
    }
    place.run(&["import", folder.to_str().unwrap(), "--user", "bob"]).ok();
    let info: Value = serde_json::from_str(&place.run(&["info", "--json"]).ok()).unwrap();
    let bob = info["users"].as_array().unwrap().iter().find(|user| user["name"] == "bob").unwrap();
    assert_eq!(bob["stores"][0]["commits"], 3, "{bob}");
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
#[cfg(unix)]
fn an_export_writes_nothing_outside_its_folder_and_follows_no_link() {
    use std::os::unix::fs::symlink;

    let place = Place::new();
    for path in ["a/one.md", "b/two.md", "c", "d/e"] {
        place.run_with(&["put", path, "-"], path.as_bytes()).ok();
    }
    let (out, outside) = (place.path().join("out"), place.path().join("outside"));
    fs::create_dir_all(out.join("memories/c")).unwrap();
    fs::create_dir(&outside).unwrap();
    write(&outside, "kept", "kept");
    // A directory that is a link to elsewhere, a link in place of a file, a file in place of a directory.
    symlink(&outside, out.join("memories/a")).unwrap();
    fs::create_dir(out.join("memories/b")).unwrap();
    symlink(outside.join("kept"), out.join("memories/b/two.md")).unwrap();
    write(&out, "memories/d", "a file");
    let before = tree(&out);
    let given = out.to_str().unwrap();
    let done = json(place.run(&["export", given, "--json"]), 7);
    let whys: Vec<&str> =
        done["left_out"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
    for (why, expected) in whys.iter().zip(["symbolic link", "give --overwrite", "a folder stands", "is no folder"]) {
        assert!(why.contains(expected), "{expected}: {whys:#?}");
    }
    assert_eq!((whys.len(), &done["exported"]), (4, &json!(0)), "{done}");
    assert_eq!(tree(&out), before);
    // What is replaced is the link, not what it leads to.
    let done = json(place.run(&["export", given, "--json", "--overwrite"]), 7);
    assert_eq!((&done["replaced"], done["left_out"].as_array().unwrap().len()), (&json!(1), 3), "{done}");
    assert_eq!(fs::read(out.join("memories/b/two.md")).unwrap(), b"b/two.md");
    assert_eq!(tree(&outside), BTreeMap::from([("kept".to_owned(), b"kept".to_vec())]));

    // The root of what is written may be no link either.
    let other = place.path().join("other");
    fs::create_dir(&other).unwrap();
    symlink(&outside, other.join("memories")).unwrap();
    let done = json(place.run(&["export", other.to_str().unwrap(), "--json", "--overwrite"]), 7);
    assert_eq!(done["left_out"].as_array().unwrap().len(), 4, "{done}");
    assert_eq!(tree(&outside).len(), 1);
}

#[test]
fn an_export_does_not_go_into_the_vault_or_over_a_file() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    let before = place.files();
    place.run(&["export", place.vault().to_str().unwrap()]).fails(2, "the vault's own folder");
    place.run(&["export", place.vault().join("users").to_str().unwrap()]).fails(2, "the vault's own folder");
    place.run(&["export", place.key().to_str().unwrap()]).fails(2, "is no folder");
    assert_eq!(place.files(), before);
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_to_is_told() {
    let place = Place::new();
    place.run_with(&["put", "n", "-"], b"x").ok();
    if Path::new("/proc/self").exists() {
        let failed = place.run(&["export", "/proc/nothing"]);
        assert_eq!(failed.code, 5, "{failed:?}");
        assert!(
            failed.stderr.contains("0 of 1 file were written") && failed.stderr.contains("run it again"),
            "{failed:?}"
        );
    }
}
