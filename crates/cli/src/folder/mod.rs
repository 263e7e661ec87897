//! A folder of plain files, as the local memory tool of an official SDK keeps one: what lies under /memories lies in
//! its folder `memories`.

mod scan;
mod target;

use std::path::Path;

use serde_json::{Value, json};

pub(crate) use self::{
    scan::{Found, Scan},
    target::{NotWritten, Target, Written},
};
use crate::{exit::printable, output};

/// The folder that stands for the root of a store.
const MEMORIES: &str = "memories";

/// What a file that is being written is called until it is whole: this, something random, and the other.
const TEMPORARY: (&str, &str) = (".memoseal-", ".tmp");

/// Something that was not carried over, and why.
#[derive(Debug)]
pub(crate) struct LeftOut {
    /// A file of the folder, or a path of the store.
    pub(crate) what: String,
    pub(crate) why: String,
}

impl LeftOut {
    pub(crate) fn new(what: impl std::fmt::Display, why: impl std::fmt::Display) -> Self {
        Self { what: what.to_string(), why: why.to_string() }
    }

    pub(crate) fn print(&self) -> anyhow::Result<()> {
        output::line(format_args!("left out {}: {}", printable(&self.what), printable(&self.why)))
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "what": self.what, "why": self.why })
    }
}

/// A number of files, for people.
pub(crate) fn files(number: usize) -> String {
    output::count(number, "file")
}

/// A path as people and JSON see it. What is no UTF-8 in it is shown as such.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
