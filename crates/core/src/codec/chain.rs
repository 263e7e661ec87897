//! The hash chain over the sealed headers of a log.
//!
//! `chain(n) = SHA-256(label ‖ chain(n-1) ‖ SHA-256(sealed header n))`. It needs no key, so anybody who has the bucket
//! can check that a log is unbroken and agrees with a value that was seen earlier.

use sha2::{Digest, Sha256};

/// The value of the chain after some commit.
pub(crate) type ChainValue = [u8; 32];

const GENESIS: &[u8] = b"memoseal/v1 chain genesis";
const LINK: &[u8] = b"memoseal/v1 chain link";

pub(crate) struct Chain;

impl Chain {
    /// `chain(0)`: over everything that tells this log from another.
    pub(crate) fn genesis(
        vault: [u8; 16],
        user: [u8; 16],
        store: [u8; 16],
        user_life: u64,
        store_life: u64,
    ) -> ChainValue {
        Sha256::new()
            .chain_update(GENESIS)
            .chain_update(vault)
            .chain_update(user)
            .chain_update(store)
            .chain_update(user_life.to_be_bytes())
            .chain_update(store_life.to_be_bytes())
            .finalize()
            .into()
    }

    /// The value after a commit with this sealed header.
    pub(crate) fn link(previous: &ChainValue, sealed_header: &[u8]) -> ChainValue {
        let header: [u8; 32] = Sha256::digest(sealed_header).into();
        Sha256::new().chain_update(LINK).chain_update(previous).chain_update(header).finalize().into()
    }
}
