//! Finds secrets and personal data in text, and takes them out. No I/O, no clock, no randomness of its own.
//!
//! A value becomes `[REDACTED:<kind>]`, as a whole; lines and their ends stay as they were; scrubbing twice changes
//! nothing; and no finding, error or placeholder ever holds a value. What cannot be decided is an error, so that a
//! caller who writes only what came back writes nothing that was not looked at.
//!
//! # Example
//!
//! ```
//! use memoseal_scrub::{Mode, Policy, Scrubber};
//!
//! # fn main() -> Result<(), memoseal_scrub::Error> {
//! let scrubber = Scrubber::new(Policy::all())?;
//! let scrubbed = scrubber.scrub("ask ada@corp.dev\ndb_password = hunter2\n")?;
//! assert_eq!(scrubbed.text, "ask [REDACTED:email]\ndb_password = [REDACTED:password]\n");
//! assert_eq!((scrubbed.findings[1].kind.as_str(), scrubbed.findings[1].line), ("password", 2));
//!
//! // A kind can be refused instead, or looked for where it is off by default.
//! let strict = Scrubber::new(Policy::secrets().with_mode("password", Mode::Reject).with_mode("ip-address", Mode::Redact))?;
//! assert!(strict.scrub("db_password = hunter2").is_err());
//! assert_eq!(strict.scrub("at 10.0.0.7")?.text, "at [REDACTED:ip-address]");
//! # Ok(())
//! # }
//! ```
//!
//! # How a text is looked at
//!
//! One pass over its bytes finds the keywords of all rules and detectors. A rule's pattern is tried at its keyword or in the
//! line around it, and compiled when that first happens; a detector reads what stands there. The same is done with other
//! readings of the text, each with a map of where its bytes come from: without invisible characters, look-alikes and
//! escapes; with pieces joined; and what base64 and hex decode to. What was found is taken out, and the result looked at
//! again until nothing is found in it.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | [`policy`](Policy), `allowed` | what is looked for, what happens to it, what is left alone |
//! | [`scrubber`](Scrubber) | a policy put to use: rounds, decisions, errors |
//! | `scan` | one look at a text in all its readings |
//! | [`rules`](Rules) | gitleaks' format; `rules/default.toml` is ours |
//! | `detect` | passwords behind names, in URLs, headers, commands; keys, tokens of JSON, Secrets of Kubernetes |
//! | `personal` | e-mail, cards, accounts, numbers of people and phones |
//! | `view` | other readings of a text |
//! | `hit`, `redact` | spans that overlap become one; placeholders take their place |
//! | `placeholder` | the grammar, and edits that would cut into one |
//! | [`kinds()`] | which kinds there are, and at which level each is looked for |
//!
//! # What it does not do
//!
//! It does not find what is written backwards, in rot13, spelled out or encrypted, nor a secret that looks like a word
//! and has no label. It asks no provider whether a token is alive.

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
