//! Ctrl-C at a moment that each test knows: a pipe that nobody reads, or a file that nobody has written yet, holds the
//! program there.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::*;

const FILES: usize = 600;
/// What `-v` prints for one commit's files is more than a pipe takes: the program waits in its first commit.
const COMMIT: usize = 256;

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn spawn(mut command: Command) -> (Child, BufReader<ChildStderr>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    (child, stderr)
}

fn line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line
}

fn rest(reader: &mut impl Read) -> String {
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    text
}

/// Presses Ctrl-C and waits until the program has noticed.
fn stop(child: &Child, stderr: &mut impl BufRead) {
    interrupt(child);
    let said = line(stderr);
    assert!(said.contains("what was begun is finished"), "{said}");
}

fn code(mut child: Child) -> Option<i32> {
    child.wait().unwrap().code()
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A folder with files whose paths are long.
fn folder(place: &Place) -> PathBuf {
    let folder = place.path().join("folder");
    let below = folder.join("d".repeat(200)).join("e".repeat(200));
    fs::create_dir_all(&below).unwrap();
    for i in 0..FILES {
        fs::write(below.join(format!("{i:0200}")), i.to_string()).unwrap();
    }
    folder
}

fn files(place: &Place) -> usize {
    let listed: Value = serde_json::from_str(&place.run(&["ls", "-r", "--json"]).ok()).unwrap();
    listed["entries"].as_array().unwrap().len()
}

#[test]
fn an_import_ends_with_a_whole_commit_and_can_be_taken_up_again() {
    let place = Place::new();
    let folder = folder(&place);
    let folder = folder.to_str().unwrap();
    let (mut child, mut stderr) = spawn(place.command(&["import", folder, "-v"]));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    assert!(line(&mut stdout).starts_with("imported /memories/"), "the first commit is in");
    stop(&child, &mut stderr);
    let printed = rest(&mut stdout);
    assert_eq!(code(child), Some(130));
    assert_eq!(printed.lines().filter(|line| line.starts_with("imported /")).count(), COMMIT - 1);
    let said = rest(&mut stderr);
    assert!(said.contains(&format!("stopped by Ctrl-C: {COMMIT} of {FILES} files were imported")), "{said}");
    assert!(said.starts_with("memoseal: importing ") && said.contains("run it again"), "{said}");
    assert_eq!(files(&place), COMMIT);
    place.run(&["verify", "--read-data"]).ok();
    let again: Value = serde_json::from_str(&place.run(&["import", folder, "--json"]).ok()).unwrap();
    assert_eq!((&again["imported"], &again["unchanged"]), (&json!(FILES - COMMIT), &json!(COMMIT)));
}

#[test]
fn an_export_ends_with_a_whole_file_and_can_be_taken_up_again() {
    let place = Place::new();
    let folder = folder(&place);
    place.run(&["import", folder.to_str().unwrap()]).ok();
    let out = place.path().join("out");
    let given = out.to_str().unwrap();
    let (mut child, mut stderr) = spawn(place.command(&["export", given, "-v"]));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    assert!(line(&mut stdout).starts_with("wrote /memories/"));
    stop(&child, &mut stderr);
    let wrote = 1 + rest(&mut stdout).lines().filter(|line| line.starts_with("wrote /")).count();
    assert_eq!(code(child), Some(130));
    assert!(wrote < FILES, "{wrote}");
    let said = rest(&mut stderr);
    assert!(said.contains(&format!("stopped by Ctrl-C: {wrote} of {FILES} files were written")), "{said}");
    let below = out.join("memories").join("d".repeat(200)).join("e".repeat(200));
    let mut written = 0;
    for entry in fs::read_dir(&below).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let number: usize = name.parse().unwrap();
        assert_eq!(fs::read_to_string(entry.path()).unwrap(), number.to_string(), "a whole file under its own name");
        written += 1;
    }
    assert_eq!(written, wrote);
    let again: Value = serde_json::from_str(&place.run(&["export", given, "--json"]).ok()).unwrap();
    assert_eq!((&again["exported"], &again["unchanged"]), (&json!(FILES - wrote), &json!(wrote)));
}

#[test]
fn a_second_one_ends_it_at_once() {
    let place = Place::new();
    let folder = folder(&place);
    let (mut child, mut stderr) = spawn(place.command(&["import", folder.to_str().unwrap(), "-v"]));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    line(&mut stdout);
    stop(&child, &mut stderr);
    // Nobody reads what it prints: only by ending at once does it end.
    interrupt(&child);
    assert_eq!(code(child), Some(130));
    assert!(rest(&mut stderr).contains("stopped at once by Ctrl-C: look at what is there"));
    assert_eq!(files(&place), COMMIT, "what was committed is there");
    place.run(&["verify", "--read-data"]).ok();
}

#[test]
fn before_anything_was_begun_it_ends_at_once() {
    let place = Place::new();
    let key = place.path().join("pipe");
    pipe(&key);
    let vault = place.vault();
    for as_json in [false, true] {
        let mut command = bare();
        command.env("MEMOSEAL_VAULT", &vault).args(["put", "n", "/dev/null", "--key-file", key.to_str().unwrap()]);
        command.args(as_json.then_some("--json"));
        let (child, mut stderr) = spawn(command);
        // This waits until the program has opened the other end, and reads.
        let writer = fs::OpenOptions::new().write(true).open(&key).unwrap();
        interrupt(&child);
        assert_eq!(code(child), Some(130));
        drop(writer);
        let said = rest(&mut stderr);
        if as_json {
            let said: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(said, json!({ "error": "stopped by Ctrl-C: nothing was changed", "exit_code": 130 }));
        } else {
            assert_eq!(said, "memoseal: stopped by Ctrl-C: nothing was changed\n");
        }
    }
    assert_eq!(place.files().len(), 1, "nothing was changed");
}

#[test]
fn verify_and_maintain_tell_how_far_they_came() {
    let place = Place::new();
    let state = place.path().join("state");
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("MEMOSEAL_STATE_DIR", &state);
        command
    };
    Ended::with(&mut run(&["put", "n", "-"]), b"x").ok();
    // The program waits for what this machine has seen of the log: a pipe that is not written to.
    let seen = fs::read_dir(state.join("witness")).unwrap().map(|entry| entry.unwrap().path());
    let seen = seen.filter(|path| !path.ends_with("lock")).collect::<Vec<_>>();
    assert_eq!(seen.len(), 1, "{seen:?}");
    fs::remove_file(&seen[0]).unwrap();
    pipe(&seen[0]);
    for (verb, expected) in [
        (
            "verify",
            "verifying: stopped by Ctrl-C: 0 commits were read; of the rest nothing is known: run `memoseal verify`",
        ),
        ("maintain", "maintaining: stopped by Ctrl-C: 0 users are done; what was removed until then is gone"),
    ] {
        let before = place.files();
        let (child, mut stderr) = spawn(run(&[verb]));
        let writer = fs::OpenOptions::new().write(true).open(&seen[0]).unwrap();
        stop(&child, &mut stderr);
        // It says so while the pipe still holds what it was doing: what comes of that is not waited for.
        let said = line(&mut stderr);
        assert!(said.contains(expected), "{said}");
        drop(writer);
        assert_eq!(code(child), Some(130), "{verb}");
        assert_eq!(place.files(), before, "{verb}");
    }
}

#[test]
fn the_tool_ends_between_two_lines() {
    let place = Place::new();
    let mut command = place.command(&["tool"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    std::io::Write::write_all(&mut stdin, format!("{}\n", create("/memories/n", "x")).as_bytes()).unwrap();
    assert!(line(&mut stdout).contains("created"));
    interrupt(&child);
    let said = rest(&mut child.stderr.take().unwrap());
    assert!(said.contains("stopped by Ctrl-C: every line that was answered is done"), "{said}");
    assert_eq!(code(child), Some(130), "although its input is still open");
    drop(stdin);
    assert_eq!(place.run(&["cat", "n"]).ok(), "x");
}
