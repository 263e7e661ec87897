//! What lies at a place, by name.

use std::collections::BTreeMap;

use object_store::{ObjectMeta, path::Path};

use super::super::{Vault, keyrings};
use crate::{
    Backend, Error, Result,
    log::{
        Objects, Patience,
        names::{self, KeyedHash, Name},
    },
};

/// What of a vault is meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// One user, or everything.
    pub(super) user: Option<KeyedHash>,
}

impl Scope {
    /// # Errors
    /// [`Error::NotFound`] if this user never existed.
    pub(super) async fn new(vault: &Vault, user: Option<&str>) -> Result<Self> {
        let Some(name) = user else { return Ok(Self { user: None }) };
        let hash = names::user_hash(vault.open_vault().name_key(), name);
        if matches!(keyrings::newest(vault, &hash).await?, keyrings::Newest::Never) {
            let hint = "see `memoseal users` for those that exist".into();
            return Err(Error::NotFound { what: format!("user {name}"), hint });
        }
        Ok(Self { user: Some(hash) })
    }
}

/// The objects of a place, in the order of their names.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) objects: BTreeMap<Name, ObjectMeta>,
    /// How many objects memoseal did not write, and one of them.
    pub(super) foreign: u64,
    pub(super) first_foreign: Option<Path>,
}

impl Listing {
    /// One request for each 1,000 objects.
    pub(super) async fn of(backend: &Backend, patience: &Patience, scope: &Scope) -> Result<Self> {
        let mut listing = Self::default();
        for folder in names::folders_of(backend.prefix(), scope.user) {
            let mut objects = Objects::below(backend, patience, &folder);
            while let Some(object) = objects.next().await? {
                match Name::parse(backend.prefix(), &object.location) {
                    // Each place has its own clock.
                    Some(Name::Clock) => {}
                    Some(name) => _ = listing.objects.insert(name, object),
                    None => {
                        listing.foreign += 1;
                        listing.first_foreign.get_or_insert(object.location);
                    }
                }
            }
        }
        Ok(listing)
    }

    pub(super) fn has_header(&self) -> bool {
        self.objects.keys().any(|name| matches!(name, Name::Header(_)))
    }

    /// The names that are new, or whose objects were overwritten, since `earlier`, and those that are gone.
    pub(super) fn changed_since(&self, earlier: &Self) -> Vec<Name> {
        let is_same = |name: &Name, object: &ObjectMeta| {
            earlier.objects.get(name).is_some_and(|before| {
                (before.size, before.last_modified, &before.e_tag) == (object.size, object.last_modified, &object.e_tag)
            })
        };
        let new = self.objects.iter().filter(|(name, object)| !is_same(name, object)).map(|(name, _)| *name);
        let gone = earlier.objects.keys().filter(|name| !self.objects.contains_key(name)).copied();
        new.chain(gone).collect()
    }
}
