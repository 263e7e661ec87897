//! What the program can do, a file a verb.

pub(crate) mod cat;
pub(crate) mod clear;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod init;
pub(crate) mod ls;
pub(crate) mod maintain;
pub(crate) mod mv;
pub(crate) mod names;
pub(crate) mod program;
pub(crate) mod put;
pub(crate) mod redact;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod rm;
pub(crate) mod rotate;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod slot;
pub(crate) mod tool;
pub(crate) mod verify;
