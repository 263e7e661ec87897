//! What the user wants left alone: exact values, kept only as keyed hashes, and patterns.

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Values and patterns that are never taken out. Exact values are kept as HMAC-SHA-256 under a random key, so that who
/// reads a policy learns no value from it that is hard to guess.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// The key of the hashes: 32 random bytes in hex, or empty while there are no values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    key: String,
    /// The hashes, in hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    /// Regular expressions; what matches one as a whole is left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    patterns: Vec<String>,
}

impl Allowed {
    /// Nothing yet; `key` is 32 random bytes of the caller's.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key: hex(&key), ..Self::default() }
    }

    /// Whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.patterns.is_empty()
    }

    /// Allows one exact value.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        let hash = self.hash(value.as_bytes());
        self.values.push(hash);
        self
    }

    /// Allows what matches `pattern` as a whole. A pattern that does not compile is refused by
    /// [`Scrubber::new`](crate::Scrubber::new).
    #[must_use]
    pub fn pattern(mut self, pattern: &str) -> Self {
        self.patterns.push(pattern.to_owned());
        self
    }

    /// The patterns.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// How many exact values are allowed.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// Whether this exact value is allowed.
    pub(crate) fn holds(&self, value: &[u8]) -> bool {
        !self.values.is_empty() && self.values.contains(&self.hash(value))
    }

    fn hash(&self, value: &[u8]) -> String {
        // RFC 2104 pads a short key with zeros to the block; 64 hex digits are exactly one block.
        let mut block = [0; 64];
        for (to, from) in block.iter_mut().zip(self.key.bytes()) {
            *to = from;
        }
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(value).finalize().into_bytes();
        hex(&mac)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
