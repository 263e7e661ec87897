//! From a passphrase to a key: Argon2id version 1.3 (RFC 9106), within bounds that are checked before any work.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use zeroize::Zeroizing;

use crate::Error;
use crate::secret::SlotKey;

/// Length of a passphrase slot's salt, in bytes (RFC 9106 §3.1 recommends 16).
pub const KDF_SALT_LEN: usize = 16;

/// The most Argon2 work that one header may ask for, all passphrase slots together, in KiB times passes: what one slot
/// at the upper bounds of memory and passes costs (16 GiB-passes).
pub const MAX_KDF_WORK: u64 = Argon2Params::MAX_M_KIB as u64 * Argon2Params::MAX_T as u64;

/// The cost of turning a passphrase into a key. A value of this type is always within the accepted bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argon2Params {
    m_kib: u32,
    t: u32,
    p: u32,
}

impl Argon2Params {
    /// Least memory, in KiB: 8 MiB.
    pub const MIN_M_KIB: u32 = 8 << 10;
    /// Most memory, in KiB: 1 GiB.
    pub const MAX_M_KIB: u32 = 1 << 20;
    /// Most passes; the least is 1.
    pub const MAX_T: u32 = 16;
    /// Most lanes; the least is 1.
    pub const MAX_P: u32 = 16;

    /// The second recommended option of RFC 9106 §4: 64 MiB, 3 passes, 4 lanes. Also the `Default`.
    pub const RECOMMENDED: Self = Self { m_kib: 64 << 10, t: 3, p: 4 };

    /// Memory in KiB, passes, lanes.
    ///
    /// # Errors
    ///
    /// [`Error::LimitsExceeded`] outside 8 MiB ≤ `m_kib` ≤ 1 GiB, 1 ≤ `t` ≤ 16, 1 ≤ `p` ≤ 16.
    pub const fn new(m_kib: u32, t: u32, p: u32) -> Result<Self, Error> {
        if m_kib < Self::MIN_M_KIB || m_kib > Self::MAX_M_KIB {
            return Err(Error::limits("Argon2 memory lies between 8 MiB and 1 GiB"));
        }
        if t < 1 || t > Self::MAX_T {
            return Err(Error::limits("Argon2 takes 1 to 16 passes"));
        }
        if p < 1 || p > Self::MAX_P {
            return Err(Error::limits("Argon2 takes 1 to 16 lanes"));
        }
        Ok(Self { m_kib, t, p })
    }

    /// Memory, in KiB.
    #[must_use]
    pub const fn m_kib(self) -> u32 {
        self.m_kib
    }

    /// Passes over the memory.
    #[must_use]
    pub const fn t(self) -> u32 {
        self.t
    }

    /// Lanes. They are computed one after another here, so they divide no time; the number changes the key.
    #[must_use]
    pub const fn p(self) -> u32 {
        self.p
    }

    /// What deriving a key costs, in KiB times passes; compare [`MAX_KDF_WORK`].
    #[must_use]
    pub const fn work(self) -> u64 {
        self.m_kib as u64 * self.t as u64
    }
}

impl Default for Argon2Params {
    fn default() -> Self {
        Self::RECOMMENDED
    }
}

/// Argon2id of the passphrase's bytes as given: no Unicode normalisation, no trimming.
///
/// The memory is asked for and wiped here, since the buffer that the `argon2` crate would use is not wiped.
pub(crate) fn stretch(passphrase: &[u8], params: Argon2Params, salt: &[u8; KDF_SALT_LEN]) -> Result<SlotKey, Error> {
    if passphrase.is_empty() {
        return Err(Error::BadKeyMaterial { what: "the passphrase is empty" });
    }
    let unusable = |_| Error::BadKeyMaterial { what: "Argon2 does not accept this passphrase" };
    let inner = Params::new(params.m_kib, params.t, params.p, Some(32)).map_err(unusable)?;
    let blocks = inner.block_count();
    let mut memory = Zeroizing::new(Vec::new());
    memory.try_reserve_exact(blocks).map_err(|_| Error::limits("not enough memory for Argon2 on this machine"))?;
    memory.resize(blocks, Block::new());
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, inner)
        .hash_password_into_with_memory(passphrase, salt, key.as_mut_slice(), memory.as_mut_slice())
        .map_err(unusable)?;
    Ok(SlotKey::from_bytes(*key))
}
