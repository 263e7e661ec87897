//! A vault in a folder of its own, and the program run on it.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio},
};

use serde_json::{Value, json};

pub(crate) struct Place {
    folder: tempfile::TempDir,
    /// What the program remembers of the vault.
    state: tempfile::TempDir,
}

impl Place {
    /// An empty folder, without a vault.
    pub(crate) fn empty() -> Self {
        let [folder, state] = [(); 2].map(|()| tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        Self { folder, state }
    }

    /// A vault with a raw key.
    pub(crate) fn new() -> Self {
        let place = Self::empty();
        let key = place.key();
        place.run(&["init", "--generate-key", key.to_str().unwrap()]).ok();
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.path().join("vault")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.path().join("key")
    }

    /// The program, on this vault with this key, with nothing else in its environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare();
        command.env("MEMOSEAL_VAULT", self.vault()).env("MEMOSEAL_KEY_FILE", self.key());
        command.env("MEMOSEAL_STATE_DIR", self.state.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }

    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Ended {
        Ended::with(&mut self.command(arguments), stdin)
    }

    pub(crate) fn tool(&self, arguments: &[&str]) -> Tool {
        Tool::start(self.command(&[&["tool"], arguments].concat()))
    }

    /// Every file of the vault with its bytes.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.vault()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push((path.clone(), fs::read(path).unwrap())) }
            }
        }
        files.sort();
        files
    }
}

/// The program with nothing in its environment but where it may remember.
pub(crate) fn bare() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memoseal"));
    command.env_clear().env("MEMOSEAL_STATE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/state")).stdin(Stdio::null());
    command
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(command: &mut Command) -> Self {
        command.output().unwrap().into()
    }

    pub(crate) fn with(command: &mut Command, stdin: &[u8]) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        let writer = std::thread::spawn(move || {
            // A program that refuses to start does not read.
            let _ = pipe.write_all(&stdin);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }

    /// It has to have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// It has to have been refused as wrong usage.
    pub(crate) fn fails_in_usage(self) {
        assert!(self.code == 2 && !self.stderr.is_empty() && self.stdout.is_empty(), "{self:?}");
    }

    /// It has to have failed with this code, saying this on stderr and nothing on stdout.
    pub(crate) fn fails(self, code: i32, text: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.contains(text), "{text:?} is not in {self:?}");
        assert!(self.stderr.starts_with("memoseal: ") && self.stderr.trim_end().lines().count() == 1, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A running `memoseal tool`.
pub(crate) struct Tool {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Tool {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    /// Sends a line; the program may have ended.
    pub(crate) fn try_send(&mut self, line: &str) -> std::io::Result<()> {
        writeln!(self.stdin.as_mut().unwrap(), "{line}")
    }

    /// The next answer; none if the program has ended.
    pub(crate) fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        // What was cut off by the end of the program was not answered.
        line.ends_with('\n').then(|| serde_json::from_str(&line).unwrap())
    }

    pub(crate) fn ask(&mut self, input: &Value) -> Value {
        self.try_send(&input.to_string()).unwrap();
        self.answer().unwrap()
    }

    /// Asks for something that has to succeed.
    pub(crate) fn ok(&mut self, input: &Value) -> String {
        let answer = self.ask(input);
        assert!(answer.get("is_error").is_none(), "{input}: {answer}");
        answer["content"].as_str().unwrap().to_owned()
    }

    /// Ends the input and waits for the end of the program.
    pub(crate) fn close(mut self) {
        self.stdin = None;
        assert!(self.child.wait().unwrap().success());
    }
}

pub(crate) fn create(path: &str, text: &str) -> Value {
    json!({ "command": "create", "path": path, "file_text": text })
}
