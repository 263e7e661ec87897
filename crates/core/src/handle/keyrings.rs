//! Reading keyrings: the newest generation counts, under a vault key that the header at hand may not hold yet. It is a
//! keyring, or the tombstone of a user that was destroyed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use memoseal_crypto::{self as crypto, Keyring, Kind, MAX_KEYRING_LEN, Prelude, TOMBSTONE_LEN};

use super::Vault;
use crate::{
    Error, Result,
    log::{
        names::{self, KeyedHash},
        series::{self, Series},
    },
};

pub(super) const WHAT: &str = "the user's keyring";

/// The newest generation of each keyring that this process has opened: it never goes back behind it.
#[derive(Debug, Default)]
pub(super) struct Floors(Mutex<HashMap<KeyedHash, u64>>);

impl Floors {
    fn get(&self, user: &KeyedHash) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(user).copied().unwrap_or(0)
    }

    pub(super) fn raise(&self, user: &KeyedHash, generation: u64) {
        let mut floors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let floor = floors.entry(*user).or_default();
        *floor = generation.max(*floor);
    }
}

/// The life of a user or a store that was never destroyed.
pub(super) const FIRST_LIFE: u64 = 1;

/// What a user has for a keyring.
#[derive(Debug)]
pub(super) enum Newest {
    /// None, and never had one.
    Never,
    /// This one.
    Alive(Arc<Keyring>),
    /// A tombstone: this life of the user was destroyed, and all before it.
    Destroyed { life: u64 },
}

impl Newest {
    pub(super) fn alive(self) -> Option<Arc<Keyring>> {
        match self {
            Self::Alive(keyring) => Some(keyring),
            Self::Never | Self::Destroyed { .. } => None,
        }
    }

    /// The life that the user has, or would have if it were made now.
    pub(super) fn life(&self) -> u64 {
        match self {
            Self::Never => FIRST_LIFE,
            Self::Alive(keyring) => keyring.life(),
            Self::Destroyed { life } => life.saturating_add(1),
        }
    }
}

/// A user's newest keyring or tombstone, and how it lies in the bucket.
pub(super) struct Found {
    /// Nothing where it is a tombstone.
    pub(super) keyring: Option<Keyring>,
    /// The life that it holds the key of, or that was destroyed.
    pub(super) life: u64,
    pub(super) generation: u64,
    /// The epoch of the vault key that it is sealed under.
    pub(super) epoch: u32,
}

/// The series of a user's keyrings.
pub(super) fn series<'a>(vault: &'a Vault, user: &KeyedHash) -> Series<'a> {
    let kind = series::Kind { what: WHAT, max: MAX_KEYRING_LEN as u64, kept: Some(TOMBSTONE_LEN as u64) };
    Series::new(vault.backend(), vault.patience().read, names::keyrings(vault.prefix(), user), kind)
}

/// What a user has for a keyring. Two requests.
///
/// # Errors
/// [`Error::Damaged`] if it is not what was written there, or older than one that this process has seen; those of
/// [`Vault::refresh`] if it is sealed under a vault key that is new to this process.
pub(super) async fn newest(vault: &Vault, user: &KeyedHash) -> Result<Newest> {
    Ok(find(vault, user, None).await?.map_or(Newest::Never, Found::into_newest))
}

/// What a user has for a keyring, where a listing called generation `listed` the newest. One request.
///
/// # Errors
/// As [`newest`].
pub(super) async fn read_keyring(vault: &Vault, user: &KeyedHash, listed: u64) -> Result<Newest> {
    let missing = || Error::damaged(WHAT, "it was listed but cannot be found any more");
    Ok(find(vault, user, Some(listed)).await?.ok_or_else(missing)?.into_newest())
}

impl Found {
    pub(super) fn into_newest(self) -> Newest {
        match self.keyring {
            Some(keyring) => Newest::Alive(Arc::new(keyring)),
            None => Newest::Destroyed { life: self.life },
        }
    }
}

/// [`newest`], with its place. `listed` is what a listing called the newest, if one has been read.
pub(super) async fn find(vault: &Vault, user: &KeyedHash, mut listed: Option<u64>) -> Result<Option<Found>> {
    let series = series(vault, user);
    loop {
        // Both are read before the bucket is: another task may go on to newer ones meanwhile.
        let (floor, header) = (vault.keyring_floors().get(user), vault.open_vault());
        let newest = match listed.take().filter(|listed| *listed >= floor) {
            Some(listed) => Some(series.follow(listed).await?),
            None => series.newest().await?,
        };
        let Some((generation, bytes)) = newest else {
            return if floor == 0 { Ok(None) } else { Err(Error::damaged(WHAT, "it was read before and is gone")) };
        };
        if generation < floor {
            let problem = format!(
                "the newest is generation {generation}, but this process has seen {floor}: an older copy was put in place"
            );
            return Err(Error::damaged(WHAT, problem));
        }
        let keyring = match Keyring::open(&bytes, &header, *user, generation) {
            Err(crypto::Error::UnknownEpoch { epoch }) => {
                // The header was rotated since it was read, or this is no keyring of ours.
                vault.refresh().await?;
                if vault.open_vault().generation() > header.generation() {
                    continue;
                }
                return Err(keyring_error(crypto::Error::UnknownEpoch { epoch }));
            }
            Err(crypto::Error::Destroyed { life }) => Err(life),
            opened => Ok(opened.map_err(keyring_error)?),
        };
        let (keyring, life) = match keyring {
            Ok(keyring) if names::user_hash(header.name_key(), keyring.user()) != *user => {
                return Err(Error::damaged(WHAT, "it belongs to another user"));
            }
            Ok(keyring) => {
                let life = keyring.life();
                (Some(keyring), life)
            }
            Err(destroyed) => (None, destroyed),
        };
        let (prelude, _) = Prelude::parse_kind(&bytes, Kind::Keyring).map_err(|error| keyring_error(error.into()))?;
        vault.keyring_floors().raise(user, generation);
        return Ok(Some(Found { keyring, life, generation, epoch: prelude.epoch }));
    }
}

/// Whether this is the tombstone that was written as generation `generation`.
pub(super) fn is_tombstone(vault: &Vault, user: &KeyedHash, generation: u64, bytes: &[u8]) -> bool {
    let opened = Keyring::open(bytes, &vault.open_vault(), *user, generation);
    matches!(opened, Err(crypto::Error::Destroyed { .. }))
}

pub(super) fn keyring_error(error: crypto::Error) -> Error {
    match error {
        crypto::Error::NewerFormat { .. } => Error::NewerFormat { what: WHAT.into() },
        crypto::Error::Randomness(_) => Error::NoRandomness,
        other => Error::damaged(WHAT, other),
    }
}
