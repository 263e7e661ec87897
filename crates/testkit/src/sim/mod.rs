//! A bucket for simulations: in memory, in tokio's time, with weather that a seed decides.
//!
//! [`Bucket`] holds the objects and tells every change in the order in which it landed. Each process has a [`Client`]
//! of its own, which can be killed: it never answers again, and what it had sent lands or not. [`Weather`] says what
//! may happen to a request. All of it is a function of the seed, on a runtime of one thread with paused time.

mod bucket;
mod client;
mod rng;
mod weather;

pub use bucket::{Bucket, Landing, Object, Objects};
pub use client::Client;
pub use rng::Rng;
pub use weather::Weather;
