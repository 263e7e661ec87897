//! Everything that lies in a bucket, opened with the vault's key by the format alone (`docs/format.md`).

use std::collections::BTreeMap;

use memoseal_core::state::VersionId;
use memoseal_crypto::{self as crypto, Context, Keyring, Kind, OpenVault, RawKey, Unlock};
use memoseal_testkit::sim::Objects;

use crate::KEY;

/// What is there of one change.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// Its record.
    pub meta: Option<Vec<u8>>,
    /// Its content.
    pub content: Option<Vec<u8>>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Opened {
    /// By version.
    pub changes: BTreeMap<VersionId, Sections>,
    /// The plaintext of each checkpoint, by its number.
    pub checkpoints: BTreeMap<u64, Vec<u8>>,
}

fn number(hex: &str) -> Option<u64> {
    Some(u64::MAX - u64::from_str_radix(hex, 16).ok()?)
}

fn hash(hex: &str) -> Option<[u8; 16]> {
    Some(u128::from_str_radix(hex, 16).ok()?.to_be_bytes())
}

fn length(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// Opens all commits and checkpoints of the bucket.
///
/// # Errors
/// What could not be opened.
pub fn open(objects: &Objects) -> Result<Opened, String> {
    let newest = |prefix: &str| objects.iter().find(|(path, _)| path.as_ref().starts_with(prefix));
    let (path, header) = newest("vault/").ok_or("there is no header")?;
    let raw = RawKey::from_bytes(KEY);
    let generation = path.filename().and_then(number).ok_or("a header without a number")?;
    let vault = crypto::unlock(&header.bytes, generation, &Unlock::Raw(&raw)).map_err(|error| error.to_string())?;
    let mut opened = Opened::default();
    for (path, object) in objects {
        let parts: Vec<_> = path.as_ref().split('/').collect();
        let ["users", user, "log", store, lives, folder, file] = parts.as_slice() else { continue };
        let prefix = format!("users/{user}/keyring/");
        let (place, bytes) = newest(&prefix).ok_or("there is no keyring")?;
        let one = || -> Option<()> {
            let keyring = keyring(&bytes.bytes, &vault, user, place.filename()?)?;
            let context = Context {
                kind: Kind::Commit,
                vault: vault.id(),
                user: keyring.id(),
                store: hash(store)?,
                user_life: number(lives.get(..16)?)?,
                store_life: number(lives.get(17..)?)?,
                seq: number(&format!("{folder}{}", file.trim_end_matches(".checkpoint")))?,
                section: 0,
            };
            if file.ends_with(".checkpoint") {
                let context = Context { kind: Kind::Checkpoint, ..context };
                opened.checkpoints.insert(context.seq, checkpoint(&keyring, context, &object.bytes)?);
            } else {
                commit(&keyring, context, &object.bytes, &mut opened.changes)?;
            }
            Some(())
        };
        let mut one = one;
        one().ok_or_else(|| format!("{path} cannot be opened"))?;
    }
    Ok(opened)
}

fn keyring(bytes: &[u8], vault: &OpenVault, user: &str, file: &str) -> Option<Keyring> {
    Keyring::open(bytes, vault, hash(user)?, number(file)?).ok()
}

/// Opens the header, which begins with its length at `at`: where it ends, its salt and its text.
fn header(
    keyring: &Keyring,
    context: &Context,
    bytes: &[u8],
    at: usize,
) -> Option<(usize, [u8; 32], serde_json::Value)> {
    let start = at + 4;
    let end = start + length(bytes, at)?;
    let mut info = context.encode();
    info.extend_from_slice(&u32::try_from(start).ok()?.to_be_bytes());
    info.extend_from_slice(bytes.get(..start)?);
    let padded = crypto::open(keyring.key(), &info, bytes.get(start..end)?).ok()?;
    let text = serde_json::from_slice(crypto::unpad(&padded).ok()?).ok()?;
    Some((end, bytes.get(start..start + 32)?.try_into().ok()?, text))
}

fn commit(keyring: &Keyring, context: Context, bytes: &[u8], into: &mut BTreeMap<VersionId, Sections>) -> Option<()> {
    let (end, salt, text) = header(keyring, &context, bytes, crypto::PRELUDE_LEN + 32)?;
    let changes = text.get("changes")?.as_array()?.len();
    let mut at = end + changes * 8;
    for index in 0..changes {
        let mut sections = Sections::default();
        for part in 0..2 {
            let section = index * 2 + part;
            let len = length(bytes, end + section * 4)?;
            let sealed = bytes.get(at..at + len)?;
            at += len;
            if len == 0 {
                continue;
            }
            let info = context.with_section(u32::try_from(section).ok()? + 1).encode();
            if part == 0 {
                let padded = crypto::open_section(keyring.key(), &salt, &info, sealed).ok()?;
                sections.meta = Some(crypto::unpad(&padded).ok()?.to_vec());
            } else {
                let padded = crypto::open(keyring.key(), &info, sealed).ok()?;
                sections.content = Some(crypto::unpad(&padded).ok()?.to_vec());
            }
        }
        into.insert(VersionId { seq: context.seq, index: u32::try_from(index).ok()? }, sections);
    }
    (at == bytes.len()).then_some(())
}

fn checkpoint(keyring: &Keyring, context: Context, bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut at, salt, text) = header(keyring, &context, bytes, crypto::PRELUDE_LEN)?;
    let mut all = text.to_string().into_bytes();
    for (number, section) in (1..).zip(text.get("sections")?.as_array()?) {
        let len = usize::try_from(section.get("len")?.as_u64()?).ok()?;
        let info = context.with_section(number).encode();
        let padded = crypto::open_section(keyring.key(), &salt, &info, bytes.get(at..at + len)?).ok()?;
        all.extend_from_slice(crypto::unpad(&padded).ok()?);
        at += len;
    }
    Some(all)
}
