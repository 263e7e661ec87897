//! The vault object by object.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::{Error, ObjectStoreExt as _, path::Path};

use super::Bucket;
use crate::Failure;

/// All objects of a vault: names below its prefix, and bytes.
pub(crate) type Objects = BTreeMap<String, Bytes>;

/// What somebody with the bucket does to it: what to put where, and what to take away.
pub(crate) type Edits = Vec<(String, Option<Bytes>)>;

impl Bucket {
    pub(crate) async fn names(&self) -> Result<Vec<String>, Failure> {
        let prefix = self.backend.prefix();
        let objects: Vec<_> = self.backend.rest().list(Some(prefix)).try_collect().await?;
        let name = |path: &Path| Some(path.prefix_match(prefix)?.collect::<Path>().to_string());
        Ok(objects.iter().filter_map(|object| name(&object.location)).collect())
    }

    pub(crate) async fn objects(&self) -> Result<Objects, Failure> {
        let mut objects = Objects::new();
        for name in self.names().await? {
            let bytes = self.backend.rest().get(&self.path(&name)).await?.bytes().await?;
            objects.insert(name, bytes);
        }
        Ok(objects)
    }

    pub(crate) async fn apply(&self, edits: &Edits) -> Result<(), Failure> {
        for (name, bytes) in edits {
            let path = self.path(name);
            match bytes {
                Some(bytes) => drop(self.backend.rest().put(&path, bytes.clone().into()).await?),
                None => match self.backend.rest().delete(&path).await {
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
        Ok(())
    }

    /// Makes the vault what it was when these were its objects.
    pub(crate) async fn put_back(&self, objects: &Objects) -> Result<(), Failure> {
        self.apply(&difference(&self.objects().await?, objects)).await
    }

    pub(crate) fn path(&self, name: &str) -> Path {
        self.backend.prefix().parts().chain(Path::from(name).parts()).collect()
    }
}

/// What makes `to` of `from`.
pub(crate) fn difference(from: &Objects, to: &Objects) -> Edits {
    let gone = from.keys().filter(|name| !to.contains_key(*name)).map(|name| (name.clone(), None));
    let new = to.iter().filter(|(name, bytes)| from.get(*name) != Some(bytes));
    gone.chain(new.map(|(name, bytes)| (name.clone(), Some(bytes.clone())))).collect()
}
