//! What can be wrong with a URL or a setting.

/// Why a URL and its settings lead to no bucket: what was tried, what is wrong, what to do.
///
/// No text holds the value of an option, of a variable, or of a user name or password in a URL.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL cannot name a place in a bucket.
    #[error("cannot read the vault's URL: it has {problem}: give one like {example}{todo}")]
    Url {
        /// What it has and should not have, or the other way round: "no bucket", "a user name or password", ….
        problem: String,
        /// A good URL.
        example: &'static str,
        /// What else to do; empty, or begins with a comma.
        todo: &'static str,
    },

    /// The URL has an option that this backend does not know, or twice.
    #[error(
        "cannot read the vault's URL: {problem} `{name}`: the options of {scheme}: URLs are {known}, each at most once"
    )]
    Option {
        /// "there is no option", ….
        problem: &'static str,
        /// The option, without its value.
        name: String,
        /// The scheme of the URL.
        scheme: &'static str,
        /// The options there are.
        known: String,
    },

    /// An option or a variable has a value that cannot be used.
    #[error("cannot use the setting `{name}`: it is not {expected}: {todo}")]
    Setting {
        /// The option or variable.
        name: String,
        /// What it should be: "true or false", ….
        expected: &'static str,
        /// What to do.
        todo: &'static str,
    },

    /// The endpoint is not encrypted, and nobody said that it may be so.
    #[error(
        "cannot use the endpoint in `{name}`: it begins with http:, so credentials and sizes would travel in the clear: \
         give an https: one, or add allow_http=true to the URL of a server of your own"
    )]
    InTheClear {
        /// The option or variable.
        name: String,
    },

    /// The client library refuses the settings.
    #[error("cannot set up the client for {what}: {source}: {todo}")]
    Client {
        /// What for: "the bucket `memory`".
        what: String,
        /// What the library said.
        source: object_store::Error,
        /// What to do.
        todo: &'static str,
    },
}
