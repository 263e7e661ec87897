//! One run of another program, shown as a line before it starts.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};

use anyhow::{Context, ensure};

use crate::place::{Place, is_installed};

/// A program with its arguments and what is set for it in the environment.
///
/// It stays in our process group, so that Ctrl-C reaches it as well. Where `setpriv` is installed, the kernel ends it
/// when we have ended.
#[derive(Debug)]
pub(crate) struct Tool {
    command: Command,
    line: String,
}

impl Tool {
    pub(crate) fn new(place: &Place, program: impl AsRef<OsStr>) -> Self {
        Self::ended_by("TERM", place, program.as_ref())
    }

    /// A server, which is killed when we end: some take Ctrl-C for a wish to wait for their clients.
    pub(crate) fn server(place: &Place, program: impl AsRef<OsStr>) -> Self {
        Self::ended_by("KILL", place, program.as_ref())
    }

    fn ended_by(signal: &str, place: &Place, program: &OsStr) -> Self {
        let mut command = match cfg!(target_os = "linux") && is_installed("setpriv") {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--pdeathsig", signal, "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        command.current_dir(&place.root).env("CARGO_TARGET_DIR", &place.target).stdin(Stdio::null());
        Self { command, line: format!("$ {}", program.display()) }
    }

    /// The cargo that runs us.
    pub(crate) fn cargo<A: AsRef<OsStr>>(place: &Place, arguments: impl IntoIterator<Item = A>) -> Self {
        let mut tool = Self::new(place, env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        tool.line = "$ cargo".into();
        tool.args(arguments)
    }

    pub(crate) fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        for argument in arguments {
            self.line = format!("{} {}", self.line, argument.as_ref().display());
            self.command.arg(argument);
        }
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.line = self.line.replacen("$ ", &format!("$ {name}={} ", shown(value.as_ref())), 1);
        self.command.env(name, value);
        self
    }

    /// Adds flags to those which a variable already holds.
    pub(crate) fn flags(self, name: &str, flags: &str) -> Self {
        let mut value = env::var_os(name).unwrap_or_default();
        if !value.is_empty() {
            value.push(" ");
        }
        value.push(flags);
        self.env(name, value)
    }

    /// Runs it to its end; an error if that is not a success.
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        println!("{}", self.line);
        let status = self.command.status().with_context(|| format!("cannot start: {}", self.line))?;
        check(&self.line, status)
    }

    /// Runs it with all that it prints going to a file.
    pub(crate) fn run_into(mut self, file: &Path) -> anyhow::Result<()> {
        println!("{} >{}", self.line, file.display());
        let output = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
        let errors = output.try_clone().with_context(|| format!("cannot write {}", file.display()))?;
        let status = self.command.stdout(output).stderr(errors).status();
        check(&self.line, status.with_context(|| format!("cannot start: {}", self.line))?)
    }

    /// Starts it, with all that it prints going to a file, and does not wait.
    pub(crate) fn start(mut self, output: File) -> anyhow::Result<Child> {
        println!("{} &", self.line);
        let errors = output.try_clone().context("cannot open a log twice")?;
        let child = self.command.stdout(output).stderr(errors).spawn();
        child.with_context(|| format!("cannot start: {}", self.line))
    }

    /// Runs it and returns what it printed; what it says to stderr is shown.
    pub(crate) fn read(mut self) -> anyhow::Result<String> {
        let output = self.command.stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("cannot start: {}", self.line))?;
        check(&self.line, output.status)?;
        String::from_utf8(output.stdout).with_context(|| format!("did not print UTF-8: {}", self.line))
    }
}

/// The last lines of a log, for an error: who reads of a failure in CI cannot open the file.
pub(crate) fn end_of(log: &Path) -> String {
    const LINES: usize = 30;
    let name = log.display();
    match fs::read(log) {
        Ok(printed) => {
            let printed = String::from_utf8_lossy(&printed);
            let lines: Vec<_> = printed.lines().collect();
            let last = &lines[lines.len().saturating_sub(LINES)..];
            format!("the end of {name}:\n    {}", last.join("\n    "))
        }
        Err(error) => format!("its log {name} cannot be read: {error}"),
    }
}

fn check(line: &str, status: ExitStatus) -> anyhow::Result<()> {
    ensure!(status.success(), "failed ({status}): {line}");
    Ok(())
}

fn shown(value: &OsStr) -> String {
    let value = OsString::from(value).to_string_lossy().into_owned();
    if value.contains(' ') { format!("'{value}'") } else { value }
}
