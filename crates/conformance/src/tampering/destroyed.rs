//! Users and stores that were destroyed, and some that only seem so.

use bytes::Bytes;
use memoseal_core::{Actor, Vault};

use super::{
    attack::{Sign, is_found},
    scene::{ALICE, ALICE_WORK, BOB, Scene, open},
    witnessed::Machine,
};
use crate::{
    Failure, Place,
    bucket::{Edits, Name, generation_name},
    check,
};

fn actor() -> Actor {
    Actor::Local { name: "conformance".into() }
}

/// Destroys the user whole, or their store `default`.
async fn destroy(vault: &Vault, user: &str, whole: bool) -> Result<(), Failure> {
    let user = vault.user(user);
    let destroyed = match whole {
        true => user.destroy(&actor(), |_| {}).await?,
        false => user.destroy_store("default", &actor(), |_| {}).await?,
    };
    check!(destroyed.damaged.is_empty(), "damage is told: {:?}", destroyed.damaged);
    Ok(())
}

/// A copy of the vault from before is put back: a process, and a machine, that have seen the end notice.
pub(crate) async fn what_was_destroyed_does_not_come_back_unseen(place: &dyn Place) -> Result<(), Failure> {
    for whole in [true, false] {
        let scene = Scene::of(place, &[ALICE, ALICE_WORK, BOB]).await?;
        let machines = [Machine::default(), Machine::default(), Machine::default()];
        let [destroyer, running, after] = &machines;
        let running = open(&running.process(&scene, false).await?, ALICE).await?;
        let vault = destroyer.process(&scene, false).await?;
        destroy(&vault, ALICE.0, whole).await?;
        // A running process is told so; for one that starts now there is nothing.
        let told = running.memories().await;
        let is_gone = matches!(&told, Err(error) if Sign::of(error) == Some(Sign::NotFound));
        check!(is_gone, "a running process is told {told:?}");
        running.settle().await;
        let opened = open(&after.process(&scene, false).await?, ALICE).await?;
        check!(opened.memories().await?.is_empty(), "what was destroyed is there");
        check!(open(&after.process(&scene, false).await?, BOB).await?.seq() > 0, "another user is gone");
        let stores = scene.bucket.open().await?.user(ALICE.0).stores().await?;
        check!(whole == stores.is_empty(), "stores after it: {stores:?}");

        scene.bucket.put_back(&scene.objects).await?;
        let opened = open(&vault, ALICE).await;
        let told = matches!(&opened, Err(error) if matches!(Sign::of(error), Some(Sign::RolledBack | Sign::Damaged)));
        check!(told, "the process that destroyed it opens it again: {opened:?}");
        for machine in &machines {
            machine.notices(&scene, None).await?;
        }
        scene.is_whole().await?;
    }
    Ok(())
}

/// Every object of a log is overwritten with nothing, as when a store is destroyed, or its newest alone.
pub(crate) async fn a_log_emptied_by_somebody_else_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, BOB]).await?;
    let log = scene.log(ALICE)?;
    let all: Edits = scene
        .objects
        .keys()
        .filter(|name| name.starts_with(log))
        .map(|name| (name.clone(), Some(Bytes::new())))
        .collect();
    // What has the truth at hand goes on with it; what has to read is told.
    let running = scene.warm(ALICE).await?;
    for edits in [all.iter().take(1).cloned().collect(), all] {
        scene.attack("emptied", edits).by(&running).must_be_noticed().await?;
    }
    running.is_whole().await?;
    scene.is_whole().await
}

/// The tombstone of one user as that of another, or as the newest of one who came anew.
pub(crate) async fn a_tombstone_elsewhere_destroys_nobody(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE, BOB]).await?;
    let vault = scene.bucket.open().await?;
    destroy(&vault, BOB.0, true).await?;
    let objects = scene.bucket.objects().await?;
    let is_tombstone = |name: &&String| Name::of(name).is_keyring() && !scene.objects.contains_key(*name);
    let newest = objects.keys().find(is_tombstone).ok_or_else(|| Failure::new("there is no tombstone"))?;
    let tombstone = objects.get(newest).cloned();
    scene.bucket.put_back(&scene.objects).await?;
    let alices = scene.keyring(ALICE)?;
    let (folder, _) = alices.rsplit_once('/').ok_or_else(|| Failure::new("a name without a folder"))?;
    for generation in [1, 2, 3] {
        let edits = vec![(generation_name(folder, generation), tombstone.clone())];
        scene.attack(format!("another's tombstone as generation {generation}"), edits).must_be_noticed().await?;
    }
    // Bob comes anew, after the tombstone.
    scene.bucket.put_back(&objects).await?;
    let store = open(&scene.bucket.open().await?, BOB).await?;
    crate::bucket::ok(&store, crate::bucket::create("anew", "")).await?;
    let (folder, _) = newest.rsplit_once('/').ok_or_else(|| Failure::new("a name without a folder"))?;
    let anew = scene.bucket.objects().await?;
    scene.objects = anew;
    for generation in [3, 4] {
        let edits = vec![(generation_name(folder, generation), tombstone.clone())];
        scene.bucket.apply(&edits).await?;
        let opened = open(&scene.bucket.open().await?, BOB).await;
        let told = matches!(&opened, Err(error) if Sign::of(error) == Some(Sign::Damaged));
        check!(told, "an old tombstone as generation {generation}: {opened:?}");
        is_found(&scene.bucket.open().await?, "keyring").await?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    check!(open(&scene.bucket.open().await?, BOB).await?.seq() == 1, "the new life is gone");
    Ok(())
}
