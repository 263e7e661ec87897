//! A running rclone with a crypt remote, asked over HTTP on the loopback address: so the start of a process is no part of
//! what is timed, and connections to the server are kept.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, header::CONTENT_TYPE};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use memoseal_servers::Server;
use serde_json::{Value, json};

/// How long it may take until it answers.
const PATIENCE: Duration = Duration::from_secs(20);

/// The crypt remote.
const SEALED: &str = "sealed:";

/// A process that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Rclone {
    child: Child,
    client: Client<HttpConnector, Full<Bytes>>,
    url: String,
    /// What it says of itself.
    pub(crate) version: String,
}

impl Rclone {
    /// Over what lies below `prefix`; nothing if rclone is not installed.
    pub(crate) async fn start(server: &Server, endpoint: &str, prefix: &str) -> anyhow::Result<Option<Self>> {
        let Ok(version) = said(Command::new("rclone").arg("version")) else { return Ok(None) };
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("rclone");
        // Nothing of ours but where programs and its home are: it reads much from the environment.
        command.env_clear().envs(["PATH", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        // Without a password: who asks would else pay for the check of it in every request.
        command.args(["rcd", "--config", "", "--rc-no-auth", "--rc-serve", "--rc-addr", &format!("127.0.0.1:{port}")]);
        for (name, value) in [
            ("PLAIN_TYPE", "s3"),
            ("PLAIN_PROVIDER", "Other"),
            ("PLAIN_ENV_AUTH", "true"),
            ("PLAIN_REGION", "us-east-1"),
            // As for Amazon; listings of the first version would be counted as reads.
            ("PLAIN_LIST_VERSION", "2"),
            ("PLAIN_ENDPOINT", endpoint),
            // The bucket is there; whether it is would else be asked before the first write.
            ("PLAIN_NO_CHECK_BUCKET", "true"),
            ("SEALED_TYPE", "crypt"),
            ("SEALED_REMOTE", &format!("plain:{}/{prefix}", server.bucket())),
            ("SEALED_PASSWORD", said(Command::new("rclone").args(["obscure", "not a secret"]))?.trim()),
        ] {
            command.env(format!("RCLONE_CONFIG_{name}"), value);
        }
        let child = command.envs(server.keys()).stdin(Stdio::null()).spawn().context("cannot start rclone")?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let version = version.lines().next().unwrap_or("rclone").to_owned();
        let rclone = Self { child, client, url: format!("http://127.0.0.1:{port}"), version };
        let begun = Instant::now();
        while let Err(error) = rclone.call("rc/noop", &json!({})).await {
            if begun.elapsed() > PATIENCE {
                return Err(error.context(format!("rclone does not answer after {PATIENCE:?}")));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(Some(rclone))
    }

    /// Writes a file into a directory.
    pub(crate) async fn create(&self, directory: &str, name: &str, text: String) -> anyhow::Result<Duration> {
        const BOUNDARY: &str = "the-end-of-a-part";
        let body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n{text}\r\n--{BOUNDARY}--\r\n"
        );
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let target = format!("operations/uploadfile?fs={SEALED}&remote={directory}");
        let begun = Instant::now();
        self.send(Method::POST, &target, &kind, body.into()).await?;
        Ok(begun.elapsed())
    }

    /// Reads a file, which has to hold this.
    pub(crate) async fn read(&self, path: &str, text: &str) -> anyhow::Result<Duration> {
        let target = format!("%5B{SEALED}%5D/{path}");
        let begun = Instant::now();
        let read = self.send(Method::GET, &target, "text/plain", Bytes::new()).await?;
        let took = begun.elapsed();
        ensure!(read == text.as_bytes(), "rclone read {} bytes of {path} that are not what was written", read.len());
        Ok(took)
    }

    /// Moves a directory.
    pub(crate) async fn rename(&self, old: &str, new: &str) -> anyhow::Result<Duration> {
        let [old, new] = [old, new].map(|name| format!("{SEALED}{name}"));
        let begun = Instant::now();
        self.call("sync/move", &json!({ "srcFs": old, "dstFs": new })).await?;
        Ok(begun.elapsed())
    }

    async fn call(&self, command: &str, arguments: &Value) -> anyhow::Result<()> {
        self.send(Method::POST, command, "application/json", arguments.to_string().into()).await.map(|_| ())
    }

    async fn send(&self, method: Method, target: &str, kind: &str, body: Bytes) -> anyhow::Result<Bytes> {
        let request = Request::builder().method(method).uri(format!("{}/{target}", self.url));
        let request = request.header(CONTENT_TYPE, kind).body(Full::new(body))?;
        let answer = self.client.request(request).await.context("rclone does not answer")?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            bail!("rclone answered {target} with {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok(body)
    }
}

impl Drop for Rclone {
    fn drop(&mut self) {
        // That it may have ended already is no matter here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn said(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} ended with {}", command.get_program().display(), output.status);
    Ok(String::from_utf8(output.stdout)?)
}
