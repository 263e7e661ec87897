//! Which part of a vault a verb looks at.

use clap::{ArgMatches, parser::ValueSource};
use memoseal::Error;

use super::{Maintain, Verb};

/// What of a vault a verb looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// One store of one user.
    Store,
    /// One user.
    User,
    /// All of it.
    Vault,
    /// Places that are named after the verb.
    Places,
    /// None of it, but a text.
    #[cfg(feature = "scrub")]
    Text,
    /// None of it.
    Nothing,
}

impl Reach {
    /// Refuses a vault, a user or a store that was named for a verb which does not look at it: it would say something untrue.
    pub(crate) fn check(self, matches: &ArgMatches) -> Result<(), Error> {
        // Who asks for an option that there is not panics.
        let is_option = |name: &str| name != "rules" || cfg!(feature = "scrub");
        let named = |name: &str| is_option(name) && matches.value_source(name) == Some(ValueSource::CommandLine);
        let ignored: &[&str] = match self {
            Self::Store => &[],
            #[cfg(feature = "scrub")]
            Self::Text => &["vault", "user", "store"],
            Self::User => &["store", "rules"],
            Self::Places => &["vault", "user", "store", "rules"],
            Self::Vault | Self::Nothing => &["user", "store", "rules"],
        };
        let scope = match self {
            Self::Store => return Ok(()),
            #[cfg(feature = "scrub")]
            Self::Text => "this looks at a text outside of any vault",
            Self::User => "this looks at all stores of a user",
            Self::Vault => "this looks at the whole vault",
            Self::Places => "this looks at the places that are named after it",
            Self::Nothing => "this looks at no vault",
        };
        match ignored.iter().find(|name| named(name)) {
            None => Ok(()),
            Some(name) => Err(Error::Invalid(format!("--{name} would change nothing, since {scope}: leave it out"))),
        }
    }
}

impl Verb {
    pub(crate) fn reach(&self) -> Reach {
        match self {
            Self::Tool(_)
            | Self::Cat(_)
            | Self::Put(_)
            | Self::Ls(_)
            | Self::Rm(_)
            | Self::Mv(_)
            | Self::Search(_)
            | Self::Import(_)
            | Self::Export(_)
            | Self::Clear(_)
            | Self::History(_)
            | Self::Show(_)
            | Self::Diff(_)
            | Self::Restore(_)
            | Self::Redact(_)
            | Self::Retention(_)
            | Self::Maintain(Maintain { only_store: true, .. })
            // What is in force for the others.
            | Self::Config => Reach::Store,
            #[cfg(feature = "scrub")]
            Self::Policy(_) => Reach::Store,
            Self::Stores | Self::DestroyStore(_) => Reach::User,
            Self::Init(_)
            | Self::Maintain(_)
            | Self::Info
            | Self::Users
            | Self::DestroyUser(_)
            | Self::Verify(_)
            | Self::Doctor(_)
            | Self::Slot(_)
            | Self::Rotate(_) => Reach::Vault,
            Self::Copy(_) => Reach::Places,
            #[cfg(feature = "conformance")]
            Self::Conformance(_) => Reach::Nothing,
            #[cfg(feature = "scrub")]
            Self::Scrub(_) => Reach::Text,
            Self::Completions(_) | Self::Version | Self::Demo => Reach::Nothing,
        }
    }
}
