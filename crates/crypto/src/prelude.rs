//! The first bytes of every sealed object but the vault header: what it is and which key opens it, in the clear.
//!
//! `"memoseal"` ‖ format (u16) ‖ kind (u8) ‖ vault key epoch (u32), integers big-endian: [`PRELUDE_LEN`] bytes. None of it
//! needs a MAC of its own: format and kind are in the [context](crate::Context), and the epoch chooses the key.

use crate::{Error, FORMAT, Kind};

/// The first eight bytes of every sealed object.
pub const MAGIC: [u8; 8] = *b"memoseal";
/// Length of the prelude, in bytes.
pub const PRELUDE_LEN: usize = 15;

/// The fields of a prelude of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prelude {
    /// What the object is.
    pub kind: Kind,
    /// The epoch of the key that the object is sealed under, from 1.
    pub epoch: u32,
}

/// Why the first bytes of an object are not a prelude of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreludeError {
    /// The bytes are not a memoseal object, or of a kind that this format does not have.
    #[error("not a memoseal object")]
    NotOurs,
    /// A newer version of memoseal wrote the object.
    #[error("written in format {found}, newer than {FORMAT}")]
    NewerFormat {
        /// The format number that stands in the object.
        found: u16,
    },
    /// The object ends inside the prelude; an empty one too.
    #[error("cut short inside the prelude")]
    Truncated,
}

impl From<PreludeError> for Error {
    fn from(error: PreludeError) -> Self {
        match error {
            PreludeError::NotOurs => Self::damaged("not a memoseal object"),
            PreludeError::NewerFormat { found } => Self::newer(found.into()),
            PreludeError::Truncated => Self::damaged("an object cut short"),
        }
    }
}

impl Prelude {
    /// The bytes of the prelude.
    #[must_use]
    pub fn to_bytes(self) -> [u8; PRELUDE_LEN] {
        let [m0, m1, m2, m3, m4, m5, m6, m7] = MAGIC;
        let [f0, f1] = FORMAT.to_be_bytes();
        let [e0, e1, e2, e3] = self.epoch.to_be_bytes();
        [m0, m1, m2, m3, m4, m5, m6, m7, f0, f1, self.kind.code(), e0, e1, e2, e3]
    }

    /// Appends the prelude to an object under construction.
    pub fn write(self, object: &mut Vec<u8>) {
        object.extend_from_slice(&self.to_bytes());
    }

    /// Reads a prelude from the front of `object`; returns it and what follows.
    ///
    /// # Errors
    ///
    /// [`PreludeError::NotOurs`] as soon as a byte of the magic differs, [`PreludeError::Truncated`] if the object ends
    /// first, [`PreludeError::NewerFormat`] as soon as the format number says so, whatever comes after it.
    pub fn parse(object: &[u8]) -> Result<(Self, &[u8]), PreludeError> {
        if !object.iter().zip(&MAGIC).all(|(found, ours)| found == ours) {
            return Err(PreludeError::NotOurs);
        }
        let rest = object.strip_prefix(&MAGIC).ok_or(PreludeError::Truncated)?;
        let (format, rest) = rest.split_first_chunk::<2>().ok_or(PreludeError::Truncated)?;
        let format = u16::from_be_bytes(*format);
        if format > FORMAT {
            return Err(PreludeError::NewerFormat { found: format });
        }
        let (kind, rest) = rest.split_first().ok_or(PreludeError::Truncated)?;
        let kind = Kind::from_code(*kind).filter(|_| format == FORMAT).ok_or(PreludeError::NotOurs)?;
        let (epoch, rest) = rest.split_first_chunk::<4>().ok_or(PreludeError::Truncated)?;
        Ok((Self { kind, epoch: u32::from_be_bytes(*epoch) }, rest))
    }

    /// [`parse`](Self::parse), for a caller that knows which kind must stand here.
    ///
    /// # Errors
    ///
    /// As `parse`; another kind is [`PreludeError::NotOurs`].
    pub fn parse_kind(object: &[u8], kind: Kind) -> Result<(Self, &[u8]), PreludeError> {
        let (prelude, rest) = Self::parse(object)?;
        if prelude.kind == kind { Ok((prelude, rest)) } else { Err(PreludeError::NotOurs) }
    }
}
