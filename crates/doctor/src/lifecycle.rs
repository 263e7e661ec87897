//! Which of a bucket's rules touch a vault.

use object_store::path::Path;

use crate::Check;

/// What a rule does to objects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// It deletes them: after which time.
    Expires(String),
    /// It moves them to where they have to be brought back from before they can be read.
    Archives(String),
    /// It deletes versions that were overwritten or deleted: after which time.
    ExpiresOld(String),
}

/// A rule that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it is called.
    pub id: String,
    /// What names begin with that it is for; empty for all.
    pub prefixes: Vec<String>,
    /// Whether it is not for all objects with these names and all their old versions: only for large ones, those of a
    /// class, all but the newest few.
    pub is_narrowed: bool,
    /// What it does.
    pub actions: Vec<Action>,
}

/// Whether a bucket keeps what is overwritten or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versioning {
    /// It does.
    On,
    /// It did once, and what it kept then is still there.
    Suspended,
    /// It never did.
    Never,
    /// It does not, and may have.
    Off,
}

impl Rule {
    /// Whether it is for anything that a vault below `prefix` holds.
    pub fn touches(&self, prefix: &Path) -> bool {
        let parts = ["vault/", "users/", "clock"];
        let held = |part| if prefix.as_ref().is_empty() { String::from(part) } else { format!("{prefix}/{part}") };
        let touches =
            |rule: &String| parts.iter().any(|part| held(*part).starts_with(rule) || rule.starts_with(&held(*part)));
        self.prefixes.is_empty() || self.prefixes.iter().any(touches)
    }
}

impl Rule {
    /// Whether it is for everything that a vault below `prefix` holds.
    fn covers(&self, prefix: &Path) -> bool {
        let vault = if prefix.as_ref().is_empty() { String::new() } else { format!("{prefix}/") };
        !self.is_narrowed && (self.prefixes.is_empty() || self.prefixes.iter().any(|rule| vault.starts_with(rule)))
    }
}

/// What the rules of a bucket mean for a vault below `prefix`.
pub fn check(rules: &[Rule], prefix: &Path) -> Check {
    const NAME: &str = "lifecycle";
    let ours: Vec<_> = rules.iter().filter(|rule| rule.touches(prefix)).collect();
    for rule in &ours {
        for action in &rule.actions {
            let (what, why) = match action {
                Action::Expires(when) => (format!("deletes objects {when}"), "memory would vanish"),
                Action::Archives(class) => (format!("moves objects to {class}"), "memory could not be read"),
                Action::ExpiresOld(_) => continue,
            };
            return Check::danger(
                NAME,
                format!("the rule `{}` {what}, those of the vault too: {why}", rule.id),
                "take the rule away, or limit it to a prefix beside the vault",
            );
        }
    }
    let found = match (rules.len(), ours.len()) {
        (0, _) => "no rules".to_owned(),
        (all, touching) => format!("{all} rules; {touching} touch the vault, and none deletes or archives what counts"),
    };
    Check::good(NAME, found)
}

/// When versions that were overwritten go, if a rule sees to that for all of a vault below `prefix`.
pub fn old_versions_expire(rules: &[Rule], prefix: &Path) -> Option<String> {
    let actions = rules.iter().filter(|rule| rule.covers(prefix)).flat_map(|rule| &rule.actions);
    actions.into_iter().find_map(|action| match action {
        Action::ExpiresOld(when) => Some(when.clone()),
        Action::Expires(_) | Action::Archives(_) => None,
    })
}

/// What it means that overwritten versions are kept, and until when.
pub fn versioning(state: Versioning, expire: Option<String>) -> Check {
    const NAME: &str = "versioning";
    match (state, expire) {
        (Versioning::Never, _) => {
            Check::good(NAME, "off: what is redacted or destroyed is gone, and a backup is up to you")
        }
        (Versioning::Off, _) => Check::good(
            NAME,
            "off: what is redacted or destroyed is gone, but for versions from before if it ever was on",
        ),
        (Versioning::On | Versioning::Suspended, Some(when)) => {
            Check::good(NAME, format!("old versions go {when}, what was redacted with them"))
        }
        (Versioning::Suspended, None) => Check::warning(
            NAME,
            "suspended: versions from before stay, with what is redacted or destroyed now",
            "let a rule delete old versions after some days",
        ),
        (Versioning::On, None) => Check::warning(
            NAME,
            "on: what is redacted or destroyed stays as an old version",
            "let a rule delete old versions after some days",
        ),
    }
}
