//! LocalStack: S3, KMS and STS, in memory, with any credentials.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::{
    BUCKET, KMS, Ready, install,
    server::{Server, free_port},
};
use crate::{place::Place, python, tool::Tool};

/// LocalStack 4.14.0 with everything that it needs, as it was seen to work.
const REQUIREMENTS: &str = "localstack/requirements.txt";

pub(super) fn start(place: &Place) -> anyhow::Result<Ready> {
    let python = find_python().context("LocalStack needs Python 3.13 with venv and pip, on the PATH or of pyenv")?;
    let folder = place.scratch().join("localstack");
    let wanted = fs::read_to_string(place.root.join(REQUIREMENTS)).with_context(|| format!("no {REQUIREMENTS}"))?;
    let program = folder.join("bin/python");
    install::into(&folder, &wanted, || {
        Tool::new(place, python).args(["-m", "venv"]).arg(&folder).run()?;
        Tool::new(place, &program).args(["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS]).run()
    })?;

    let port = free_port()?;
    let tool = Tool::server(place, &program)
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
    server.make("PUT", &format!("/{BUCKET}"), "")?;
    let url = server.url();
    Ok(Ready {
        suite: "memoseal-s3",
        environment: vec![
            ("AWS_ACCESS_KEY_ID", "test".into()),
            ("AWS_SECRET_ACCESS_KEY", "test".into()),
            (KMS, url.clone()),
            ("MEMOSEAL_TEST_S3_URL", format!("s3://{BUCKET}/suite?endpoint={url}&allow_http=true")),
        ],
        address: ("MEMOSEAL_TEST_LOCALSTACK", url),
        more: vec![],
        servers: vec![server],
    })
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
