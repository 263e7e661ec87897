//! What has to be there before a server can start.

use std::{fs, path::Path};

use anyhow::{Context, bail};

use crate::{place::Place, place::is_installed, tool::Tool};

/// Installs into `folder`, unless it holds `wanted` already.
pub(super) fn into(folder: &Path, wanted: &str, install: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
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

/// Installs Debian packages where `programs` are missing and we are root; tells the command otherwise.
pub(super) fn debian(place: &Place, programs: &[&str], packages: &[&str]) -> anyhow::Result<()> {
    if programs.iter().all(|program| is_installed(program)) {
        return Ok(());
    }
    let command = format!("apt-get install --no-install-recommends {}", packages.join(" "));
    let is_root = is_installed("id") && Tool::new(place, "id").arg("-u").read()?.trim() == "0";
    if !is_root || !is_installed("apt-get") {
        bail!("{} are not all installed: run `sudo {command}`, or what your system has for it", programs.join(", "));
    }
    println!("{} are not all installed, and we are root: running `{command}`", programs.join(", "));
    Tool::new(place, "apt-get").args(["update", "--quiet"]).run()?;
    Tool::new(place, "apt-get")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["install", "--yes", "--quiet", "--no-install-recommends"])
        .args(packages)
        .run()
}
