//! A child process that answers commands: a JSON line in, a JSON line out. Every tool is driven the same way, so that
//! pipes and JSON are part of each.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

/// A process that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Driver {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Driver {
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("a process was started without its pipes");
        };
        Ok(Self { child, questions: Some(questions), answers: BufReader::new(answers) })
    }

    /// Gives it one command; an answer that is an error ends the benchmark.
    pub(crate) fn ask(&mut self, command: &Value) -> anyhow::Result<Duration> {
        let mut line = command.to_string();
        line.push('\n');
        let mut answer = String::new();
        let begun = Instant::now();
        let questions = self.questions.as_mut().context("the process was told to end")?;
        questions.write_all(line.as_bytes())?;
        questions.flush()?;
        self.answers.read_line(&mut answer)?;
        let took = begun.elapsed();
        check(command, &serde_json::from_str(&answer).context("a tool ended, or answered with no JSON")?)?;
        Ok(took)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It ends when its input does. That it may have ended already is no matter here.
        self.questions.take();
        let _ = self.child.wait();
    }
}

/// An answer that is an error says that the benchmark does not measure what it means to.
pub(crate) fn check(command: &Value, answer: &Value) -> anyhow::Result<()> {
    let is_success = answer["content"].is_string() && answer.get("is_error").is_none();
    ensure!(is_success, "{} was answered with {answer}", command["command"]);
    Ok(())
}
