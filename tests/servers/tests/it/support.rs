//! A vault on a server, behind a proxy.

use std::collections::BTreeMap;

use memoseal_servers::{Program, Server};
use memoseal_testproxy::Proxy;
use serde_json::{Value, json};

pub(crate) struct Scene {
    pub(crate) proxy: Proxy,
    pub(crate) program: Program,
}

impl Scene {
    /// A new vault on the server of this name; nothing if there is no such server today.
    pub(crate) async fn on(name: &str) -> Option<Self> {
        let scene = Self::without_vault(name).await?;
        scene.program.init().await.unwrap().ok();
        Some(scene)
    }

    pub(crate) async fn without_vault(name: &str) -> Option<Self> {
        let server = Server::named(name)?;
        let proxy = server.proxy().await.unwrap();
        let place = server.place(&proxy);
        let program = Program::at(&server, &proxy, place).unwrap()?;
        Some(Self { proxy, program })
    }

    /// The files of a user, as a process that starts now exports them.
    pub(crate) async fn files(&self, user: &str) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        self.program.run(&["export", out.to_str().unwrap(), "--user", user]).await.unwrap().ok();
        let mut files = BTreeMap::new();
        let mut folders = vec![out.join("memories")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(out.join("memories")).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, std::fs::read_to_string(path).unwrap());
                }
            }
        }
        files
    }

    /// An inspection that reads everything finds nothing.
    pub(crate) async fn verify(&self) {
        let ended = self.program.run(&["verify", "--read-data"]).await.unwrap();
        assert!(ended.stdout.contains("no damage found"), "{ended:?}");
        ended.ok();
    }
}

pub(crate) fn create(path: &str, text: &str) -> Value {
    json!({ "command": "create", "path": format!("/memories/{path}"), "file_text": text })
}

pub(crate) fn insert(path: &str, text: &str) -> Value {
    json!({ "command": "insert", "path": format!("/memories/{path}"), "insert_line": 0, "insert_text": text })
}

pub(crate) fn view(path: &str) -> Value {
    json!({ "command": "view", "path": format!("/memories/{path}") })
}

/// What was said of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Done,
    NotDone,
    Unknown,
}

pub(crate) fn said(answer: &Result<String, String>) -> Said {
    match answer {
        Ok(_) => Said::Done,
        Err(text) if text.contains("not known whether this change was saved") => Said::Unknown,
        Err(text) if text.contains("nothing was changed") => Said::NotDone,
        Err(text) => panic!("an answer that nobody expects: {text}"),
    }
}
