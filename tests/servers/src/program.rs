//! The real program, with nothing in its environment but what it is told.

use std::{
    io,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use memoseal_testproxy::Proxy;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use crate::{Server, variable_of};

/// The program on one vault.
#[derive(Debug)]
pub struct Program {
    program: PathBuf,
    vault: String,
    environment: Vec<(&'static str, String)>,
    folder: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The exit code; -1 if a signal ended it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
    /// How long it took.
    pub time: Duration,
}

impl Ended {
    /// What it printed; it has to have succeeded.
    ///
    /// # Panics
    ///
    /// It did not.
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }
}

impl Program {
    /// The program at a new place on `server`, reached through `proxy`, without a vault yet. Nothing if the program was
    /// not named.
    ///
    /// # Errors
    ///
    /// No temporary folder.
    pub fn at(server: &Server, proxy: &Proxy, vault: String) -> io::Result<Option<Self>> {
        let Some(program) = variable_of("MEMOSEAL_BIN") else { return Ok(None) };
        let folder = tempfile::tempdir()?;
        Ok(Some(Self { program: program.into(), vault, environment: server.environment(proxy), folder }))
    }

    /// The URL of its vault.
    pub fn vault(&self) -> &str {
        &self.vault
    }

    /// A run of it, not yet started. It ends when it is let go.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("MEMOSEAL_VAULT", &self.vault).env("MEMOSEAL_KEY_FILE", self.folder.path().join("key"));
        command.env("MEMOSEAL_STATE_DIR", self.folder.path().join("state"));
        command.envs(self.environment.iter().map(|(name, value)| (name, value))).args(arguments);
        command
    }

    /// Runs it to its end.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub async fn run(&self, arguments: &[&str]) -> io::Result<Ended> {
        self.run_with(arguments, b"").await
    }

    /// Runs it to its end with this on stdin.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub async fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> io::Result<Ended> {
        let start = Instant::now();
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that refuses to start does not read.
            let _ = pipe.write_all(stdin).await;
        }
        let output = child.wait_with_output().await?;
        Ok(Ended {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            time: start.elapsed(),
        })
    }

    /// Makes the vault.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub async fn init(&self) -> io::Result<Ended> {
        let key = self.folder.path().join("key");
        let _ = std::fs::remove_file(&key);
        self.run(&["init", "--generate-key", &key.display().to_string()]).await
    }

    /// `memoseal tool`, for this user.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn tool(&self, user: &str) -> io::Result<Tool> {
        let mut child =
            self.command(&["tool", "--user", user]).stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let missing = || io::Error::other("no pipe to the program");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(missing)?).lines();
        Ok(Tool { child, stdin, stdout })
    }
}

/// A run of `memoseal tool`.
#[derive(Debug)]
pub struct Tool {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Tool {
    /// Sends a turn of calls, and waits for their results.
    ///
    /// # Errors
    ///
    /// The program is gone, or answers otherwise.
    pub async fn turn(&mut self, calls: &[Value]) -> io::Result<Vec<Value>> {
        let block =
            |(n, input)| json!({ "type": "tool_use", "id": format!("toolu_{n}"), "name": "memory", "input": input });
        let blocks: Vec<_> = calls.iter().enumerate().map(block).collect();
        self.stdin.write_all(format!("{}\n", json!(blocks)).as_bytes()).await?;
        let gone = || io::Error::other("the program is gone");
        let line = self.stdout.next_line().await?.ok_or_else(gone)?;
        let results: Vec<Value> = serde_json::from_str(&line)?;
        if results.len() != calls.len() {
            return Err(io::Error::other(format!("{} calls were answered with {line}", calls.len())));
        }
        Ok(results)
    }

    /// Sends one call; its text, as an error if it is one.
    ///
    /// # Errors
    ///
    /// As of [`turn`](Self::turn).
    pub async fn call(&mut self, input: Value) -> io::Result<Result<String, String>> {
        let results = self.turn(&[input]).await?;
        Ok(text(&results[0]))
    }

    /// Closes its stdin and waits until it has ended.
    ///
    /// # Errors
    ///
    /// It does not end well.
    pub async fn end(mut self) -> io::Result<()> {
        drop(self.stdin);
        match self.child.wait().await? {
            status if status.success() => Ok(()),
            status => Err(io::Error::other(format!("memoseal tool ended with {status}"))),
        }
    }
}

/// The text of a tool result, as an error if it is one.
pub fn text(result: &Value) -> Result<String, String> {
    let content = &result["content"];
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    if result["is_error"] == true { Err(text) } else { Ok(text) }
}
