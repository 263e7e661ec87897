//! One answer, and how bad it is.

use std::fmt;

/// How bad an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grade {
    /// As it should be.
    Good,
    /// It works, and something about it should be known or changed.
    Warning,
    /// Memory can be lost here, or a vault cannot work.
    Danger,
    /// It could not be asked.
    NotChecked,
}

impl Grade {
    /// `ok`, `warning`, `danger` or `not checked`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Warning => "warning",
            Self::Danger => "danger",
            Self::NotChecked => "not checked",
        }
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// What was looked at: `put`, `versioning`, ….
    pub name: &'static str,
    /// How bad it is.
    pub grade: Grade,
    /// What was found.
    pub found: String,
    /// What to do, or what would be needed to ask; empty if nothing.
    pub todo: String,
}

impl Check {
    /// As it should be.
    pub fn good(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, grade: Grade::Good, found: found.into(), todo: String::new() }
    }

    /// Something to know or to change.
    pub fn warning(name: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { name, grade: Grade::Warning, found: found.into(), todo: todo.into() }
    }

    /// Memory can be lost, or a vault cannot work.
    pub fn danger(name: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { name, grade: Grade::Danger, found: found.into(), todo: todo.into() }
    }

    /// It could not be asked: why, and what it would need.
    pub fn not_checked(name: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { name, grade: Grade::NotChecked, found: found.into(), todo: todo.into() }
    }
}

/// In one line.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<11}  {:<17}  {}", self.grade.as_str(), self.name, self.found)?;
        if self.todo.is_empty() { Ok(()) } else { write!(f, ": {}", self.todo) }
    }
}
