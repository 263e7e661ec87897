//! The six commands against BEHAVIOUR.md, without a store: edits are laid over a tree in memory.

mod create;
mod defects;
mod delete;
mod documentation;
mod harness;
mod input;
mod insert;
mod limits;
mod overlay;
mod properties;
mod put;
mod rename;
mod str_replace;
mod turn;
mod view_directory;
mod view_file;
