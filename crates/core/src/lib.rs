//! The engine of memoseal.
pub mod backend;
pub mod command;
pub mod path;
pub mod state;
pub use backend::Backend;
