//! What a provider's own API knows of a place.

use async_trait::async_trait;
use object_store::path::Path;

use crate::Check;

/// What the permissions of a [`Trial`](crate::Trial) are called at this provider, for who has to grant them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Permissions {
    /// To create and overwrite objects.
    pub put: &'static str,
    /// To read them.
    pub get: &'static str,
    /// To list them.
    pub list: &'static str,
    /// To delete them.
    pub delete: &'static str,
}

impl Permissions {
    /// The four names.
    pub const fn new(put: &'static str, get: &'static str, list: &'static str, delete: &'static str) -> Self {
        Self { put, get, list, delete }
    }
}

impl Default for Permissions {
    fn default() -> Self {
        Self::new("writing", "reading", "listing", "deleting")
    }
}

/// A place as its provider's own API shows it.
#[async_trait]
pub trait Provider: Send + Sync {
    /// What permissions are called here.
    fn permissions(&self) -> Permissions {
        Permissions::default()
    }

    /// Whether the place can be reached, by whom, and how the way there is protected. Before anything is written; if one of
    /// these is a danger, nothing else is tried.
    async fn reach(&self) -> Vec<Check>;

    /// What is set for the place: versioning, lifecycle rules, public access, ….
    async fn settings(&self) -> Vec<Check>;

    /// Removes what is left of the throw-away prefix besides objects.
    ///
    /// # Errors
    /// What the system said.
    fn tidy(&self, prefix: &Path) -> std::io::Result<()> {
        let _ = prefix;
        Ok(())
    }
}
