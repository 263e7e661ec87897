//! Everything that lies in a bucket, opened with the vault's key, by the format alone.

use futures_util::TryStreamExt;
use memoseal_crypto::{self as crypto, Context, Keyring, Kind, OpenVault, RawKey, Unlock};
use object_store::{ObjectStoreExt, path::Path};

use crate::support::*;

pub(crate) fn number(hex: &str) -> u64 {
    u64::MAX - u64::from_str_radix(hex, 16).unwrap()
}

pub(crate) fn hash(hex: &str) -> [u8; 16] {
    u128::from_str_radix(hex, 16).unwrap().to_be_bytes()
}

pub(crate) fn length(bytes: &[u8]) -> usize {
    u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize
}

/// All objects, in the order of their names.
pub(crate) async fn objects(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    let mut listing = bucket.memory.list(None);
    let mut objects: Vec<(Path, Vec<u8>)> = Vec::new();
    while let Some(object) = listing.try_next().await.unwrap() {
        let bytes = bucket.memory.get(&object.location).await.unwrap().bytes().await.unwrap();
        objects.push((object.location, bytes.to_vec()));
    }
    objects.sort();
    objects
}

pub(crate) fn vault(objects: &[(Path, Vec<u8>)]) -> OpenVault {
    let (path, header) = objects.iter().find(|(path, _)| path.as_ref().starts_with("vault/")).unwrap();
    crypto::unlock(header, number(path.filename().unwrap()), &Unlock::Raw(&RawKey::from_bytes([7; 32]))).unwrap()
}

/// All plaintexts of all objects, and all bytes as they lie there, one after another.
pub(crate) async fn everything(bucket: &Bucket) -> Vec<u8> {
    let objects = objects(bucket).await;
    let vault = vault(&objects);
    let mut all = Vec::new();
    for (path, bytes) in &objects {
        all.extend_from_slice(path.as_ref().as_bytes());
        all.extend_from_slice(bytes);
        let parts: Vec<_> = path.as_ref().split('/').collect();
        if let ["users", user, "log", store, lives, folder, file] = parts.as_slice() {
            let keyring = keyring(&objects, &vault, user);
            let context = Context {
                kind: Kind::Commit,
                vault: vault.id(),
                user: keyring.id(),
                store: hash(store),
                user_life: number(&lives[..16]),
                store_life: number(&lives[17..]),
                seq: number(&format!("{folder}{}", file.trim_end_matches(".checkpoint"))),
                section: 0,
            };
            if file.ends_with(".checkpoint") {
                checkpoint(&keyring, Context { kind: Kind::Checkpoint, ..context }, bytes, &mut all);
            } else {
                commit(&keyring, context, bytes, &mut all);
            }
        }
    }
    all
}

pub(crate) fn keyring(objects: &[(Path, Vec<u8>)], vault: &OpenVault, user: &str) -> Keyring {
    let prefix = format!("users/{user}/keyring/");
    let (path, bytes) = objects.iter().find(|(path, _)| path.as_ref().starts_with(&prefix)).unwrap();
    Keyring::open(bytes, vault, hash(user), number(path.filename().unwrap())).unwrap()
}

/// Opens the header, which begins with its length at `at`. Gives where it ends, its salt and its text.
fn header(keyring: &Keyring, context: &Context, bytes: &[u8], at: usize) -> (usize, [u8; 32], Vec<u8>) {
    let start = at + 4;
    let end = start + length(&bytes[at..]);
    let mut info = context.encode();
    info.extend_from_slice(&(start as u32).to_be_bytes());
    info.extend_from_slice(&bytes[..start]);
    let padded = crypto::open(keyring.key(), &info, &bytes[start..end]).unwrap();
    (end, bytes[start..start + 32].try_into().unwrap(), crypto::unpad(&padded).unwrap().to_vec())
}

fn commit(keyring: &Keyring, context: Context, bytes: &[u8], all: &mut Vec<u8>) {
    let (end, salt, text) = header(keyring, &context, bytes, crypto::PRELUDE_LEN + 32);
    all.extend_from_slice(&text);
    let parsed: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let changes = parsed["changes"].as_array().unwrap().len();
    let mut at = end + changes * 8;
    for section in 0..changes * 2 {
        let len = length(&bytes[end + section * 4..]);
        let sealed = &bytes[at..at + len];
        at += len;
        if len == 0 {
            continue;
        }
        let info = context.with_section(section as u32 + 1).encode();
        let padded = if section % 2 == 0 {
            crypto::open_section(keyring.key(), &salt, &info, sealed).unwrap()
        } else {
            crypto::open(keyring.key(), &info, sealed).unwrap()
        };
        all.extend_from_slice(crypto::unpad(&padded).unwrap());
    }
    assert_eq!(at, bytes.len());
}

fn checkpoint(keyring: &Keyring, context: Context, bytes: &[u8], all: &mut Vec<u8>) {
    let (mut at, salt, text) = header(keyring, &context, bytes, crypto::PRELUDE_LEN);
    all.extend_from_slice(&text);
    let parsed: serde_json::Value = serde_json::from_slice(&text).unwrap();
    for (number, section) in (1..).zip(parsed["sections"].as_array().unwrap()) {
        let len = section["len"].as_u64().unwrap() as usize;
        let info = context.with_section(number).encode();
        let padded = crypto::open_section(keyring.key(), &salt, &info, &bytes[at..at + len]).unwrap();
        all.extend_from_slice(crypto::unpad(&padded).unwrap());
        at += len;
    }
    assert_eq!(at, bytes.len());
}
