//! Two clients, and a client with fewer rights.

use std::sync::Arc;

use memoseal_core::Backend;
use memoseal_testkit::FaultStore;
use object_store::{Error, GetRange};

use super::site::{Site, is_refusal};
use crate::{Failure, Place, check, check_eq};

/// What either of the backend's two clients writes, overwrites or deletes, the other sees at once.
pub(crate) async fn a_second_client_sees_every_write(place: &dyn Place) -> Result<(), Failure> {
    let backend = Site::fresh(place).await?.backend().clone();
    let swapped = Backend::new(Arc::clone(backend.rest()), Arc::clone(backend.creates()));
    let swapped = swapped.with_prefix(backend.prefix().clone());
    let (one, other) = (Site::over(backend), Site::over(swapped));
    for round in 0..10 {
        let name = format!("log/{round}");
        // `one` creates with the first client and reads with the second, `other` the other way round.
        let (writer, reader) = if round % 2 == 0 { (&one, &other) } else { (&other, &one) };
        check!(matches!(reader.get(&name).await, Err(Error::NotFound { .. })), "found before it was written");
        writer.create(&name, "created").await?;
        check_eq!(writer.get(&name).await?, "created", "round {round}");
        check_eq!(reader.get(&name).await?, "created", "round {round}");
        check_eq!(reader.names("log").await?, [name.as_str()], "round {round}");
        check!(reader.create(&name, "again").await.is_err(), "round {round}: both clients created {name}");
        reader.put(&name, "overwritten").await?;
        check_eq!(writer.get(&name).await?, "overwritten", "round {round}");
        check_eq!(writer.list("log").await?.iter().map(|object| object.size).collect::<Vec<_>>(), [11]);
        writer.delete(&name).await?;
        check!(matches!(reader.get(&name).await, Err(Error::NotFound { .. })), "round {round}: read a deleted object");
        check_eq!(reader.names("log").await?, Vec::<String>::new(), "round {round}");
    }
    Ok(())
}

/// With a client whose reads of missing objects are answered with 403, as S3 does without permission to list,
/// everything else stays as it is; above all, put-if-absent still decides.
pub(crate) async fn a_403_for_a_missing_object_changes_nothing_else(place: &dyn Place) -> Result<(), Failure> {
    fn forbidden<T>(answer: &Result<T, Error>) -> bool {
        matches!(answer, Err(Error::PermissionDenied { .. }))
    }
    let backend = place.fresh().await?;
    let wrapped = Backend::new(
        Arc::new(FaultStore::answering_403(Arc::clone(backend.creates()))),
        Arc::new(FaultStore::answering_403(Arc::clone(backend.rest()))),
    );
    let site = Site::over(wrapped.with_prefix(backend.prefix().clone()));

    check!(forbidden(&site.get("log/fff").await), "a GET of a missing object was not answered with 403");
    check!(forbidden(&site.head("log/fff").await), "a HEAD of a missing object was not answered with 403");
    check!(forbidden(&site.get_range("log/fff", GetRange::Offset(0)).await), "a ranged GET was not either");

    site.create("log/fff", "first").await?;
    check_eq!(site.get("log/fff").await?, "first");
    match site.create("log/fff", "second").await {
        Ok(()) => return Err(Failure::new("a second create succeeded")),
        Err(error) => check!(is_refusal(&error), "a second create got another error: {error}"),
    }
    check_eq!(site.get("log/fff").await?, "first");
    site.put("log/fff", "third").await?;
    check_eq!(site.get("log/fff").await?, "third");
    check_eq!(site.names("log").await?, ["log/fff"]);
    site.delete("log/fff").await?;
    check!(forbidden(&site.get("log/fff").await), "a GET of a deleted object was not answered with 403");
    Ok(())
}
