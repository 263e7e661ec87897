//! Which kinds there are.

use crate::rules;

/// When a kind is looked for, if its mode is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// From [`Level::Secrets`](crate::Level::Secrets) on.
    Secret,
    /// At [`Level::All`](crate::Level::All).
    Personal,
    /// Only where a policy names it.
    OptIn,
}

/// Kinds that are found by code and not by a rule of the rule file.
const BY_CODE: &[(&str, Class)] = &[
    ("authorization", Class::Secret),
    ("command-password", Class::Secret),
    ("generic-secret", Class::Secret),
    ("jwt", Class::Secret),
    ("memoseal-key", Class::Secret),
    ("kubernetes-secret", Class::Secret),
    ("password", Class::Secret),
    ("private-key", Class::Secret),
    ("url-password", Class::Secret),
    ("email", Class::Personal),
    ("iban", Class::Personal),
    ("payment-card", Class::Personal),
    ("phone", Class::Personal),
    ("us-ssn", Class::Personal),
    ("crypto-address", Class::OptIn),
    ("date-of-birth", Class::OptIn),
    ("ip-address", Class::OptIn),
    ("mac-address", Class::OptIn),
    ("national-id", Class::OptIn),
    ("national-phone", Class::OptIn),
];

/// The class of a kind that was found: what code does not find, a rule does.
pub(crate) fn class_of_found(kind: &str) -> Class {
    BY_CODE.iter().find(|(known, _)| *known == kind).map_or(Class::Secret, |(_, class)| *class)
}

/// The class of a kind; nothing if there is no such kind.
pub(crate) fn class(kind: &str) -> Option<Class> {
    let by_rule = || rules::default_rules().ok()?.kinds().any(|known| known == kind).then_some(Class::Secret);
    BY_CODE.iter().find(|(known, _)| *known == kind).map(|(_, class)| *class).or_else(by_rule)
}

/// Every kind that is found without rules of the user's, sorted, with its class.
pub fn kinds() -> Vec<(String, Class)> {
    let by_rule = rules::default_rules().into_iter().flat_map(|set| set.kinds());
    let mut all: Vec<(String, Class)> = by_rule.map(|kind| (kind.to_owned(), Class::Secret)).collect();
    all.extend(BY_CODE.iter().map(|(kind, class)| ((*kind).to_owned(), *class)));
    all.sort();
    all.dedup();
    all
}
