//! Deleting.

use object_store::Error;

use super::site::Site;
use crate::{Failure, Place, check, check_eq};

/// What is deleted is neither found nor listed, and its neighbours stay.
pub(crate) async fn a_deleted_object_is_gone(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    for name in ["log/ffd", "log/ffe", "log/fff"] {
        site.create(name, name.to_owned()).await?;
    }
    site.delete("log/ffe").await?;
    match site.get("log/ffe").await {
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(Failure::new(format!("a deleted object got another error: {error}"))),
        Ok(_) => return Err(Failure::new("a deleted object was read")),
    }
    check!(site.head("log/ffe").await.is_err(), "a deleted object has a size");
    check_eq!(site.names("log").await?, ["log/ffd", "log/fff"], "names after a delete");
    check_eq!(site.get("log/ffd").await?, "log/ffd");
    check_eq!(site.get("log/fff").await?, "log/fff");
    Ok(())
}

/// Success and "not found" are both lawful answers; nothing else happens.
pub(crate) async fn delete_of_a_missing_object_is_harmless(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    site.create("log/fff", "stays").await?;
    site.create("gone", "").await?;
    site.delete("gone").await?;
    for name in ["never", "log/never", "never/like/it", "gone"] {
        match site.delete(name).await {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(Failure::new(format!("delete of {name}, which is missing: {error}"))),
        }
    }
    check_eq!(site.get("log/fff").await?, "stays");
    check_eq!(site.names("").await?, ["log/fff"]);
    Ok(())
}
