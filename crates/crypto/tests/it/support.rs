//! What several modules need: a predictable source of bytes, small parameters, and a way to sign a header by hand.

use std::sync::atomic::{AtomicU64, Ordering};

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use memoseal_crypto::{Argon2Params, Context, Kind, NewSlot, OpenVault, Random, RandomError, RawKey, create, to_hex};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 of a seed and a counter: deterministic, and never the same twice.
pub(crate) struct Predictable {
    seed: u8,
    next: AtomicU64,
}

impl Predictable {
    pub(crate) fn new(seed: u8) -> Self {
        Self { seed, next: AtomicU64::new(0) }
    }
}

impl Random for Predictable {
    fn fill(&self, dest: &mut [u8]) -> Result<(), RandomError> {
        for chunk in dest.chunks_mut(32) {
            let block = Sha256::new()
                .chain_update([self.seed])
                .chain_update(self.next.fetch_add(1, Ordering::Relaxed).to_be_bytes())
                .finalize();
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        Ok(())
    }
}

/// A source that has run dry.
pub(crate) struct Dry;

impl Random for Dry {
    fn fill(&self, _: &mut [u8]) -> Result<(), RandomError> {
        Err(RandomError)
    }
}

pub(crate) fn raw(byte: u8) -> RawKey {
    RawKey::from_bytes([byte; 32])
}

/// The least that is accepted, so that the suite is fast.
pub(crate) fn cheap() -> Argon2Params {
    Argon2Params::new(8 << 10, 1, 1).unwrap()
}

/// A vault that `raw(7)` opens.
pub(crate) fn raw_vault(seed: u8) -> (Vec<u8>, OpenVault) {
    create(&[NewSlot::Raw(&raw(7))], &Predictable::new(seed)).unwrap()
}

pub(crate) fn place() -> Context {
    Context {
        kind: Kind::Commit,
        vault: [1; 16],
        user: [2; 16],
        store: [3; 16],
        user_life: 4,
        store_life: 5,
        seq: 6,
        section: 0,
    }
}

/// The JSON text of a header.
pub(crate) fn text_of(header: &[u8]) -> Value {
    serde_json::from_slice(header.split(|byte| *byte == b'\n').next().unwrap()).unwrap()
}

/// A header with this text and a good MAC, computed from the documented construction and not by the crate.
pub(crate) fn sign(text: &str, vault: &OpenVault) -> Vec<u8> {
    let field = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat();
    let info = [field(b"memoseal/v1 header mac"), field(&[0, 1]), field(&vault.id())].concat();
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(None, vault.vault_key().expose()).expand(&info, &mut key).unwrap();
    let signed = format!("{text}\n");
    let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(&signed).finalize().into_bytes();
    format!("{signed}{}\n", to_hex(&mac)).into_bytes()
}

pub(crate) fn sign_value(text: &Value, vault: &OpenVault) -> Vec<u8> {
    sign(&text.to_string(), vault)
}
