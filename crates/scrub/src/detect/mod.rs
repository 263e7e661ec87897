//! Places where a secret stands, whatever it looks like.

mod assignment;
mod authorization;
mod code;
mod command;
mod foreign;
mod join;
mod jwt;
mod kubernetes;
mod label;
mod pair;
mod pem;
mod prose;
mod provider;
mod random;
mod reference;
mod url;
mod vault_key;

use std::ops::Range;

use crate::hit::Hit;

/// A detector, which runs where a keyword of it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    Pem,
    Assignment,
    Url,
    Jwt,
    Authorization,
    Scheme,
    Curl,
    Login,
    Netrc,
    Kubernetes,
    Provider,
    Foreign,
    Program,
    Identified,
    SecureString,
    VaultKey,
}

impl Detector {
    /// Keywords of places.
    const KEYWORDS: &[(&str, Self)] = &[
        ("-----begin", Self::Pem),
        ("://", Self::Url),
        ("eyj", Self::Jwt),
        ("authorization", Self::Authorization),
        ("bearer", Self::Scheme),
        ("curl", Self::Curl),
        ("sshpass", Self::Login),
        ("mysql", Self::Login),
        ("docker login", Self::Login),
        ("psexec", Self::Login),
        ("az login", Self::Login),
        ("mongo", Self::Login),
        ("redis-cli", Self::Program),
        ("ldap", Self::Program),
        ("unzip", Self::Program),
        ("identified", Self::Identified),
        ("memoseal vault", Self::VaultKey),
        ("convertto-securestring", Self::SecureString),
        ("machine ", Self::Netrc),
        ("kind", Self::Kubernetes),
        ("pass", Self::Assignment),
        ("pwd", Self::Assignment),
        ("psw", Self::Assignment),
        ("pw", Self::Assignment),
        ("secret", Self::Assignment),
        ("token", Self::Assignment),
        ("key", Self::Assignment),
        ("auth", Self::Assignment),
        ("cred", Self::Assignment),
        ("private", Self::Assignment),
        ("access", Self::Assignment),
        ("login", Self::Assignment),
        ("bearer", Self::Assignment),
        ("crumb", Self::Assignment),
        ("jwt", Self::Assignment),
        ("cookie", Self::Assignment),
        ("mnemonic", Self::Assignment),
        ("phrase", Self::Assignment),
    ];

    /// Each keyword, in lower case, and whose it is.
    pub(crate) fn keywords() -> impl Iterator<Item = (&'static str, Self)> {
        let names = provider::NAMES.lines().map(|name| (name, Self::Provider));
        let words = foreign::WORDS.iter().map(|word| (*word, Self::Foreign));
        Self::KEYWORDS.iter().copied().chain(names).chain(words)
    }

    /// Reports what stands at words that are no keywords.
    pub(crate) fn find_others(text: &[u8], hits: &mut Vec<Hit<'_>>) {
        foreign::find_others(text, hits);
    }

    /// Reports what stands at a keyword; says up to where the text was looked at.
    pub(crate) fn find(self, text: &[u8], at: Range<usize>, hits: &mut Vec<Hit<'_>>) -> usize {
        let end = at.end;
        match self {
            Self::Pem => pem::find(text, at, hits),
            Self::Url => url::find(text, at, hits),
            Self::Jwt => jwt::find(text, at, hits),
            Self::Authorization => authorization::header(text, at, hits),
            Self::Scheme => authorization::scheme(text, at, hits),
            Self::Curl => command::curl(text, at, hits),
            Self::Login => command::login(text, at, hits),
            Self::Program => command::program(text, at, hits),
            Self::Identified => command::identified(text, at, hits),
            Self::SecureString => command::secure_string(text, at, hits),
            Self::VaultKey => vault_key::find(text, at, hits),
            Self::Netrc => command::netrc(text, at, hits),
            Self::Foreign => foreign::find(text, at, hits),
            Self::Provider => provider::find(text, at, hits),
            Self::Kubernetes => return kubernetes::find(text, at, hits),
            Self::Assignment => return assignment::find(text, at, hits),
        }
        end
    }
}
