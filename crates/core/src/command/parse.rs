//! From the `input` of a `tool_use` block to a command, checked whole before storage is touched.

use serde_json::{Map, Value};

use super::{Command, text};
use crate::path::ToolPath;

impl Command {
    /// Reads the `input` of a `tool_use` block. Fields that the command does not know are ignored.
    ///
    /// # Errors
    /// The text for the model: an unknown command, a field that is missing or of the wrong type, by name, or a path
    /// that is refused.
    pub fn parse(input: &Value) -> Result<Self, String> {
        let fields = Fields(input.as_object().ok_or_else(text::not_an_object)?);
        let command = match fields.string("command")?.as_str() {
            "view" => Self::View { path: fields.string("path")?, view_range: fields.range("view_range")? },
            "create" => Self::Create { path: fields.string("path")?, file_text: fields.string("file_text")? },
            "str_replace" => Self::StrReplace {
                path: fields.string("path")?,
                old_str: fields.string("old_str")?,
                new_str: fields.optional_string("new_str")?.unwrap_or_default(),
            },
            "insert" => Self::Insert {
                path: fields.string("path")?,
                insert_line: fields.integer("insert_line")?,
                insert_text: fields.string("insert_text")?,
            },
            "delete" => Self::Delete { path: fields.string("path")? },
            "rename" => Self::Rename { old_path: fields.string("old_path")?, new_path: fields.string("new_path")? },
            unknown => return Err(text::unknown_command(unknown)),
        };
        command.check_paths()?;
        if matches!(&command, Self::StrReplace { old_str, .. } if old_str.is_empty()) {
            return Err(text::empty_old_str());
        }
        Ok(command)
    }

    fn check_paths(&self) -> Result<(), String> {
        let paths = match self {
            Self::View { path, .. }
            | Self::Create { path, .. }
            | Self::StrReplace { path, .. }
            | Self::Insert { path, .. }
            | Self::Delete { path }
            | Self::Put { path, .. }
            | Self::PutNew { path, .. } => vec![path],
            Self::Rename { old_path, new_path } => vec![old_path, new_path],
            Self::Restore(restore) => restore.path.iter().chain(&restore.to).collect(),
            Self::Clear | Self::DeleteUnused { .. } => Vec::new(),
        };
        for path in paths {
            ToolPath::parse(path).map_err(|error| text::bad_path(path, error))?;
        }
        Ok(())
    }
}

/// The fields of an input. `null` is the same as nothing.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn string(&self, name: &str) -> Result<String, String> {
        self.optional_string(name)?.ok_or_else(|| text::missing_field(name))
    }

    fn optional_string(&self, name: &str) -> Result<Option<String>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(string)) => Ok(Some(string.clone())),
            Some(other) => Err(text::not_a_string(name, other)),
        }
    }

    fn integer(&self, name: &str) -> Result<i64, String> {
        let value = self.get(name).ok_or_else(|| text::missing_field(name))?;
        match value.as_i64() {
            Some(integer) => Ok(integer),
            None if is_too_large(value) => Err(text::integer_out_of_range(name)),
            None => Err(text::not_an_integer(name, value)),
        }
    }

    fn range(&self, name: &str) -> Result<Option<[i64; 2]>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_array().map(Vec::as_slice) {
            Some([start, end]) => {
                let line = |value: &Value| clamped(value).ok_or_else(|| text::not_a_range(name));
                Ok(Some([line(start)?, line(end)?]))
            }
            _ => Err(text::not_a_range(name)),
        }
    }
}

/// An integer; past the end of every file, it does not matter how far.
fn clamped(value: &Value) -> Option<i64> {
    let far = |value: &Value| if value.as_f64().is_some_and(f64::is_sign_negative) { i64::MIN } else { i64::MAX };
    value.as_i64().or_else(|| is_too_large(value).then(|| far(value)))
}

/// Whether `value` is a whole number too large for an `i64`; the parser hands out the largest ones as floats.
fn is_too_large(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|float| float.abs() >= i64::MAX as f64 && float.fract() == 0.0)
}
