//! The commands of the memory tool, as pure functions over a state: no I/O, no clock, no randomness.
//!
//! [`Command::parse`] checks an input as far as that goes without storage; [`run`] decides it against a tree. Every text
//! that the model reads is made in `text`.

mod context;
mod edit;
mod kind;
mod lines;
mod parse;
mod restore;
mod scrubbed;
mod size;
mod text;
mod tree;
mod view;
mod write;

use bytes::Bytes;

use self::context::{Context, Stop};

use crate::{
    history::Version,
    path::{self, MemoryPath, PREFIX},
    scrub::{Finding, Scrubbing},
    state::{ContentRef, Memory, MemoryId, Overlay, VersionId},
};

/// The name by which Claude calls the tool.
pub(crate) const TOOL_NAME: &str = "memory";

/// A command that was checked as far as that goes without looking at storage.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Show a directory, or a file with line numbers.
    View {
        /// The path as it was given.
        path: String,
        /// First and last line, from 1, both included; -1 as the last is the end.
        view_range: Option<[i64; 2]>,
    },
    /// Make a new file.
    Create {
        /// The path as it was given.
        path: String,
        /// The whole content.
        file_text: String,
    },
    /// Replace the one place where a text stands.
    StrReplace {
        /// The path as it was given.
        path: String,
        /// What is replaced; literal.
        old_str: String,
        /// What comes in its place; literal, empty to delete.
        new_str: String,
    },
    /// Insert lines.
    Insert {
        /// The path as it was given.
        path: String,
        /// The line after which the text goes; 0 is the top.
        insert_line: i64,
        /// The text; one trailing newline is dropped.
        insert_text: String,
    },
    /// Delete a file, or a directory with all that is in it.
    Delete {
        /// The path as it was given.
        path: String,
    },
    /// Move a file, or a directory with all that is in it.
    Rename {
        /// Where it stands, as it was given.
        old_path: String,
        /// Where it goes, as it was given.
        new_path: String,
    },
    /// Write a whole file, text or image, over what stands there. Not a command of the tool.
    Put {
        /// The path as it was given.
        path: String,
        /// The whole content.
        content: Bytes,
    },
    /// Write a whole file, text or image, where none stands; a file that holds just that is a success too. Not a
    /// command of the tool.
    PutNew {
        /// The path as it was given.
        path: String,
        /// The whole content.
        content: Bytes,
    },
    /// Bring back an earlier version. Not a command of the tool.
    Restore(Restore),
    /// Delete everything. Not a command of the tool, but a method of the official helpers.
    Clear,
    /// Delete what nobody is known to have read or written for so many days. Not a command of the tool.
    DeleteUnused {
        /// The days.
        days: u32,
        /// The time from which they are counted back, in milliseconds since the Unix epoch.
        now_ms: i64,
    },
}

/// What to bring back, and where to: a memory is again what it was in a version, its content and its path.
///
/// The content is written anew. A memory that still exists gets a new version; in place of one that was deleted comes a
/// new memory, since identities are not used twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restore {
    /// The path, as it was given, of a memory that stands there or was deleted there. Without `version`, the version
    /// before its last change is meant: an edit, a move or a deletion is undone. With it, it has to be one of this
    /// memory, or of this path.
    pub path: Option<String>,
    /// The version to bring back.
    pub version: Option<VersionId>,
    /// Where to, as it was given, if not to the path of that version. A memory that stands elsewhere stays there.
    pub to: Option<String>,
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// The version that was brought back.
    pub version: VersionId,
    /// Where its content stands now.
    pub path: MemoryPath,
    /// Whether anything had to be changed for that.
    pub changed: bool,
    /// The version that stands there now, or would after a preview; none before the command has its place in the log.
    pub current: Option<VersionId>,
    /// What was taken out of it on the way.
    pub found: Vec<Finding>,
}

/// What a command did: the answer for the model and the edits that make it true.
#[derive(Debug)]
pub struct Outcome {
    /// What the model reads.
    pub reply: Reply,
    /// What has to be committed before the reply may be given; empty for views, errors and no-ops.
    pub edits: Vec<Edit>,
    /// What was taken out of the content that one of the edits writes.
    pub found: Vec<Finding>,
}

/// The answer to one command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// Success, in words.
    Text(String),
    /// Success, as a picture.
    Image {
        /// `image/png` or `image/jpeg`.
        media_type: &'static str,
        /// The bytes of the file.
        data: Bytes,
    },
    /// A version was brought back.
    Restored(Restored),
    /// These were deleted, at most a few thousand at once.
    Deleted(Vec<MemoryPath>),
    /// The command failed; nothing was changed.
    Error(String),
}

/// One change to one memory, before it has a place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A new memory.
    Create {
        /// Where.
        path: MemoryPath,
        /// Its content.
        content: Bytes,
    },
    /// New content of a memory that stays where it is.
    Write {
        /// Which.
        memory: MemoryId,
        /// Its new content.
        content: Bytes,
    },
    /// The same content at another path.
    Move {
        /// Which.
        memory: MemoryId,
        /// Where it goes.
        path: MemoryPath,
    },
    /// The memory goes.
    Delete {
        /// Which.
        memory: MemoryId,
    },
}

impl Edit {
    /// The content that it writes, if it writes one.
    pub(crate) fn content(&self) -> Option<&Bytes> {
        match self {
            Self::Create { content, .. } | Self::Write { content, .. } => Some(content),
            Self::Move { .. } | Self::Delete { .. } => None,
        }
    }
}

/// The contents that the caller has at hand.
pub trait Contents {
    /// The content of this memory, if it is at hand.
    fn get(&self, memory: &Memory) -> Option<Bytes>;

    /// The record of this version, if it is at hand; `Some(None)` if it is known that there is no such version.
    fn version(&self, _id: VersionId) -> Option<Option<Version>> {
        None
    }
}

/// A command cannot be decided without this: get it, then run the command again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeedsContent {
    /// This content.
    Of(ContentRef),
    /// The record of this version.
    Version(VersionId),
}

/// What a handle allows. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest text file; default 102,400.
    pub file_bytes: u64,
    /// The largest image; default 5 MiB.
    pub image_bytes: u64,
    /// The most files in a store; default 2,000.
    pub files: usize,
    /// The most content in a store; default 100,000,000.
    pub store_bytes: u64,
    /// The most characters that one view shows; default 16,000.
    pub view_chars: usize,
    /// Whether `create` replaces a file that exists; default no.
    pub overwrite: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 102_400,
            image_bytes: 5 * 1024 * 1024,
            files: 2_000,
            store_bytes: 100_000_000,
            view_chars: 16_000,
            overwrite: false,
        }
    }
}

/// Runs one command against what `tree` holds. What it writes is scrubbed as `scrubbing` says, and so is what it says
/// when it fails.
///
/// # Errors
/// [`NeedsContent`] when the answer depends on something that `contents` does not have at hand.
pub fn run(
    command: &Command,
    tree: &Overlay<'_>,
    limits: &Limits,
    contents: &dyn Contents,
    scrubbing: &Scrubbing,
) -> Result<Outcome, NeedsContent> {
    let context = Context { tree, limits, contents, scrubbing };
    let outcome = match command {
        Command::View { path, view_range } => view::view(&context, path, *view_range),
        Command::Create { path, file_text } => write::create(&context, path, file_text),
        Command::StrReplace { path, old_str, new_str } => edit::str_replace(&context, path, old_str, new_str),
        Command::Insert { path, insert_line, insert_text } => edit::insert(&context, path, *insert_line, insert_text),
        Command::Delete { path } => tree::delete(&context, path),
        Command::Rename { old_path, new_path } => tree::rename(&context, old_path, new_path),
        Command::Put { path, content } => write::put(&context, path, content),
        Command::PutNew { path, content } => write::put_new(&context, path, content),
        Command::Restore(restore) => restore::restore(&context, restore),
        Command::Clear => Ok(tree::clear(&context)),
        Command::DeleteUnused { days, now_ms } => Ok(tree::delete_unused(&context, *days, *now_ms)),
    };
    match outcome {
        Ok(outcome) => Ok(scrubbed::told(outcome)),
        Err(Stop::Needs(needed)) => Err(needed),
        Err(Stop::Failed(text)) => {
            Ok(Outcome { reply: Reply::Error(scrubbed::hidden(text, scrubbing)), edits: Vec::new(), found: Vec::new() })
        }
    }
}

/// The error of a path that no memory can have, for a caller who reads a path without a command.
pub(crate) fn parse_path(given: &str) -> Result<path::ToolPath, String> {
    path::ToolPath::parse(given).map_err(|error| text::bad_path(given, error))
}

impl Command {
    /// Whether the command can change the store.
    pub fn is_mutation(&self) -> bool {
        !matches!(self, Self::View { .. })
    }
}

impl Restored {
    /// What happened, in a sentence.
    pub fn text(&self) -> String {
        text::restored(self)
    }
}

impl Reply {
    /// What was deleted, in a sentence.
    pub(crate) fn deleted_text(paths: &[MemoryPath]) -> String {
        text::deleted_all(paths)
    }

    /// The answer to any command when storage is out of reach before anything was written.
    pub fn unreachable() -> Self {
        Self::Error(text::unreachable())
    }

    /// The answer to `command` when nobody knows whether its write has landed.
    pub fn outcome_unknown(command: &Command) -> Self {
        let path = match command {
            Command::View { path, .. }
            | Command::Create { path, .. }
            | Command::StrReplace { path, .. }
            | Command::Insert { path, .. }
            | Command::Delete { path }
            | Command::Rename { new_path: path, .. }
            | Command::Put { path, .. }
            | Command::PutNew { path, .. } => path,
            Command::Restore(restore) => restore.to.as_deref().or(restore.path.as_deref()).unwrap_or(PREFIX),
            Command::Clear | Command::DeleteUnused { .. } => PREFIX,
        };
        Self::Error(text::outcome_unknown(&path::shown(path)))
    }

    /// The answer to any command when what is stored cannot be trusted or read, which trying again will not mend.
    pub fn unusable() -> Self {
        Self::Error(text::unusable())
    }

    /// The answer to a command that does not fit in one commit with what comes before it in its turn, or at all.
    pub(crate) fn turn_too_large() -> Self {
        Self::Error(text::turn_too_large())
    }

    /// The answer to a turn of more calls than are taken.
    pub(crate) fn too_many_calls(most: usize) -> Self {
        Self::Error(text::too_many_calls(most))
    }

    /// The answer to a call of another tool.
    pub(crate) fn wrong_tool() -> Self {
        Self::Error(text::wrong_tool())
    }

    /// The answer to a command that would write, where only reading is allowed.
    pub fn read_only() -> Self {
        Self::Error(text::read_only())
    }

    /// Whether the command failed.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}
