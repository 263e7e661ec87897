//! A reverse proxy on the loopback address, for tests: between the real program and one server that speaks the
//! protocol of a cloud.
//!
//! ```
//! use memoseal_testproxy::{Fault, Op, Proxy};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let proxy = Proxy::start("http://127.0.0.1:9000").await?;
//! // From now on every put-if-absent reaches the server, and its answer is lost.
//! proxy.set_rule(|request| (request.op == Op::Create).then_some(Fault::LoseAnswer));
//! println!("point the program at {}", proxy.url());
//! # assert!(proxy.book().trace().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Requests and answers are held whole on their way, so that when a request began and ended is well defined.
//!
//! | module | what it holds |
//! |---|---|
//! | `proxy` | [`Proxy`]: listens, forwards, does what the rule says |
//! | `request` | [`Request`]: what was asked, of which kind of object |
//! | `fault` | [`Fault`] and [`Weather`], faults that a seed decides |
//! | `book` | [`Book`]: counts, the trace, how many requests had to wait for each other |
//! | `gcs` | from the XML PUT of the client to the upload that fake-gcs-server honours, and back |
//! | `body` | bodies that come slowly or end early |

#![forbid(unsafe_code)]

mod body;
mod book;
mod fault;
mod gcs;
mod proxy;
mod request;

pub use book::{Book, Span, levels};
pub use fault::{Fault, Weather};
pub use proxy::Proxy;
pub use request::{Kind, Op, Request};
