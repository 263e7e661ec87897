//! The shared suite on the server that `MEMOSEAL_TEST_S3_URL` names; `cargo xtask test --only servers` starts one.

use memoseal_conformance::{Failure, Server};
use memoseal_core::Backend;

fn open(url: &str) -> Result<Backend, Failure> {
    Ok(memoseal_s3::open(&url.parse()?, |name| std::env::var(name).ok())?)
}

memoseal_conformance::suite!(Server::new("MEMOSEAL_TEST_S3_URL", open));
