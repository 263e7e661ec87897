//! Servers that speak the protocols of the clouds, installed under the target folder and started without Docker, and
//! the shared suite against each.

use std::{
    env,
    fs::{self, File},
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::{
    place::{Place, is_installed},
    python,
    steps::Done,
    tool::Tool,
};

/// LocalStack with everything that it needs, as it was seen to work.
const LOCALSTACK: &str = "localstack/requirements.txt";
/// Later ones need a newer Node.
const AZURITE: &str = "azurite@3.35.0";
/// The bucket, or container, that is made in each.
const BUCKET: &str = "memoseal";
/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(120);

/// The suites of all backends whose server can be installed here; the others are named.
pub(crate) fn run(place: &Place) -> anyhow::Result<Done> {
    let mut missing = Vec::new();
    match find_python() {
        Some(python) => s3(place, &python)?,
        None => missing.push("S3 (LocalStack needs Python 3.13 with venv and pip)"),
    }
    match (is_installed("npm") && is_installed("node"), python::find()) {
        (true, Ok(python)) => azure(place, &python)?,
        _ => missing.push("Azure (Azurite needs node and npm, and its container python3)"),
    }
    if missing.is_empty() {
        return Ok(Done::Passed);
    }
    let missing = format!("not tested: {}", missing.join(", "));
    ensure!(env::var("MEMOSEAL_TEST_REQUIRE_SERVERS").as_deref() != Ok("1"), "{missing}");
    Ok(Done::Skipped(missing))
}

fn s3(place: &Place, python: &Path) -> anyhow::Result<()> {
    let folder = place.scratch().join("localstack");
    let wanted = fs::read_to_string(place.root.join(LOCALSTACK)).with_context(|| format!("no {LOCALSTACK}"))?;
    let program = folder.join("bin/python");
    installed(&folder, &wanted, || {
        Tool::new(place, python).args(["-m", "venv"]).arg(&folder).run()?;
        Tool::new(place, &program).args(["-m", "pip", "install", "--quiet", "--requirement", LOCALSTACK]).run()
    })?;

    let port = free_port()?;
    let tool = Tool::new(place, &program)
        .args(["-m", "localstack.runtime.main"])
        .env("SERVICES", "s3,kms,sts")
        .env("EAGER_SERVICE_LOADING", "1")
        // The default server listens on every address, whatever it is told.
        .env("GATEWAY_SERVER", "hypercorn")
        .env("GATEWAY_LISTEN", format!("127.0.0.1:{port}"))
        .env("DNS_ADDRESS", "0")
        .env("DISABLE_EVENTS", "1")
        .env("SKIP_SSL_CERT_DOWNLOAD", "1")
        .env("LOCALSTACK_VOLUME_DIR", place.scratch().join("localstack-volume"))
        .env("PERSISTENCE", "0")
        .env("DISABLE_UPDATES", "1");
    let mut server = Server::start(place, "localstack", port, tool)?;
    server.wait("/_localstack/health", "\"s3\": \"running\"")?;
    let answer = server.ask("PUT", &format!("/{BUCKET}"))?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "LocalStack made no bucket: {answer}: see {}", server.log.display());

    let url = format!("s3://{BUCKET}/suite?endpoint=http://127.0.0.1:{port}&allow_http=true");
    suite(place, "memoseal-s3")
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test")
        .env("MEMOSEAL_TEST_S3_URL", url)
        .run()
}

fn azure(place: &Place, python: &Path) -> anyhow::Result<()> {
    let folder = place.scratch().join("azurite");
    installed(&folder, AZURITE, || {
        Tool::new(place, "npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"])
            .arg(&folder)
            .arg(AZURITE)
            .run()
    })?;

    let port = free_port()?;
    let tool = Tool::new(place, "node")
        .arg(folder.join("node_modules/azurite/dist/src/blob/main.js"))
        .args(["--blobHost", "127.0.0.1", "--blobPort"])
        .arg(port.to_string())
        .args(["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"]);
    let mut server = Server::start(place, "azurite", port, tool)?;
    // It wants a signature, and says so.
    server.wait("/", "HTTP/1.1 400")?;
    let address = format!("http://127.0.0.1:{port}");
    Tool::new(place, python).args(["localstack/make_container.py", &address, BUCKET]).run()?;

    suite(place, "memoseal-azure")
        .env("AZURITE_BLOB_STORAGE_URL", address)
        .env("MEMOSEAL_TEST_AZURE_URL", format!("az://{BUCKET}/suite?emulator=true"))
        .run()
}

/// The tests of a backend, which fail if the server is not named.
fn suite(place: &Place, package: &str) -> Tool {
    let tool = match is_installed("cargo-nextest") {
        true => Tool::cargo(place, ["nextest", "run", "--no-fail-fast", "--package", package]),
        false => Tool::cargo(place, ["test", "--tests", "--package", package]),
    };
    tool.env("MEMOSEAL_TEST_REQUIRE_SERVERS", "1")
}

/// Installs into `folder`, unless it holds `wanted` already.
fn installed(folder: &Path, wanted: &str, install: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    // The stamp is written last: a folder that was left half made has none.
    let stamp = folder.join("memoseal-installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|held| held == wanted) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    install()?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// The Python that LocalStack's packages are pinned for. With pyenv the one on the `PATH` may be a shim that fails.
fn find_python() -> Option<PathBuf> {
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".pyenv")));
    let versions = root.and_then(|root| fs::read_dir(root.join("versions")).ok()).into_iter().flatten().flatten();
    let pythons = versions.map(|version| version.path().join("bin/python3.13"));
    let mut all = ["python3.13", "python3"].map(PathBuf::from).into_iter().chain(pythons);
    all.find(|python| python::version(python) == Some((3, 13, true)))
}

/// A port that nobody listens on.
fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port on the loopback address")?;
    Ok(listener.local_addr().context("a port without a number")?.port())
}

/// A server that runs until this goes away.
struct Server {
    name: &'static str,
    port: u16,
    log: PathBuf,
    process: Child,
}

impl Server {
    fn start(place: &Place, name: &'static str, port: u16, tool: Tool) -> anyhow::Result<Self> {
        let log = place.scratch().join(format!("{name}.log"));
        let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        Ok(Self { name, port, log, process: tool.start(output)? })
    }

    /// Waits until the answer to a GET holds `sign`.
    fn wait(&mut self, path: &str, sign: &str) -> anyhow::Result<()> {
        let start = Instant::now();
        loop {
            if self.ask("GET", path).is_ok_and(|answer| answer.contains(sign)) {
                println!("{} answers on port {} after {:.1} s", self.name, self.port, start.elapsed().as_secs_f64());
                return Ok(());
            }
            let ended = self.process.try_wait().with_context(|| format!("cannot look after {}", self.name))?;
            if let Some(status) = ended {
                bail!("{} ended ({status}): see {}", self.name, self.log.display());
            }
            if start.elapsed() > PATIENCE {
                bail!("{} does not answer after {PATIENCE:?}: see {}", self.name, self.log.display());
            }
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// One request without a body, and all of the answer.
    fn ask(&self, method: &str, path: &str) -> anyhow::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let host = format!("127.0.0.1:{}", self.port);
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

/// Ends this one process, by its handle. The servers hold nothing that has to be kept.
impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.process.kill().and_then(|()| self.process.wait()) {
            eprintln!("{} (process {}) could not be ended: {error}", self.name, self.process.id());
        }
    }
}
