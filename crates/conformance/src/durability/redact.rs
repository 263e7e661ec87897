//! Redaction: what was begun is finished by maintenance.

use memoseal_core::{MaintainOptions, state::VersionId};

use super::crash::{Attempts, has_crashed, hasty, is_clean};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, create, ok, rename, replace, store},
    check, check_eq,
};

/// The change in the log, the commits overwritten, the checkpoint replaced.
pub(crate) async fn a_crash_in_a_redaction_is_made_up_for(place: &dyn Place) -> Result<(), Failure> {
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
    let before = bucket.objects().await?;
    let files = bucket.files("alice").await?;
    let versions = [VersionId { seq: 1, index: 0 }, VersionId { seq: 2, index: 0 }];
    let mut attempts = Attempts::of(8);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&before).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            clients.crash(n, how);
            let answer = handle.redact(&versions).await.and_then(|redacted| redacted.unfinished.map_or(Ok(()), Err));
            handle.settle().await;
            let crashed = has_crashed(&clients, n, &answer)?;
            let next = store(&bucket.open().await?, "alice").await?;
            if next.version(versions[0]).await?.redacted.is_none() {
                check!(answer.is_err(), "it was answered and is not in the log");
                next.redact(&versions).await?;
            }
            next.maintain(&MaintainOptions::default()).await?;
            for id in versions {
                check!(next.read_version(id).await.is_err(), "version {id} can be read");
                check!(next.version(id).await?.path.is_none(), "the path of version {id} is told");
            }
            check_eq!(bucket.files("alice").await?, files, "the files");
            // An inspection misses nothing, and finds nothing that should be gone.
            is_clean(&bucket).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}
