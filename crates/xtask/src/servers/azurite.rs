//! Azurite: Azure Blob Storage, in memory, with the account that every Azurite has.

use anyhow::ensure;

use super::{
    BUCKET, Ready, install,
    server::{Server, free_port},
};
use crate::{
    place::{Place, is_installed},
    python,
    tool::Tool,
};

/// Later ones need a newer Node.
const AZURITE: &str = "azurite@3.35.0";

pub(super) fn start(place: &Place) -> anyhow::Result<Ready> {
    ensure!(is_installed("npm") && is_installed("node"), "Azurite needs node and npm on the PATH");
    let folder = place.scratch().join("azurite");
    install::into(&folder, AZURITE, || {
        Tool::new(place, "npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"])
            .arg(&folder)
            .arg(AZURITE)
            .run()
    })?;

    let port = free_port()?;
    let tool = Tool::server(place, "node")
        .arg(folder.join("node_modules/azurite/dist/src/blob/main.js"))
        .args(["--blobHost", "127.0.0.1", "--blobPort"])
        .arg(port.to_string())
        .args(["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"]);
    let mut server = Server::start(place, "azurite", port, tool)?;
    // It wants a signature, and says so.
    server.wait("/", "HTTP/1.1 400")?;
    let url = server.url();
    Tool::new(place, python::find()?).args(["localstack/make_container.py", &url, BUCKET]).run()?;
    Ok(Ready {
        suite: "memoseal-azure",
        environment: vec![
            ("AZURITE_BLOB_STORAGE_URL", url.clone()),
            ("MEMOSEAL_TEST_AZURE_URL", format!("az://{BUCKET}/suite?emulator=true")),
        ],
        address: ("MEMOSEAL_TEST_AZURITE", url),
        more: vec![],
        servers: vec![server],
    })
}
