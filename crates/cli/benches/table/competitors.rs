//! Who takes part, and how a command of each is timed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use base64::Engine as _;
use memoseal::{FileWitness, HeadWitness, Key, Store, Vault, VaultOptions};
use object_store::local::LocalFileSystem;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::driver::{Driver, check};

const KEY: [u8; 32] = [7; 32];
const PYTHON: &str = include_str!("tool.py");
const TYPESCRIPT: &str = include_str!("tool.mjs");

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// The file system itself, fsynced.
    Bare,
    /// memoseal in this process.
    Library,
    /// The same, with secrets and personal data looked for.
    #[cfg(feature = "scrub")]
    Scrubbing,
    /// `memoseal tool`.
    Tool,
    /// The memory tool of the official Python SDK.
    Python,
    /// The memory tool of the official TypeScript SDK.
    TypeScript,
}

/// The folder in which everything is measured, and the programs that take part.
#[derive(Debug)]
pub(crate) struct Site {
    folder: TempDir,
    /// Runs what memoseal and `object_store` do in this process. What they do beside the work runs only while one of
    /// their own commands does.
    pub(crate) runtime: Runtime,
    vault: Vault,
    python: Option<PathBuf>,
    /// The folder in which `npm` has installed the SDK.
    typescript: Option<PathBuf>,
}

impl Site {
    /// A site below `scratch`, which lies in cargo's target folder.
    pub(crate) fn new(scratch: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in(scratch).context("cannot make a folder to measure in")?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        fs::write(folder.path().join("tool.py"), PYTHON)?;
        fs::write(folder.path().join("tool.mjs"), TYPESCRIPT)?;
        let url = folder.path().join("vault").display().to_string();
        let vault = runtime.block_on(memoseal::create_with(&url, Key::raw(KEY), options(folder.path())))?;
        // What `cargo xtask bench` installs.
        let installed = scratch.parent().map(|target| target.join("xtask")).unwrap_or_default();
        let python = ["bin/python", "Scripts/python.exe"].map(|path| installed.join("python-venv").join(path));
        let typescript = installed.join("typescript");
        let has_typescript = typescript.join("node_modules/@anthropic-ai/sdk").is_dir();
        Ok(Self {
            folder,
            runtime,
            vault,
            python: python.into_iter().find(|python| python.is_file()),
            typescript: has_typescript.then_some(typescript),
        })
    }

    /// What does not take part, and why.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let why = |name: &str| format!("{name} is left out: it is not installed (`cargo xtask bench` installs it).");
        let python = self.python.is_none().then(|| why("The Python tool"));
        python.into_iter().chain(self.typescript.is_none().then(|| why("The TypeScript tool"))).collect()
    }

    /// Where plain files of this name lie.
    pub(crate) fn plain(&self, name: &str) -> PathBuf {
        self.folder.path().join("plain").join(name)
    }

    /// A plain folder as `object_store` keeps it, with fsync.
    pub(crate) fn bare(&self, name: &str) -> anyhow::Result<LocalFileSystem> {
        Ok(LocalFileSystem::new_with_prefix(self.plain(name).join("memories"))?.with_fsync(true))
    }

    /// A store of the vault, opened in this process; `vault` is given to open it cold.
    pub(crate) fn library(&self, user: &str) -> anyhow::Result<Library<'_>> {
        Ok(Library { site: self, store: self.runtime.block_on(open(&self.vault, user))? })
    }

    /// The same with a scrubber, and the policy that looks for most.
    #[cfg(feature = "scrub")]
    pub(crate) fn scrubbing_library(&self, user: &str) -> anyhow::Result<Library<'_>> {
        let url = self.folder.path().join("vault").display().to_string();
        let mut options = options(self.folder.path());
        options.scrubber = Some(Arc::new(memoseal::scrub::Scrubber::default()));
        let store = self.runtime.block_on(async {
            let store = open(&memoseal::open_with(&url, Key::raw(KEY), options).await?, user).await?;
            store.set_scrub_policy(memoseal::scrub::to_log(&memoseal::scrub::Policy::all())).await?;
            anyhow::Ok(store)
        })?;
        Ok(Library { site: self, store })
    }

    /// Opens vault and store anew, and asks one thing.
    pub(crate) fn open(&self, user: &str, command: &Value) -> anyhow::Result<Duration> {
        let url = self.folder.path().join("vault").display().to_string();
        let (took, answer) = self.runtime.block_on(async {
            let begun = Instant::now();
            let vault = memoseal::open_with(&url, Key::raw(KEY), options(self.folder.path())).await?;
            let answer = open(&vault, user).await?.handle_message(command).await;
            anyhow::Ok((begun.elapsed(), answer))
        })?;
        check(command, &answer)?;
        Ok(took)
    }

    /// The tool of `who` over the store, or the plain folder, of this name; nothing if it is not a tool that is here.
    pub(crate) fn driver(&self, who: Who, name: &str) -> anyhow::Result<Option<Driver>> {
        let mut command = match (who, &self.python, &self.typescript) {
            (Who::Tool, ..) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_memoseal"));
                command.args(["--user", name, "tool"]);
                command.env("MEMOSEAL_VAULT", self.folder.path().join("vault"));
                command.env("MEMOSEAL_KEY", base64::engine::general_purpose::STANDARD.encode(KEY));
                command.env("MEMOSEAL_STATE_DIR", self.folder.path().join("state"));
                command
            }
            (Who::Python, Some(python), _) => {
                let mut command = Command::new(python);
                command.arg("tool.py").arg(self.plain(name));
                command
            }
            (Who::TypeScript, _, Some(installed)) => {
                let mut command = Command::new("node");
                command.arg("tool.mjs").arg(self.plain(name)).arg(installed);
                command
            }
            _ => return Ok(None),
        };
        command.current_dir(self.folder.path());
        Driver::start(command).map(Some)
    }
}

fn options(folder: &Path) -> VaultOptions {
    let mut options = VaultOptions::default();
    let witness: Arc<dyn HeadWitness> = Arc::new(FileWitness::new(folder.join("state/witness")));
    options.witness = Some(witness);
    options
}

async fn open(vault: &Vault, user: &str) -> memoseal::Result<Store> {
    let mut limits = memoseal::Limits::default();
    limits.files = usize::MAX;
    vault.user(user).store("default").limits(limits).open().await
}

/// A store that is open in this process.
#[derive(Debug)]
pub(crate) struct Library<'a> {
    site: &'a Site,
    pub(crate) store: Store,
}

impl Library<'_> {
    /// Gives it one command, in the form that the tools take too.
    pub(crate) fn ask(&self, command: &Value) -> anyhow::Result<Duration> {
        let (took, answer) = self.site.runtime.block_on(async {
            let begun = Instant::now();
            let answer = self.store.handle_message(command).await;
            (begun.elapsed(), answer)
        });
        check(command, &answer)?;
        Ok(took)
    }
}
