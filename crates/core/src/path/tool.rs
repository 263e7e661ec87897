//! Paths as the tool writes them: `/memories` and everything under it.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use super::{MemoryPath, refused};

/// The longest path in bytes, in NFC, with the tool's prefix.
pub const MAX_BYTES: usize = 1_024;
/// The deepest path, in segments below the root.
pub const MAX_SEGMENTS: usize = 20;
/// The longest segment of a path, in bytes.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// The directory that the tool sees as the root of its store.
pub(crate) const PREFIX: &str = "/memories";

/// A path that the tool gave, checked and resolved; it remembers how it was written, because answers repeat that.
///
/// Shown, it is the path as it was given, less its trailing slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPath {
    resolved: MemoryPath,
    given: String,
    ends_in_slash: bool,
}

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// It is neither `/memories` nor under it.
    Outside,
    /// It holds a `..` that leaves `/memories`.
    Escapes,
    /// It holds a percent-encoded dot, slash or backslash.
    Encoded,
    /// It holds this control or format character, or a backslash.
    Character(char),
    /// It is this many bytes long, more than [`MAX_BYTES`].
    TooLong(usize),
    /// It has this many segments, more than [`MAX_SEGMENTS`].
    TooDeep(usize),
    /// One of its segments is this many bytes long, more than [`MAX_SEGMENT_BYTES`].
    NameTooLong(usize),
}

impl ToolPath {
    /// Checks and resolves `given`: `.`, `//`, a trailing `/` and a `..` that stays inside are taken out, and what is
    /// left is put in NFC. Nothing is decoded.
    ///
    /// # Errors
    /// Why the path is refused.
    pub fn parse(given: &str) -> Result<Self, PathError> {
        let below = given.strip_prefix(PREFIX).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let below = below.ok_or(PathError::Outside)?;
        if let Some(c) = given.chars().find(|c| refused::is_refused(*c)) {
            return Err(PathError::Character(c));
        }
        if refused::hides_separator(given) {
            return Err(PathError::Encoded);
        }
        let mut segments = Vec::new();
        for segment in below.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop().ok_or(PathError::Escapes)?;
                }
                name => segments.push(name),
            }
        }
        let mut path = String::new();
        for segment in segments {
            path.push('/');
            path.extend(segment.nfc());
        }
        let resolved = MemoryPath(path.into());
        resolved.check_limits()?;
        Ok(Self { resolved, given: trimmed(given).to_owned(), ends_in_slash: given.ends_with('/') })
    }

    /// The path in the store.
    pub fn resolved(&self) -> &MemoryPath {
        &self.resolved
    }

    /// Whether the path was given with a trailing slash.
    pub fn ends_in_slash(&self) -> bool {
        self.ends_in_slash
    }
}

impl fmt::Display for ToolPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.given)
    }
}

impl MemoryPath {
    /// Whether the path is as short, and its segments as few and as short, as paths have to be.
    pub(crate) fn check_limits(&self) -> Result<(), PathError> {
        let bytes = PREFIX.len() + self.0.len();
        if bytes > MAX_BYTES {
            return Err(PathError::TooLong(bytes));
        }
        let segments = self.segments().count();
        if segments > MAX_SEGMENTS {
            return Err(PathError::TooDeep(segments));
        }
        match self.segments().map(str::len).find(|len| *len > MAX_SEGMENT_BYTES) {
            Some(len) => Err(PathError::NameTooLong(len)),
            None => Ok(()),
        }
    }
}

/// A path that may be refused, fit to be shown in the error that says so.
pub(crate) fn shown(given: &str) -> String {
    refused::escaped(trimmed(given))
}

/// `given` without its trailing slashes, unless it has nothing else.
fn trimmed(given: &str) -> &str {
    match given.trim_end_matches('/') {
        "" => given,
        rest => rest,
    }
}
