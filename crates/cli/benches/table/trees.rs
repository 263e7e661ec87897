//! The memories that all competitors begin with.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail, ensure};

use crate::competitors::Site;

/// Files by their path below `/memories`.
pub(crate) type Tree = Vec<(String, String)>;

/// As many memories are written in one turn.
const TURN: usize = 250;

/// A text of 4 KiB whose first line names `number`.
pub(crate) fn text(number: usize) -> String {
    let mut text = format!("number {number:08}\n");
    text.push_str(&"A line of a memory, as long as lines are.\n".repeat(98));
    text.truncate(4096);
    text
}

/// `size` memories in directories of ten. The first few are 4 KiB, so that they can be viewed, the rest a line.
pub(crate) fn of_size(size: usize) -> Tree {
    let content = |i| if i < 10 { text(i) } else { "A line.\n".to_owned() };
    (0..size).map(|i| (format!("{:05}/{i}.md", i / 10), content(i))).collect()
}

/// Lays a tree down as plain files.
pub(crate) fn lay_plain(site: &Site, name: &str, tree: &Tree) -> anyhow::Result<()> {
    let root = site.plain(name).join("memories");
    fs::create_dir_all(&root)?;
    for (path, text) in tree {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&root))?;
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Lays a tree down as the memories of a user.
pub(crate) fn lay_sealed(site: &Site, user: &str, tree: &Tree) -> anyhow::Result<()> {
    let store = site.library(user)?.store;
    site.runtime.block_on(async {
        for turn in tree.chunks(TURN) {
            let create = |(path, text): &(String, String)| memoseal::Command::Create {
                path: format!("/memories/{path}"),
                file_text: text.clone(),
            };
            for answer in store.execute_turn(turn.iter().map(create).collect()).await {
                ensure!(!answer?.is_error(), "a memory could not be made");
            }
        }
        store.settle().await;
        Ok(())
    })
}

/// Writes everything that was laid down to the disk, so that it is no part of what is timed next.
pub(crate) fn sync(folder: &Path) -> anyhow::Result<()> {
    if cfg!(unix) {
        let done = Command::new("sync").stdin(Stdio::null()).status().context("cannot start `sync`")?;
        if !done.success() {
            bail!(
                "`sync` failed: what was laid down in {} may still be written while others are timed",
                folder.display()
            );
        }
    }
    Ok(())
}
