//! Redaction and expiry: what was begun is finished by maintenance.

use memoseal_core::{
    MaintainOptions,
    state::{Retention, VersionId},
};

use super::crash::{Attempts, has_crashed, hasty, is_clean};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, Files, create, ok, rename, replace, store},
    check, check_eq,
};

/// A store with a checkpoint, in which the versions 1.0 and 2.0 of a file were replaced.
async fn lived_in(place: &dyn Place) -> Result<Bucket, Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handle = store(&vault, "alice").await?;
    let both = handle.execute_turn(vec![create("a", "a secret"), create("b", "harmless")]).await;
    check!(both.iter().all(Result::is_ok), "a turn was answered with {both:?}");
    ok(&handle, rename("a", "c")).await?;
    ok(&handle, replace("c", "a secret", "nothing")).await?;
    for n in 0..32 {
        ok(&handle, create(&format!("{n}"), "")).await?;
        handle.settle().await;
    }
    Ok(bucket)
}

const REPLACED: [VersionId; 2] = [VersionId { seq: 1, index: 0 }, VersionId { seq: 2, index: 0 }];

/// What was replaced is told to nobody, the files are as they were, and an inspection misses nothing, and finds nothing
/// that should be gone.
async fn is_gone(bucket: &Bucket, files: &Files) -> Result<(), Failure> {
    let handle = store(&bucket.open().await?, "alice").await?;
    for id in REPLACED {
        check!(handle.read_version(id).await.is_err(), "version {id} can be read");
        check!(handle.version(id).await?.path.is_none(), "the path of version {id} is told");
    }
    check_eq!(bucket.files("alice").await?, *files, "the files");
    is_clean(bucket).await
}

/// The change in the log, the commits overwritten, the checkpoint replaced.
pub(crate) async fn a_crash_in_a_redaction_is_made_up_for(place: &dyn Place) -> Result<(), Failure> {
    let bucket = lived_in(place).await?;
    let (before, files) = (bucket.objects().await?, bucket.files("alice").await?);
    let mut attempts = Attempts::of(8);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&before).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            clients.crash(n, how);
            let answer = handle.redact(&REPLACED).await.and_then(|redacted| redacted.unfinished.map_or(Ok(()), Err));
            handle.settle().await;
            let crashed = has_crashed(&clients, n, &answer)?;
            let next = store(&bucket.open().await?, "alice").await?;
            if next.version(REPLACED[0]).await?.redacted.is_none() {
                check!(answer.is_err(), "it was answered and is not in the log");
                next.redact(&REPLACED).await?;
            }
            next.maintain(&MaintainOptions::default()).await?;
            is_gone(&bucket, &files).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}

/// The clock, the mark in the log, the commits overwritten, what was found clean, the checkpoint replaced.
pub(crate) async fn a_crash_in_maintenance_is_made_up_for(place: &dyn Place) -> Result<(), Failure> {
    let bucket = lived_in(place).await?;
    store(&bucket.open().await?, "alice").await?.set_retention(Retention::Days(0)).await?;
    let (before, files) = (bucket.objects().await?, bucket.files("alice").await?);
    let mut attempts = Attempts::of(12).in_one_way();
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&before).await?;
            let clients = Clients::of(&bucket);
            let vault = clients.bucket().open_with(hasty()).await?;
            clients.crash(n, how);
            let answer = vault.maintain(&MaintainOptions::default(), |_, _| {}).await.map(drop);
            let crashed = has_crashed(&clients, n, &answer)?;
            let done = bucket.open().await?.maintain(&MaintainOptions::default(), |_, _| {}).await?;
            check!(done.stores.iter().all(|store| store.outcome.is_ok()), "maintenance: {:?}", done.stores);
            is_gone(&bucket, &files).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}
