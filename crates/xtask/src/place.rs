//! Where things are: the repository, the target folder, programs on the `PATH`.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

/// The folders that every task works in.
#[derive(Debug)]
pub(crate) struct Place {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    /// The one target folder, for the builds that tasks start too.
    pub(crate) target: PathBuf,
}

impl Place {
    pub(crate) fn find() -> anyhow::Result<Self> {
        // `cargo run` sets the variable; the program alone knows where it was built.
        let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).join("../..").canonicalize().context("the repository is not where it was")?;
        ensure!(root.join("Cargo.lock").is_file(), "{} is not the top of the repository", root.display());
        let target = target_folder()?.unwrap_or_else(|| root.join("target"));
        Ok(Self { root, target })
    }

    /// The folder for what tasks leave behind.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// The program as `cargo build --release` leaves it.
    pub(crate) fn memoseal(&self) -> PathBuf {
        self.target.join("release").join(format!("memoseal{}", env::consts::EXE_SUFFIX))
    }
}

/// The target folder that this very program was built in, whichever way it was configured: cargo tags it.
fn target_folder() -> anyhow::Result<Option<PathBuf>> {
    let program = env::current_exe().context("cannot tell where this program is")?;
    Ok(program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf))
}

/// Whether a program of this name is on the `PATH`.
pub(crate) fn is_installed(program: &str) -> bool {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(&file).is_file()))
}
