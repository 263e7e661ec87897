//! Object stores for tests of memoseal: one that counts requests, and one that injects faults.
//!
//! Both wrap any `Arc<dyn ObjectStore>` and are stores themselves, so they stack. Both are handles: clone one into the
//! code under test and keep the other to look at or to script.
//!
//! ```
//! use std::sync::Arc;
//! use memoseal_testkit::{Counts, CountingStore, FaultStore, Op, errors};
//! use object_store::{ObjectStore, ObjectStoreExt, PutMode, memory::InMemory, path::Path};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> object_store::Result<()> {
//! let counting = CountingStore::new(Arc::new(InMemory::new()));
//! let faults = FaultStore::new(Arc::new(counting.clone()));
//! let store: Arc<dyn ObjectStore> = Arc::new(faults.clone());
//!
//! // The second commit lands, but its answer is lost on the way.
//! faults.on(Op::PutCreate).path_contains("log/").nth(2).land_then_fail(errors::timeout());
//!
//! store.put_opts(&Path::from("log/2"), "two".into(), PutMode::Create.into()).await?;
//! assert!(store.put_opts(&Path::from("log/1"), "one".into(), PutMode::Create.into()).await.is_err());
//! assert_eq!(store.get(&Path::from("log/1")).await?.bytes().await?, "one");
//! assert_eq!(counting.counts().requests(), Counts { put_create: 2, get: 1, ..Counts::default() });
//! assert!(faults.all_fired());
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `op` | the kinds of requests |
//! | `counting` | [`CountingStore`], [`Counts`], the log of [`Request`]s |
//! | `faults` | [`FaultStore`] and its rules: [`On`], [`Gate`], [`Late`] |
//! | [`errors`] | realistic errors to inject |
//! | [`measure`] | how benchmarks take turns, and how a page shows their times |
//! | [`sim`] | a bucket for simulations, in tokio's time |

mod counting;
pub mod errors;
mod faults;
pub mod measure;
mod op;
pub mod sim;

pub use counting::{CountingStore, Counts, PAGE, Request};
pub use errors::Fault;
pub use faults::{FaultStore, Gate, Late, On};
pub use op::Op;
