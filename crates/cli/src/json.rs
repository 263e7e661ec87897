//! JSON from who may mean no good: a text of a few megabytes must not become a tree of gigabytes.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The most values that a line may hold, all levels together. A turn of 1,000 calls has about 10,000.
const MOST_VALUES: usize = 100_000;

/// Reads a text as JSON.
///
/// # Errors
/// What is wrong with it, for whoever wrote it: no JSON, nested more than 128 deep, or of too many values.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let left = Cell::new(MOST_VALUES);
    let mut reader = serde_json::Deserializer::from_str(text);
    Bounded(&left)
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| format!("The line is not JSON: {error}"))
}

/// Reads one value, and counts it.
#[derive(Clone, Copy)]
struct Bounded<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.0.get().checked_sub(1) {
            Some(left) => self.0.set(left),
            None => return Err(D::Error::custom(format_args!("it holds more than {MOST_VALUES} values"))),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            object.insert(key, entries.next_value_seed(self)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_serde_json_reads() {
        for text in [
            "null",
            " true ",
            "-3",
            "18446744073709551615",
            "1.5",
            "1e400",
            "\"a\\u00e9\\n\"",
            "[1,[2,{}],\"x\"]",
            "{\"a\":{\"b\":[null]},\"a\":2}",
            "{",
            "[1,]",
            "1 2",
            "",
            "nul",
            "\"\\ud800\"",
            "{\"a\":01}",
        ] {
            let expected = serde_json::from_str::<Value>(text);
            assert_eq!(read(text).ok(), expected.ok(), "{text}");
        }
    }

    #[test]
    fn a_tree_of_too_many_values_or_too_deep_is_refused() {
        let many = |n: usize| format!("[{}0]", "0,".repeat(n - 2));
        assert!(read(&many(MOST_VALUES)).is_ok());
        assert!(read(&many(MOST_VALUES + 1)).unwrap_err().contains("more than 100000 values"));
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
