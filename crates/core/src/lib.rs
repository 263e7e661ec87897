//! The engine of memoseal.
pub mod backend;
pub use backend::Backend;
