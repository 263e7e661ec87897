//! Whether a place can hold a vault, and what endangers it there.
//!
//! A [`Trial`] works on any [`Backend`](memoseal_core::Backend), below a throw-away prefix: may these credentials put, get,
//! list and delete; does put-if-absent hold when many race for a name; do listings come in order; is what was written there
//! at once; how long does it take. A [`Provider`] says what only the provider's own API knows: versioning, lifecycle
//! rules, public access. Each answer is one [`Check`], and what could not be asked is
//! [`NotChecked`](Grade::NotChecked), with what it would need, and never good.
//!
//! ```
//! use std::sync::Arc;
//!
//! use memoseal_core::Backend;
//! use memoseal_doctor::{Grade, Permissions, Trial};
//! use object_store::memory::InMemory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> memoseal_core::Result<()> {
//! let trial = Trial::new(&Backend::single(Arc::new(InMemory::new())), Permissions::default())?;
//! let mut checks = Vec::new();
//! trial.run(&mut |check| checks.push(check)).await;
//! checks.push(trial.clean_up().await);
//! assert!(checks.iter().all(|check| check.grade == Grade::Good), "{checks:?}");
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `check` | one answer, and how bad it is |
//! | `provider` | what a provider's own API knows |
//! | `trial` | what can be tried on any store |
//! | [`lifecycle`] | which of a bucket's rules touch a vault |

#![forbid(unsafe_code)]

mod check;
pub mod lifecycle;
mod provider;
mod trial;

pub use self::{
    check::{Check, Grade},
    provider::{Permissions, Provider},
    trial::Trial,
};
