//! A vault, plain objects and rclone at one place on a server, and one operation by one of them.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, bail, ensure};
use futures_util::future::try_join;
use memoseal::{FileWitness, Key, Store, Vault, VaultOptions, core::Backend};
use memoseal_servers::Server;
use object_store::{ObjectStoreExt as _, PutMode, path::Path};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rclone::Rclone;

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// `object_store`, with the very clients that the library has.
    Bare,
    /// The same, asking for what is not there.
    BareMissing,
    /// memoseal in this process.
    Library,
    /// `rclone rcd`, with a crypt remote over the same bucket.
    Rclone,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Something new of so many bytes is written.
    Create(usize),
    /// The same 4 KiB are read again.
    ViewCached,
    /// 4 KiB are read for the first time.
    View,
    /// A directory of 100 gets another name.
    Rename,
}

pub(crate) const SMALL: usize = 4 << 10;
pub(crate) const LARGE: usize = 100 << 10;

/// The place, with what is open there.
#[derive(Debug)]
pub(crate) struct Scene {
    backend: Backend,
    plain: String,
    vault: Vault,
    /// Has written everything that is there.
    store: Store,
    /// Has been opened since, and read nothing.
    fresh: Store,
    pub(crate) rclone: Option<Rclone>,
    /// Of the witness.
    _folder: TempDir,
}

impl Scene {
    /// A new place on `server`, reached at `endpoint`.
    pub(crate) async fn at(server: &Server, endpoint: &str) -> anyhow::Result<Self> {
        let keys = server.keys();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let prefix = format!("bench/{now:x}");
        let variable = |name: &str| keys.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let url = server.url_of(endpoint, &format!("{prefix}/vault")).parse()?;
        let backend = memoseal_s3::open(&url, variable)?;

        let folder = tempfile::tempdir().context("cannot make a folder for the witness")?;
        let mut options = VaultOptions::default();
        options.witness = Some(Arc::new(FileWitness::new(folder.path().join("witness"))));
        let vault = Vault::create(backend.clone(), Key::raw([7; 32]), options).await?;
        let (store, fresh) = (open(&vault).await?, open(&vault).await?);
        let rclone = Rclone::start(server, endpoint, &format!("{prefix}/rclone")).await?;
        let scene = Self { backend, plain: format!("{prefix}/plain"), vault, store, fresh, rclone, _folder: folder };
        scene.lay().await?;
        Ok(scene)
    }

    /// What is there before anything is measured.
    async fn lay(&self) -> anyhow::Result<()> {
        self.backend.creates().put(&self.object("small"), text(0, SMALL).into()).await?;
        self.ask(&self.store, create("small.md", text(0, SMALL))).await?;
        for i in 0..100 {
            let name = format!("{i}.md");
            self.ask(&self.store, create(&format!("{}/{name}", renamed(0)), text(i, SMALL))).await?;
            if let Some(rclone) = &self.rclone {
                rclone.create(renamed(0), &name, text(i, SMALL)).await?;
            }
        }
        Ok(())
    }

    /// Opens anew what has to have read nothing.
    pub(crate) async fn reopen(&mut self) -> anyhow::Result<()> {
        self.store.settle().await;
        self.fresh = open(&self.vault).await?;
        Ok(())
    }

    /// Does it once, for this round; gives how long it took.
    pub(crate) async fn take(&self, operation: Operation, who: Who, round: usize) -> anyhow::Result<Duration> {
        let name = format!("{round}.md");
        match (operation, who) {
            (Operation::Create(size), Who::Library) => {
                self.ask(&self.store, create(&format!("c{size}/{name}"), text(round, size))).await
            }
            (Operation::Create(size), Who::Bare) => {
                self.create_bare(&format!("c{size}/{name}"), text(round, size)).await
            }
            (Operation::Create(size), Who::Rclone) => {
                self.rclone()?.create(&format!("c{size}"), &name, text(round, size)).await
            }
            (Operation::ViewCached, Who::Library) => self.ask(&self.store, view("small.md")).await,
            (Operation::View, Who::Library) => self.ask(&self.fresh, view(&format!("c{SMALL}/{name}"))).await,
            (Operation::ViewCached, Who::Bare) => timed(self.get("small")).await,
            (Operation::ViewCached, Who::BareMissing) => timed(self.get_missing()).await,
            // What nobody has read since it was written, as for the library.
            (Operation::View, Who::Bare) => {
                let object = format!("c{SMALL}/{name}");
                timed(try_join(self.get(&object), self.get_missing())).await
            }
            (Operation::View | Operation::ViewCached, Who::Rclone) => {
                self.rclone()?.read(&format!("c{SMALL}/{name}"), &text(round, SMALL)).await
            }
            (Operation::Rename, Who::Library) => {
                let [old, new] = [round, round + 1].map(|times| format!("/memories/{}", renamed(times)));
                self.ask(&self.store, json!({ "command": "rename", "old_path": old, "new_path": new })).await
            }
            (Operation::Rename, Who::Rclone) => self.rclone()?.rename(renamed(round), renamed(round + 1)).await,
            _ => bail!("nobody knows how {who:?} would do {operation:?}"),
        }
    }

    /// Gives the library one command, in the form that the memory tool has; an answer that is an error ends the benchmark.
    async fn ask(&self, store: &Store, command: Value) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        let answer = store.handle_message(&command).await;
        let took = begun.elapsed();
        let is_success = answer["content"].is_string() && answer.get("is_error").is_none();
        ensure!(is_success, "{} was answered with {answer}", command["command"]);
        Ok(took)
    }

    async fn create_bare(&self, name: &str, body: String) -> anyhow::Result<Duration> {
        let (path, body) = (self.object(name), body.into());
        timed(async { Ok(self.backend.creates().put_opts(&path, body, PutMode::Create.into()).await?) }).await
    }

    async fn get(&self, name: &str) -> anyhow::Result<()> {
        let bytes = self.backend.rest().get(&self.object(name)).await?.bytes().await?;
        ensure!(bytes.len() == SMALL, "{} bytes instead of {SMALL}", bytes.len());
        Ok(())
    }

    async fn get_missing(&self) -> anyhow::Result<()> {
        match self.backend.rest().get(&self.object("missing")).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => bail!("what nobody wrote is there"),
        }
    }

    fn object(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.plain))
    }

    fn rclone(&self) -> anyhow::Result<&Rclone> {
        self.rclone.as_ref().context("rclone takes no part")
    }
}

async fn open(vault: &Vault) -> anyhow::Result<Store> {
    let mut limits = memoseal::Limits::default();
    limits.store_bytes = u64::MAX;
    limits.files = usize::MAX;
    Ok(vault.user("alice").store("default").limits(limits).open().await?)
}

async fn timed<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    work.await?;
    Ok(begun.elapsed())
}

fn create(path: &str, text: String) -> Value {
    json!({ "command": "create", "path": format!("/memories/{path}"), "file_text": text })
}

fn view(path: &str) -> Value {
    json!({ "command": "view", "path": format!("/memories/{path}") })
}

/// The name of the directory of 100 after it was renamed so often.
fn renamed(times: usize) -> &'static str {
    if times.is_multiple_of(2) { "r-a" } else { "r-b" }
}

/// A text of `size` bytes whose first line names `number`.
fn text(number: usize, size: usize) -> String {
    let mut text = format!("number {number:08}\n");
    text.push_str(&"A line of a memory, as long as lines are.\n".repeat(size / 42 + 1));
    text.truncate(size);
    text
}
