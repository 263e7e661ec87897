//! A folder under the target folder that holds the official TypeScript SDK, for the benchmark.

use std::fs;

use anyhow::{Context, bail};

use crate::{
    place::{Place, is_installed},
    tool::Tool,
};

const PINNED: &str = "tests/typescript";
const FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// Installs what is pinned, where it is missing or something else is installed.
pub(crate) fn install(place: &Place) -> anyhow::Result<()> {
    if !is_installed("node") || !is_installed("npm") {
        bail!("node and npm are not both on the PATH (on Debian: apt-get install nodejs npm)");
    }
    let folder = place.scratch().join("typescript");
    let stamp = folder.join("installed.json");
    let [manifest, lock] = FILES.map(|name| fs::read_to_string(place.root.join(PINNED).join(name)));
    let (manifest, lock) =
        (manifest.with_context(|| format!("no {PINNED}"))?, lock.with_context(|| format!("no lock in {PINNED}"))?);
    // The stamp is written last: a folder that was left half made has none.
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, text) in FILES.into_iter().zip([&manifest, &lock]) {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write into {}", folder.display()))?;
    }
    Tool::new(place, "npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder)
        .run()?;
    fs::write(&stamp, lock).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(())
}
