//! Destroying a user or a store: whoever calls again, or maintains the vault, finishes what was begun.

use memoseal_core::{Actor, Error, MaintainOptions, Vault};

use super::crash::{Attempts, has_crashed, hasty, is_clean};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, Objects, create, ok, store},
    check, check_eq,
};

const USER: &str = "alice";

async fn destroy(vault: &Vault, whole: bool) -> memoseal_core::Result<()> {
    let (user, actor) = (vault.user(USER), Actor::Local { name: "conformance".into() });
    match whole {
        true => user.destroy(&actor, |_| {}).await.map(drop),
        false => user.destroy_store("default", &actor, |_| {}).await.map(drop),
    }
}

async fn attempt(
    bucket: &Bucket,
    before: &Objects,
    whole: bool,
    n: u64,
    how: crate::bucket::Crash,
) -> Result<bool, Failure> {
    // What a process leaves that ends after its n-th request is what one leaves that ends before the next: so each such
    // state is finished in both ways, if each way is tried after one kind of end.
    let by_maintenance = matches!(how, crate::bucket::Crash::After);
    bucket.put_back(before).await?;
    let running = store(&bucket.open().await?, USER).await?;
    let clients = Clients::of(bucket);
    let vault = clients.bucket().open_with(hasty()).await?;
    clients.crash(n, how);
    let answer = destroy(&vault, whole).await;
    let crashed = has_crashed(&clients, n, &answer)?;
    let next = bucket.open().await?;
    if by_maintenance {
        let done = next.maintain(&MaintainOptions::default(), |_, _| {}).await?;
        check!(done.stores.iter().all(|store| store.outcome.is_ok()), "maintenance: {:?}", done.stores);
    } else {
        destroy(&next, whole).await?;
    }
    is_clean(bucket).await?;
    let found = running.memories().await;
    match &found {
        Err(Error::NotFound { .. }) => {
            check!(store(&bucket.open().await?, USER).await?.memories().await?.is_empty(), "it is still there");
        }
        // Nothing had been said by then, so that maintenance had nothing to finish.
        Ok(memories) if by_maintenance && answer.is_err() => {
            check_eq!(memories.len(), 3, "by halves");
            return Ok(crashed);
        }
        other => return Err(Failure::new(format!("a running process is told {other:?}"))),
    }
    let other = bucket.open().await?.user(USER).store("work").open().await?;
    check_eq!(other.memories().await?.len(), usize::from(!whole), "memories of the other store");
    // Under the same name something new may begin.
    ok(&store(&bucket.open().await?, USER).await?, create("anew", "")).await?;
    check_eq!(bucket.files(USER).await?.len(), 1);
    is_clean(bucket).await?;
    Ok(crashed)
}

async fn at_every_request(place: &dyn Place, whole: bool, least: u64) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handle = store(&vault, USER).await?;
    for path in ["a", "b", "c"] {
        ok(&handle, create(path, path)).await?;
    }
    ok(&vault.user(USER).store("work").open().await?, create("w", "w")).await?;
    let before = bucket.objects().await?;
    let mut attempts = Attempts::of(least);
    while let Some((n, how)) = attempts.next() {
        attempts.ended(attempt(&bucket, &before, whole, n, how).await)?;
    }
    Ok(())
}

/// The last commits of three logs, the tombstone, one in place of the keyring, and every object emptied.
pub(crate) async fn a_crash_while_a_user_is_destroyed_is_made_up_for(place: &dyn Place) -> Result<(), Failure> {
    at_every_request(place, true, 20).await
}

pub(crate) async fn a_crash_while_a_store_is_destroyed_is_made_up_for(place: &dyn Place) -> Result<(), Failure> {
    at_every_request(place, false, 8).await
}
