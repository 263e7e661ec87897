//! Finds secrets and personal data in text, and takes them out.
//!
//! # Example
//!
//! ```
//! use memoseal_scrub::{Policy, Scrubber};
//!
//! # fn main() -> Result<(), memoseal_scrub::Error> {
//! let scrubber = Scrubber::new(Policy::all())?;
//! let scrubbed = scrubber.scrub("ask ada@corp.dev")?;
//! assert_eq!(scrubbed.text, "ask [REDACTED:email]");
//! assert_eq!(scrubbed.findings[0].line, 1);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod allowed;
mod detect;
mod error;
mod finding;
mod hit;
mod kinds;
mod personal;
mod placeholder;
mod policy;
mod redact;
mod rules;
mod sample;
mod scan;
mod scrubber;
mod text;
mod view;

pub use self::{
    allowed::Allowed,
    error::Error,
    finding::{Finding, Scrubbed},
    kinds::{Class, kinds},
    placeholder::{cuts_placeholder, placeholder, placeholders},
    policy::{Level, Mode, Policy},
    rules::{Rules, compile},
    scrubber::{MAX_TEXT, Scrubber},
};
