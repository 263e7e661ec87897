//! The only door through which randomness comes in.

use crate::Error;

/// A cryptographically secure source of random bytes, supplied by the caller.
///
/// An implementation must be suitable for keys (the operating system's generator is); a predictable one belongs in
/// tests only. It must fill the whole of `dest` or fail.
pub trait Random: Send + Sync {
    /// Fills `dest` with fresh random bytes.
    ///
    /// # Errors
    ///
    /// [`RandomError`] if the source cannot deliver; `dest` is then not used.
    fn fill(&self, dest: &mut [u8]) -> Result<(), RandomError>;
}

/// The source of randomness could not deliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the source of randomness is unavailable")]
pub struct RandomError;

/// `N` fresh random bytes, for salts and ids. Keys have their own `generate`.
///
/// # Errors
///
/// [`Error::Randomness`] if the source fails.
pub fn random_array<const N: usize>(random: &dyn Random) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    random.fill(&mut bytes)?;
    Ok(bytes)
}
