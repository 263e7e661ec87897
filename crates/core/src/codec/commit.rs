//! A commit: layout, sealing, opening.
//!
//! ```text
//! prelude        magic, format, kind, key epoch, chain(n-1), length of what is sealed     in the clear
//! header         salt, commitment, ciphertext, tag                                        sealed
//! table          for each change: length of meta, length of content (u32, 0 = not there)  in the clear
//! payload        for each change: meta, content                                           sealed
//! ```
//!
//! Prelude and header together are the *sealed header*: it never changes, it holds the hash of every payload
//! section, and the prelude is authenticated with it. Everything after it may shrink when content is stripped.

use std::ops::Range;

use bytes::Bytes;
use memoseal_crypto::{self as crypto, Kind, Prelude};
use sha2::{Digest, Sha256};

use super::{
    Actor, Chain, ChainValue, Change, StoreKeys,
    base64::Base64,
    change::What,
    header::{FoundFields, Header, HeaderChange, NoteFields, Op, VersionText},
    layout::{Reader, USER_KEY_EPOCH, from_json, header_info, json, to_u32},
    meta::Meta,
    sealed_header::SealedHeader,
};
use crate::{
    Error, Result,
    history::Version,
    path::MemoryPath,
    state::{Closing, ContentRef, Memory, MemoryId, Note, Replay, VersionId},
};

/// The largest commit in bytes: none is written that is larger, and none is read. One command does not come near: a
/// directory of 200,000 files can be renamed.
pub(crate) const MAX_COMMIT: usize = 64 * 1024 * 1024;

const LENGTH_LEN: usize = 4;

/// A commit that is ready to be created, and what it amounts to once it has been.
#[derive(Debug)]
pub(crate) struct SealedCommit {
    pub(crate) seq: u64,
    pub(crate) bytes: Bytes,
    /// The length of the sealed header, by which the commit knows itself again.
    pub(crate) header_len: usize,
    pub(crate) previous_chain: ChainValue,
    pub(crate) chain: ChainValue,
    pub(crate) replay: Vec<Replay>,
    /// Whether it replaces a version of a memory.
    pub(crate) replaces: bool,
}

/// Seals a commit. The store's name goes into commit 1, where it is known. `random` gives fresh random bytes, others each time.
///
/// # Errors
/// [`Error::Invalid`] if it would be larger than [`MAX_COMMIT`]; those of `random`.
pub(crate) fn seal(
    keys: &StoreKeys,
    seq: u64,
    previous_chain: &ChainValue,
    store_name: Option<&str>,
    changes: &[Change],
    mut random: impl FnMut() -> Result<[u8; 32]>,
) -> Result<SealedCommit> {
    let key = keys.keyring().key();
    let salt = random()?;
    let mut id = [0; 16];
    id.copy_from_slice(&random()?[..16]);

    let at = changes.first().map_or(0, |change| change.at_ms);
    let mut actors: Vec<Actor> = Vec::new();
    let mut header_changes = Vec::with_capacity(changes.len());
    let mut table = Vec::with_capacity(changes.len() * 2 * LENGTH_LEN);
    let mut payload = Vec::new();
    let mut placed = Vec::with_capacity(changes.len());

    for (index, change) in changes.iter().enumerate() {
        let index = to_u32(index)?;
        let (memory, note) = match &change.what {
            What::Memory(memory) => (Some(memory), None),
            What::Store(note) => (None, Some(note)),
        };
        let content = memory.and_then(|memory| memory.content.as_ref());
        let meta = match memory.and_then(|memory| memory.post.as_ref()) {
            Some(post) => {
                let own = content.is_some();
                let plain = json(&Meta {
                    path: post.path.as_str().to_owned(),
                    size: post.size,
                    sha256: Base64(post.sha256),
                    data: (!own).then_some(VersionText(post.content.version)),
                })?;
                let info = keys.context(Kind::Commit, seq, meta_section(index)).encode();
                crypto::seal_section(key, &salt, &info, &crypto::pad(&plain, crypto::META_FLOOR))
            }
            None => Vec::new(),
        };
        let content = match content {
            Some(content) => {
                let info = keys.context(Kind::Commit, seq, content_section(index)).encode();
                crypto::seal(key, random()?, &info, &crypto::pad(content, crypto::CONTENT_FLOOR))
            }
            None => Vec::new(),
        };
        let by = match actors.iter().position(|actor| *actor == change.actor) {
            Some(by) => by,
            None => {
                actors.push(change.actor.clone());
                actors.len() - 1
            }
        };
        let found = memory.map(|memory| &memory.found);
        let op = note.map_or(memory.map_or(Op::Unknown, |memory| memory.op), NoteFields::op);
        header_changes.push(HeaderChange {
            op,
            mem: memory.map(|memory| Base64(memory.memory.0)),
            prev: memory.and_then(|memory| memory.previous).map(VersionText),
            meta: section_hash(&meta).map(Base64),
            data: section_hash(&content).map(Base64),
            at: (change.at_ms != at).then_some(change.at_ms),
            by: to_u32(by)?,
            found: found.map(|found| found.listed.iter().map(FoundFields::of).collect()).unwrap_or_default(),
            more: found.map_or(0, |found| found.more),
            note: note.map(|note| Box::new(NoteFields::of(note))),
        });
        table.extend_from_slice(&to_u32(meta.len())?.to_be_bytes());
        table.extend_from_slice(&to_u32(content.len())?.to_be_bytes());
        payload.extend_from_slice(&meta);
        placed.push((payload.len(), to_u32(content.len())?));
        payload.extend_from_slice(&content);
    }

    let store = store_name.filter(|_| seq == 1).map(str::to_owned);
    let header = json(&Header { seq, id: Base64(id), at, actors, store, changes: header_changes })?;
    let padded = crypto::pad(&header, crypto::META_FLOOR);
    let mut bytes = Prelude { kind: Kind::Commit, epoch: USER_KEY_EPOCH }.to_bytes().to_vec();
    bytes.extend_from_slice(previous_chain);
    bytes.extend_from_slice(&to_u32(padded.len() + crypto::OVERHEAD)?.to_be_bytes());
    let info = header_info(keys.context(Kind::Commit, seq, 0).encode(), &bytes);
    bytes.extend_from_slice(&crypto::seal(key, salt, &info, &padded));
    let header_len = bytes.len();
    let chain = Chain::link(previous_chain, &bytes);
    bytes.extend_from_slice(&table);
    let payload_start = bytes.len();
    bytes.extend_from_slice(&payload);
    if bytes.len() > MAX_COMMIT {
        return Err(Error::Invalid(format!("a change of {} bytes is too large: {MAX_COMMIT} fit in one", bytes.len())));
    }

    let replay = changes
        .iter()
        .zip(placed)
        .enumerate()
        .map(|(index, (change, (start, len)))| {
            let version = VersionId { seq, index: to_u32(index)? };
            let memory = match &change.what {
                What::Memory(memory) => memory,
                What::Store(note) => return Ok(Replay::Note { note: note.clone(), by: version }),
            };
            Ok(match &memory.post {
                Some(post) => {
                    let content = match memory.content {
                        Some(_) => ContentRef { version, offset: (payload_start + start) as u64, len },
                        None => post.content,
                    };
                    Replay::Set(Memory { version, content, updated_ms: change.at_ms, ..post.clone() })
                }
                None => {
                    let (id, previous) = (memory.memory, memory.previous);
                    Replay::Remove { id, previous, version, at_ms: change.at_ms }
                }
            })
        })
        .collect::<Result<_>>()?;
    let replaces = changes.iter().filter_map(Change::memory).any(|change| change.previous.is_some());
    Ok(SealedCommit { seq, bytes: bytes.into(), header_len, previous_chain: *previous_chain, chain, replay, replaces })
}

/// A commit read from the log, with its header opened.
#[derive(Debug)]
pub(crate) struct Commit {
    opened: SealedHeader,
    pub(super) sections: Vec<Sections>,
    pub(super) bytes: Bytes,
}

/// Whatever its header says, the commit says.
impl std::ops::Deref for Commit {
    type Target = SealedHeader;

    fn deref(&self) -> &SealedHeader {
        &self.opened
    }
}

/// Where the sections of one change lie; empty where there is none.
#[derive(Debug)]
pub(super) struct Sections {
    pub(super) meta: Range<usize>,
    pub(super) content: Range<usize>,
}

impl Commit {
    /// Opens the header of the commit that was found under the name of `seq`.
    ///
    /// # Errors
    /// [`Error::NewerFormat`], or [`Error::Damaged`] if any byte of the sealed header or the table is not as written.
    pub(crate) fn open(keys: &StoreKeys, seq: u64, bytes: Bytes) -> Result<Self> {
        let what = format!("commit {seq}");
        let damaged = |problem: &str| Error::damaged(&what, problem);
        if bytes.is_empty() {
            return Err(damaged("the object is empty"));
        }
        if bytes.len() > MAX_COMMIT {
            return Err(damaged("the object is larger than any commit"));
        }
        let opened = SealedHeader::open(keys, seq, &bytes)?;
        let truncated = || damaged("the object ends too early");
        let mut reader = Reader { bytes: &bytes, at: opened.header_len };
        let header = &opened.header;
        let mut lengths = Vec::with_capacity(header.changes.len());
        for _ in &header.changes {
            lengths.push((reader.length().ok_or_else(truncated)?, reader.length().ok_or_else(truncated)?));
        }
        let mut sections = Vec::with_capacity(lengths.len());
        for (meta, content) in lengths {
            sections.push(Sections {
                meta: reader.take(meta).ok_or_else(truncated)?,
                content: reader.take(content).ok_or_else(truncated)?,
            });
        }
        if reader.at != bytes.len() {
            return Err(damaged("bytes follow the last section"));
        }
        Ok(Self { opened, sections, bytes })
    }

    /// The sealed header as it stands in the bucket.
    pub(crate) fn sealed_header(&self) -> Bytes {
        self.bytes.slice(..self.header_len.min(self.bytes.len()))
    }

    /// The header alone.
    pub(crate) fn into_header(self) -> SealedHeader {
        self.opened
    }

    /// The changes of the store itself.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        self.header.changes.iter().filter_map(|change| change.note.as_ref()?.note(change.op))
    }

    /// What goes, where this commit is the last of its log.
    pub(crate) fn closing(&self) -> Option<Closing> {
        self.notes().find_map(|note| if let Note::Closed(closing) = note { Some(closing) } else { None })
    }

    /// The size of the object in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// What this commit does to a state. It validates nothing: whoever wrote it did.
    ///
    /// A change whose meta section is not there any more is skipped. Whether it is missing lawfully is for the state at
    /// the head of the log to say.
    ///
    /// # Errors
    /// [`Error::Damaged`] if a section is not what the header says.
    pub(crate) fn replay(&self, keys: &StoreKeys) -> Result<Vec<Replay>> {
        let changes = self.header.changes.iter().zip(&self.sections).enumerate();
        changes
            .map(|(index, (change, sections))| {
                let index = to_u32(index)?;
                let version = VersionId { seq: self.seq, index };
                let at_ms = change.at.unwrap_or(self.header.at);
                let Some(Base64(id)) = change.mem else {
                    let note =
                        change.note.as_ref().and_then(|note| note.note(change.op)).ok_or_else(|| self.newer())?;
                    return Ok(Replay::Note { note, by: version });
                };
                let id = MemoryId(id);
                if change.op == Op::Deleted {
                    let previous = change.prev.map(|previous| previous.0);
                    return Ok(Replay::Remove { id, previous, version, at_ms });
                }
                if sections.meta.is_empty() && change.meta.is_some() {
                    return Ok(Replay::Skip { id, version, at_ms });
                }
                let meta = self.meta(keys, index, change, sections)?;
                let content = content_ref(version, &meta, sections)?;
                Ok(Replay::Set(Memory {
                    id,
                    path: MemoryPath::from_sealed(&meta.path),
                    size: meta.size,
                    sha256: meta.sha256.0,
                    version,
                    content,
                    created_ms: at_ms,
                    updated_ms: at_ms,
                    used_day: 0,
                }))
            })
            .collect()
    }

    /// The record of change `index`, without its content; nothing if the commit has no such change.
    ///
    /// A meta section that is not there any more leaves a record without path and content. The path of a deletion
    /// stands in the version before it, so it is left out here.
    ///
    /// # Errors
    /// [`Error::Damaged`] if a section that is there is not what the header says.
    pub(crate) fn version(&self, keys: &StoreKeys, index: u32) -> Result<Option<Version>> {
        let at = index as usize;
        let (Some(change), Some(sections)) = (self.header.changes.get(at), self.sections.get(at)) else {
            return Ok(None);
        };
        let id = VersionId { seq: self.seq, index };
        let Some(record) = self.record(index)? else { return Ok(None) };
        let meta = match change.op {
            Op::Deleted => None,
            _ if sections.meta.is_empty() && change.meta.is_some() => None,
            _ => Some(self.meta(keys, index, change, sections)?),
        };
        // What a version shares is there as long as the version's own meta is. What it holds itself is seen here.
        let content = match &meta {
            Some(meta) if meta.data.is_some() || !sections.content.is_empty() => Some(content_ref(id, meta, sections)?),
            _ => None,
        };
        Ok(Some(Version {
            path: meta.as_ref().map(|meta| MemoryPath::from_sealed(&meta.path)),
            size: meta.as_ref().map(|meta| meta.size),
            sha256: meta.as_ref().map(|meta| meta.sha256.0),
            content,
            ..record
        }))
    }

    fn meta(&self, keys: &StoreKeys, index: u32, change: &HeaderChange, sections: &Sections) -> Result<Meta> {
        let bytes = self.section(index, "meta", &sections.meta, change.meta)?;
        let info = keys.context(Kind::Commit, self.seq, meta_section(index)).encode();
        crypto::open_section(keys.keyring().key(), &self.salt, &info, bytes)
            .ok()
            .and_then(|padded| from_json(&padded))
            .ok_or_else(|| self.damaged(index, "meta", "does not open"))
    }

    /// The content that change `index` wrote.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the section is missing or not what the header says.
    pub(crate) fn content(&self, keys: &StoreKeys, index: u32) -> Result<Bytes> {
        let at = index as usize;
        let (Some(change), Some(sections)) = (self.header.changes.get(at), self.sections.get(at)) else {
            return Err(self.damaged(index, "content", "does not exist"));
        };
        let bytes = self.section(index, "content", &sections.content, change.data)?;
        open_content(keys, VersionId { seq: self.seq, index }, bytes)
    }

    /// Checks every section that is there against the header, content included, without opening it.
    ///
    /// # Errors
    /// [`Error::Damaged`] for the first section that is not as written.
    pub(crate) fn check_sections(&self) -> Result<()> {
        for (index, (change, sections)) in self.header.changes.iter().zip(&self.sections).enumerate() {
            let index = to_u32(index)?;
            for (name, range, hash) in
                [("meta", &sections.meta, change.meta), ("content", &sections.content, change.data)]
            {
                if !range.is_empty() {
                    self.section(index, name, range, hash)?;
                }
            }
        }
        Ok(())
    }

    /// The indices of the changes whose content is there.
    pub(crate) fn with_content(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.sections).filter(|(_, sections)| !sections.content.is_empty()).map(|(index, _)| index)
    }

    pub(super) fn section(
        &self,
        index: u32,
        name: &str,
        range: &Range<usize>,
        hash: Option<Base64<32>>,
    ) -> Result<&[u8]> {
        let Some(Base64(hash)) = hash else {
            return Err(self.damaged(index, name, "is not named by the header"));
        };
        if range.is_empty() {
            return Err(self.damaged(index, name, "is missing"));
        }
        match self.bytes.get(range.clone()) {
            Some(bytes) if <[u8; 32]>::from(Sha256::digest(bytes)) == hash => Ok(bytes),
            _ => Err(self.damaged(index, name, "is not the one that was written")),
        }
    }

    fn damaged(&self, index: u32, name: &str, problem: &str) -> Error {
        Error::damaged(format!("{name} of change {index} in commit {}", self.seq), problem)
    }
}

/// Where the content of a change with this meta section lies.
fn content_ref(version: VersionId, meta: &Meta, sections: &Sections) -> Result<ContentRef> {
    Ok(match meta.data {
        Some(elsewhere) => ContentRef { version: elsewhere.0, offset: 0, len: 0 },
        None => ContentRef { version, offset: sections.content.start as u64, len: to_u32(sections.content.len())? },
    })
}

/// Opens a content section that was read by itself. The caller compares the SHA-256 with what the state holds.
///
/// # Errors
/// [`Error::Damaged`] if it does not open.
pub(crate) fn open_content(keys: &StoreKeys, version: VersionId, section: &[u8]) -> Result<Bytes> {
    let info = keys.context(Kind::Commit, version.seq, content_section(version.index)).encode();
    crypto::open(keys.keyring().key(), &info, section)
        .ok()
        .and_then(|padded| crypto::unpad(&padded).map(Bytes::copy_from_slice).ok())
        .ok_or_else(|| Error::damaged(format!("content of version {}.{}", version.seq, version.index), "does not open"))
}

fn meta_section(index: u32) -> u32 {
    1 + 2 * index
}

fn content_section(index: u32) -> u32 {
    2 + 2 * index
}

fn section_hash(section: &[u8]) -> Option<[u8; 32]> {
    (!section.is_empty()).then(|| Sha256::digest(section).into())
}
