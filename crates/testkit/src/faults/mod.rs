//! A store that fails as it is told to.
//!
//! `rule` is how a fault is scripted, `plan` what the rules make of one request, `gate` what a test holds in its hand,
//! `listing` how listings are falsified, `store` the store.

mod gate;
mod listing;
mod plan;
mod rule;
mod store;

pub use gate::{Gate, Late};
pub use rule::On;
pub use store::FaultStore;
