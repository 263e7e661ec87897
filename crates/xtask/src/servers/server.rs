//! A server that runs until it is let go.

use std::{
    fs::File,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::Child,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::{
    place::Place,
    tool::{Tool, end_of},
};

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(120);

/// A port that nobody listens on.
pub(super) fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port on the loopback address")?;
    Ok(listener.local_addr().context("a port without a number")?.port())
}

/// One process that listens on a port of 127.0.0.1.
#[derive(Debug)]
pub(super) struct Server {
    name: &'static str,
    port: u16,
    pub(super) log: PathBuf,
    process: Child,
}

impl Server {
    pub(super) fn start(place: &Place, name: &'static str, port: u16, tool: Tool) -> anyhow::Result<Self> {
        let log = place.scratch().join(format!("{name}.log"));
        let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        Ok(Self { name, port, log, process: tool.start(output)? })
    }

    /// Whether the tests that kill servers leave this one alone.
    pub(super) fn is_left_to_itself(&self) -> bool {
        !["ceph-osd", "radosgw"].contains(&self.name)
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until the answer to a GET holds `sign`.
    pub(super) fn wait(&mut self, path: &str, sign: &str) -> anyhow::Result<()> {
        self.wait_until(|server| server.ask("GET", path, "").is_ok_and(|answer| answer.contains(sign)))
    }

    /// Waits until it accepts connections.
    pub(super) fn wait_for_port(&mut self) -> anyhow::Result<()> {
        self.wait_until(|server| TcpStream::connect(("127.0.0.1", server.port)).is_ok())
    }

    fn wait_until(&mut self, is_ready: impl Fn(&Self) -> bool) -> anyhow::Result<()> {
        let start = Instant::now();
        loop {
            if is_ready(self) {
                println!("{} answers on port {} after {:.1} s", self.name, self.port, start.elapsed().as_secs_f64());
                return Ok(());
            }
            let ended = self.process.try_wait().with_context(|| format!("cannot look after {}", self.name))?;
            if let Some(status) = ended {
                bail!("{} ended ({status}); {}", self.name, end_of(&self.log));
            }
            if start.elapsed() > PATIENCE {
                bail!("{} does not answer after {PATIENCE:?}; {}", self.name, end_of(&self.log));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// One request, and all of the answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> anyhow::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let (port, length) = (self.port, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Asks for something to be made, which has to succeed.
    pub(super) fn make(&self, method: &str, path: &str, body: &str) -> anyhow::Result<()> {
        let answer = self.ask(method, path, body)?;
        let is_made = answer.starts_with("HTTP/1.1 200");
        ensure!(is_made, "{} refused {method} {path}: {answer}; {}", self.name, end_of(&self.log));
        Ok(())
    }
}

/// Ends this one process, by its handle. What the servers hold need not be kept.
impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.process.kill().and_then(|()| self.process.wait()) {
            eprintln!("{} (process {}) could not be ended: {error}", self.name, self.process.id());
        }
    }
}
