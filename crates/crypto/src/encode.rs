//! Byte and text encodings that the other modules share.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};
use zeroize::{Zeroize, Zeroizing};

use crate::Error;

/// Builds a sequence of fields, each preceded by its length as u32 big-endian, the label being the first.
///
/// Two different sequences never give the same bytes, whatever the fields contain, as long as each field is shorter
/// than 4 GiB; every use in this crate is far below.
pub(crate) struct Fields(Vec<u8>);

impl Fields {
    pub(crate) fn new(label: &str) -> Self {
        Self(Vec::with_capacity(192)).put(label.as_bytes())
    }

    pub(crate) fn put(mut self, field: &[u8]) -> Self {
        let len = u32::try_from(field.len()).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&len.to_be_bytes());
        self.0.extend_from_slice(field);
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Lowercase hexadecimal, two digits a byte: how ids and names are written.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads exactly `N` bytes of lowercase hexadecimal; `None` for anything else, uppercase included, so that each value
/// has one spelling.
#[must_use]
pub fn from_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(bytes)
}

/// Base64 (RFC 4648 §4, with padding) of public bytes.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The inverse of [`to_base64`], strict: canonical padding and trailing bits.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Base64 of a key, in a buffer of exactly the right size that is overwritten on drop.
pub(crate) fn key_to_base64(key: &[u8; 32]) -> Zeroizing<String> {
    Zeroizing::new(STANDARD.encode(key))
}

/// A key from its base64, without a copy that is not overwritten.
pub(crate) fn key_from_base64(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut buffer = Zeroizing::new([0; 48]);
    let len = STANDARD.decode_slice(text, buffer.as_mut_slice()).ok()?;
    let mut key = Zeroizing::new([0; 32]);
    if len != key.len() {
        return None;
    }
    key.copy_from_slice(buffer.get(..len)?);
    Some(key)
}

/// Serialises a value that borrows secrets. A first pass counts, so that the buffer never grows and leaves no copy
/// behind; the buffer is overwritten on drop.
pub(crate) fn secret_json<T: Serialize>(value: &T) -> Result<Zeroizing<Vec<u8>>, Error> {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let unwritable = |_| Error::damaged("fields that cannot be written as JSON");
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).map_err(unwritable)?;
    let mut json = Zeroizing::new(Vec::with_capacity(count.0));
    serde_json::to_writer(&mut *json, value).map_err(unwritable)?;
    Ok(json)
}

/// Fields of a sealed JSON text that this version does not know: kept, written again, and overwritten on drop, since a
/// later version may keep keys there.
#[derive(Default, Clone, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Unknown(Map<String, Value>);

impl Drop for Unknown {
    fn drop(&mut self) {
        fn wipe(value: &mut Value) {
            match value {
                Value::String(text) => text.zeroize(),
                Value::Array(items) => items.iter_mut().for_each(wipe),
                Value::Object(fields) => fields.values_mut().for_each(wipe),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        self.0.values_mut().for_each(wipe);
    }
}
