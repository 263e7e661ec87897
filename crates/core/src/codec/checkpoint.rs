//! A checkpoint: a sealed snapshot of a store's state, so that opening need not read the log from its beginning.
//!
//! ```text
//! prelude        magic, format, kind, key epoch, length of what is sealed     in the clear
//! header         salt, commitment, ciphertext, tag                            sealed
//! sections       lines of JSON: the memories, then those that were deleted    sealed, bound by hash and length in the header
//! ```

use std::collections::HashMap;

use bytes::Bytes;
use memoseal_crypto::{self as crypto, Kind, Prelude, PreludeError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    ChainValue, StoreKeys,
    base64::Base64,
    header::VersionText,
    layout::{Reader, USER_KEY_EPOCH, from_json, header_info, json, to_u32},
    ledger::StoreFields,
};
use crate::{
    Error, Result,
    path::MemoryPath,
    state::{ContentRef, Deleted, Ledger, Memory, MemoryId, Skipped, State},
};

/// A section is closed when its lines have this many bytes.
const SECTION_BYTES: usize = 1024 * 1024;

/// The state at a commit, as a checkpoint holds it.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    /// The number of the last commit that it contains.
    pub(crate) seq: u64,
    /// The chain value after that commit.
    pub(crate) chain: ChainValue,
    /// Every memory.
    memories: Vec<Memory>,
    /// The records of deleted memories, in the order in which they were deleted.
    deleted: Vec<Deleted>,
    ledger: Ledger,
    skipped: HashMap<MemoryId, Skipped>,
}

/// A checkpoint that is ready to be written.
#[derive(Debug)]
pub(crate) struct SealedCheckpoint {
    pub(crate) bytes: Bytes,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    seq: u64,
    chain: Base64<32>,
    files: u64,
    /// How many lines follow those of the memories: records of deleted ones.
    #[serde(default)]
    deleted: u64,
    sections: Vec<Section>,
    #[serde(default, skip_serializing_if = "StoreFields::is_default")]
    store: StoreFields,
}

#[derive(Debug, Serialize, Deserialize)]
struct Section {
    len: u32,
    sha256: Base64<32>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    mem: Base64<16>,
    path: String,
    size: u64,
    sha256: Base64<32>,
    ver: VersionText,
    /// The version whose content section holds the content; left out where that is `ver`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<VersionText>,
    /// Where that section lay when it was last seen: offset and length, hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<(u64, u32)>,
    /// When the memory was created and when it last changed, in milliseconds since the Unix epoch.
    born: i64,
    changed: i64,
    /// The last day on which it was read; left out where none is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    used: u32,
}

fn is_zero(day: &u32) -> bool {
    *day == 0
}

impl Line {
    fn of(memory: &Memory) -> Self {
        let content = memory.content;
        Self {
            mem: Base64(memory.id.0),
            path: memory.path.as_str().to_owned(),
            size: memory.size,
            sha256: Base64(memory.sha256),
            ver: VersionText(memory.version),
            data: (content.version != memory.version).then_some(VersionText(content.version)),
            at: (content.len > 0).then_some((content.offset, content.len)),
            born: memory.created_ms,
            changed: memory.updated_ms,
            used: memory.used_day,
        }
    }

    fn memory(&self) -> Memory {
        let (offset, len) = self.at.unwrap_or_default();
        Memory {
            id: MemoryId(self.mem.0),
            path: MemoryPath::from_sealed(&self.path),
            size: self.size,
            sha256: self.sha256.0,
            version: self.ver.0,
            content: ContentRef { version: self.data.unwrap_or(self.ver).0, offset, len },
            created_ms: self.born,
            updated_ms: self.changed,
            used_day: self.used,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct DeletedLine {
    mem: Base64<16>,
    path: String,
    /// The last version before the deletion.
    last: VersionText,
    /// The deletion, and when it was made.
    gone: VersionText,
    changed: i64,
}

impl DeletedLine {
    fn of(deleted: &Deleted) -> Self {
        Self {
            mem: Base64(deleted.id.0),
            path: deleted.path.as_str().to_owned(),
            last: VersionText(deleted.last),
            gone: VersionText(deleted.version),
            changed: deleted.at_ms,
        }
    }

    fn deleted(&self) -> Deleted {
        Deleted {
            id: MemoryId(self.mem.0),
            path: MemoryPath::from_sealed(&self.path),
            last: self.last.0,
            version: self.gone.0,
            at_ms: self.changed,
        }
    }
}

impl SealedCheckpoint {
    /// Seals the state after commit `seq`. `random` gives fresh bytes.
    pub(crate) fn seal<'a>(
        keys: &StoreKeys,
        seq: u64,
        chain: &ChainValue,
        memories: impl Iterator<Item = &'a Memory>,
        deleted: &[Deleted],
        store: StoreFields,
        mut random: impl FnMut() -> Result<[u8; 32]>,
    ) -> Result<Self> {
        let salt = random()?;
        let mut writer =
            Sections { keys, seq, salt: &salt, lines: Vec::new(), sections: Vec::new(), payload: Vec::new() };
        let mut files = 0;
        for memory in memories {
            writer.line(&json(&Line::of(memory))?)?;
            files += 1;
        }
        for deleted in deleted {
            writer.line(&json(&DeletedLine::of(deleted))?)?;
        }
        writer.close()?;
        let Sections { sections, payload, .. } = writer;

        let header =
            json(&Header { seq, chain: Base64(*chain), files, deleted: deleted.len() as u64, sections, store })?;
        let padded = crypto::pad(&header, crypto::META_FLOOR);
        let mut bytes = Prelude { kind: Kind::Checkpoint, epoch: USER_KEY_EPOCH }.to_bytes().to_vec();
        bytes.extend_from_slice(&to_u32(padded.len() + crypto::OVERHEAD)?.to_be_bytes());
        let info = header_info(keys.context(Kind::Checkpoint, seq, 0).encode(), &bytes);
        bytes.extend_from_slice(&crypto::seal(keys.keyring().key(), salt, &info, &padded));
        bytes.extend_from_slice(&payload);
        Ok(Self { bytes: bytes.into() })
    }
}

/// Sections under construction.
struct Sections<'a> {
    keys: &'a StoreKeys,
    seq: u64,
    salt: &'a [u8; crypto::SALT_LEN],
    lines: Vec<u8>,
    sections: Vec<Section>,
    payload: Vec<u8>,
}

impl Sections<'_> {
    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        if self.lines.len() >= SECTION_BYTES { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let number = to_u32(self.sections.len() + 1)?;
        let info = self.keys.context(Kind::Checkpoint, self.seq, number).encode();
        let padded = crypto::pad(&self.lines, crypto::META_FLOOR);
        let sealed = crypto::seal_section(self.keys.keyring().key(), self.salt, &info, &padded);
        self.sections.push(Section { len: to_u32(sealed.len())?, sha256: Base64(Sha256::digest(&sealed).into()) });
        self.payload.extend_from_slice(&sealed);
        self.lines.clear();
        Ok(())
    }
}

impl Checkpoint {
    /// Opens the checkpoint that was found under the name of `seq`.
    ///
    /// # Errors
    /// [`Error::NewerFormat`], or [`Error::Damaged`] if any byte is not as written.
    pub(crate) fn open(keys: &StoreKeys, seq: u64, bytes: &[u8]) -> Result<Self> {
        let what = format!("checkpoint {seq}");
        let damaged = |problem: &str| Error::damaged(&what, problem);
        Prelude::parse_kind(bytes, Kind::Checkpoint).map_err(|error| match error {
            PreludeError::NewerFormat { .. } => Error::NewerFormat { what: what.clone() },
            _ => damaged("this is not a checkpoint"),
        })?;
        let truncated = || damaged("the object ends too early");
        let mut reader = Reader { bytes, at: crypto::PRELUDE_LEN };
        let sealed_len = reader.length().ok_or_else(truncated)?;
        let prelude = bytes.get(..reader.at).ok_or_else(truncated)?;
        let info = header_info(keys.context(Kind::Checkpoint, seq, 0).encode(), prelude);
        let sealed = reader.take(sealed_len).and_then(|range| bytes.get(range)).ok_or_else(truncated)?;
        let salt = sealed.first_chunk().copied().ok_or_else(truncated)?;
        let padded = crypto::open(keys.keyring().key(), &info, sealed)
            .map_err(|_| damaged("the header does not open: it was changed, or belongs elsewhere"))?;
        let header: Header = from_json(&padded).ok_or_else(|| damaged("the header cannot be read"))?;
        if header.seq != seq {
            return Err(damaged("the header names another number"));
        }

        let (mut memories, mut deleted) = (Vec::new(), Vec::new());
        for (number, section) in (1..).zip(&header.sections) {
            let sealed = reader.take(section.len as usize).and_then(|range| bytes.get(range)).ok_or_else(truncated)?;
            if <[u8; 32]>::from(Sha256::digest(sealed)) != section.sha256.0 {
                return Err(damaged("a section is not the one that was written"));
            }
            let info = keys.context(Kind::Checkpoint, seq, number).encode();
            let padded = crypto::open_section(keys.keyring().key(), &salt, &info, sealed)
                .map_err(|_| damaged("a section does not open"))?;
            let lines = crypto::unpad(&padded).map_err(|_| damaged("a section cannot be read"))?;
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let unreadable = |_| damaged("a memory in it cannot be read");
                if (memories.len() as u64) < header.files {
                    let line: Line = serde_json::from_slice(line).map_err(unreadable)?;
                    memories.push(line.memory());
                } else {
                    let line: DeletedLine = serde_json::from_slice(line).map_err(unreadable)?;
                    deleted.push(line.deleted());
                }
            }
        }
        if reader.at != bytes.len() {
            return Err(damaged("bytes follow the last section"));
        }
        if (memories.len() as u64, deleted.len() as u64) != (header.files, header.deleted) {
            return Err(damaged("it does not hold as many memories as it says"));
        }
        let (ledger, skipped) = header.store.into_parts();
        Ok(Self { seq, chain: header.chain.0, memories, deleted, ledger, skipped })
    }

    /// The state that it holds.
    pub(crate) fn into_state(self) -> State {
        let state = self.memories.into_iter().collect::<State>();
        state.with_deleted(self.deleted).with_ledger(self.ledger, self.skipped)
    }
}
