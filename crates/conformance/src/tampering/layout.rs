//! Where the parts of an object lie, as `docs/format.md` has it: no more of it than a bucket shows without the key.

use std::ops::Range;

use super::attack::Sign;
use crate::Failure;

const PRELUDE: usize = 15;
const SALT: usize = 32;
const COMMITMENT: usize = 32;
const TAG: usize = 16;
/// The fixed part of a commit before its sealed header: prelude, chain value, length.
const COMMIT_CLEAR: usize = PRELUDE + 32 + 4;
/// That of a checkpoint: prelude, length.
const CHECKPOINT_CLEAR: usize = PRELUDE + 4;

const DAMAGED: &[Sign] = &[Sign::Damaged];
const NEWER: &[Sign] = &[Sign::NewerFormat];

/// A bit to change, and what readers may say of it.
pub(super) struct Spot {
    pub(super) what: &'static str,
    pub(super) at: usize,
    pub(super) bit: u8,
    pub(super) signs: &'static [Sign],
}

impl Spot {
    fn new(what: &'static str, at: usize) -> Self {
        Self { what, at, bit: 1, signs: DAMAGED }
    }

    /// The bytes with this bit changed.
    pub(super) fn change(&self, bytes: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        if let Some(byte) = changed.get_mut(self.at) {
            *byte ^= self.bit;
        }
        changed
    }
}

/// The parts of a commit.
pub(super) struct Commit {
    /// From the salt to the tag.
    header: Range<usize>,
    table: Range<usize>,
    /// Meta and content of each change.
    pub(super) sections: Vec<(Range<usize>, Range<usize>)>,
}

impl Commit {
    /// The layout of a commit of so many changes.
    pub(super) fn of(bytes: &[u8], changes: usize) -> Result<Self, Failure> {
        let header = sealed(bytes, COMMIT_CLEAR)?;
        let table = header.end..header.end + changes * 8;
        let mut at = table.end;
        let mut take = |length_at: usize| -> Result<Range<usize>, Failure> {
            let section = at..at + length(bytes, length_at)?;
            at = section.end;
            Ok(section)
        };
        let sections = (0..changes)
            .map(|change| Ok((take(table.start + change * 8)?, take(table.start + change * 8 + 4)?)))
            .collect::<Result<_, Failure>>()?;
        if at != bytes.len() {
            return Err(Failure::new(format!("a commit of {} bytes is laid out as one of {at}", bytes.len())));
        }
        Ok(Self { header, table, sections })
    }

    /// A bit in each part but the sections.
    pub(super) fn header_spots(&self) -> Vec<Spot> {
        let mut spots = prelude();
        spots.extend([
            Spot::new("the chain value", PRELUDE),
            Spot::new("the end of the chain value", PRELUDE + 31),
            Spot { bit: 0x80, ..Spot::new("the length of the header, by far", COMMIT_CLEAR - 4) },
            Spot::new("the length of the header", COMMIT_CLEAR - 1),
        ]);
        spots.extend(of_sealed(&self.header));
        spots.extend([
            Spot::new("the table, length of a meta section", self.table.start + 3),
            Spot { bit: 0x40, ..Spot::new("the table, that by far", self.table.start) },
            Spot::new("the table, length of a content section", self.table.start + 7),
            Spot::new("the end of the table", self.table.end - 1),
        ]);
        spots
    }

    /// Bits in the meta sections.
    pub(super) fn meta_spots(&self) -> Vec<Spot> {
        let of = |meta: &Range<usize>| [Spot::new("a meta section", meta.start), Spot::new("its tag", meta.end - 1)];
        self.sections.iter().flat_map(|(meta, _)| of(meta)).collect()
    }

    /// Bits in the content sections.
    pub(super) fn content_spots(&self) -> Vec<Spot> {
        self.sections.iter().flat_map(|(_, content)| of_sealed(content)).collect()
    }
}

/// A bit in each part of a keyring.
pub(super) fn keyring(bytes: &[u8]) -> Vec<Spot> {
    prelude().into_iter().chain(of_sealed(&(PRELUDE..bytes.len()))).collect()
}

/// A bit in each part of a checkpoint of one section.
pub(super) fn checkpoint(bytes: &[u8]) -> Result<Vec<Spot>, Failure> {
    let header = sealed(bytes, CHECKPOINT_CLEAR)?;
    let mut spots = prelude();
    spots.extend([
        Spot { bit: 0x80, ..Spot::new("the length of the header, by far", CHECKPOINT_CLEAR - 4) },
        Spot::new("the length of the header", CHECKPOINT_CLEAR - 1),
    ]);
    spots.extend(of_sealed(&header));
    spots.extend([
        Spot::new("the section", header.end),
        Spot::new("the middle of the section", (header.end + bytes.len()) / 2),
        Spot::new("the tag of the section", bytes.len() - 1),
    ]);
    Ok(spots)
}

/// A bit in each part of a vault's header.
pub(super) fn header(bytes: &[u8]) -> Result<Vec<Spot>, Failure> {
    const NOT_A_VAULT: &[Sign] = &[Sign::NotFound, Sign::Damaged];
    // Before the MAC can be checked a slot has to open.
    const KEY_OR_DAMAGE: &[Sign] = &[Sign::WrongKey, Sign::Damaged];
    const VERSION: &[Sign] = &[Sign::NewerFormat, Sign::Damaged];
    let text = String::from_utf8_lossy(bytes);
    let after = |field: &str| match text.find(field) {
        Some(at) => Ok(at + field.len()),
        None => Err(Failure::new(format!("the vault's header has no {field}"))),
    };
    let spot = |what, at, signs| Spot { signs, ..Spot::new(what, at) };
    let last_line = bytes.len().checked_sub(65).ok_or_else(|| Failure::new("the vault's header is short"))?;
    Ok(vec![
        spot("the beginning", 0, NOT_A_VAULT),
        spot("what it is", after("\"memoseal\":\"")?, NOT_A_VAULT),
        Spot { bit: 2, ..spot("the format", after("\"format\":")?, VERSION) },
        spot("the vault's id", after("\"vault\":\"")?, KEY_OR_DAMAGE),
        Spot { bit: 2, ..spot("the generation", after("\"generation\":")?, KEY_OR_DAMAGE) },
        Spot { bit: 2, ..spot("the epoch", after("\"epoch\":")?, KEY_OR_DAMAGE) },
        spot("a slot's id", after("\"id\":\"")?, KEY_OR_DAMAGE),
        spot("a slot", after("\"sealed\":\"")? + 60, KEY_OR_DAMAGE),
        spot("the secrets", after("}],\"sealed\":\"")? + 60, KEY_OR_DAMAGE),
        spot("the line break", last_line - 1, KEY_OR_DAMAGE),
        spot("the MAC", last_line, KEY_OR_DAMAGE),
        spot("the end of the MAC", bytes.len() - 2, KEY_OR_DAMAGE),
        spot("the end", bytes.len() - 1, KEY_OR_DAMAGE),
    ])
}

fn prelude() -> Vec<Spot> {
    vec![
        Spot::new("the magic", 0),
        Spot::new("the end of the magic", 7),
        Spot { signs: NEWER, ..Spot::new("the format, by far", 8) },
        Spot { bit: 2, signs: NEWER, ..Spot::new("the format", 9) },
        Spot::new("an older format", 9),
        Spot { bit: 2, ..Spot::new("the kind", 10) },
        Spot { bit: 4, ..Spot::new("another kind", 10) },
        Spot::new("the epoch", 14),
        Spot::new("the epoch, by far", 11),
    ]
}

/// A bit in each part of what is sealed in one piece.
fn of_sealed(piece: &Range<usize>) -> Vec<Spot> {
    let ciphertext = piece.start + SALT + COMMITMENT;
    vec![
        Spot::new("a salt", piece.start),
        Spot::new("a commitment", piece.start + SALT),
        Spot { bit: 0x80, ..Spot::new("the end of a commitment", ciphertext - 1) },
        Spot::new("a ciphertext", ciphertext),
        Spot::new("the middle of a ciphertext", (ciphertext + piece.end - TAG) / 2),
        Spot::new("a tag", piece.end - TAG),
        Spot { bit: 0x80, ..Spot::new("the end of a tag", piece.end - 1) },
    ]
}

/// The sealed piece behind its length, which ends at `start`.
fn sealed(bytes: &[u8], start: usize) -> Result<Range<usize>, Failure> {
    Ok(start..start + length(bytes, start - 4)?)
}

fn length(bytes: &[u8], at: usize) -> Result<usize, Failure> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    found.map(|length| u32::from_be_bytes(*length) as usize).ok_or_else(|| Failure::new("an object is too short"))
}
