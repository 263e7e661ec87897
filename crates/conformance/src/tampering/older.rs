//! Older states than a running process has seen.

use memoseal_core::{Error, Key, Vault};

use super::{
    attack::{Sign, is_found},
    scene::{ALICE, BOB, HEAD, Scene, Warm, open},
};
use crate::{
    Failure, Place,
    bucket::{Edits, Name, Objects, create, difference, generation_name, key, ok},
    check,
};

/// What puts the objects of one kind back as they were.
fn older(now: &Objects, then: &Objects, is: impl Fn(&Name) -> bool) -> Edits {
    let edits = difference(now, then);
    edits.into_iter().filter(|(name, _)| is(&Name::of(name))).collect()
}

fn is_told<T: std::fmt::Debug>(answer: &memoseal_core::Result<T>, sign: Sign) -> Result<(), Failure> {
    let told = matches!(answer, Err(error) if Sign::of(error) == Some(sign));
    check!(told, "a running process is told {answer:?}, not {sign:?}");
    Ok(())
}

pub(crate) async fn an_older_header_than_a_process_has_seen_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE]).await?;
    let before = scene.objects.clone();
    let running = scene.warm(ALICE).await?;
    let second = Key::raw(*b"another key that opens the vault");
    running.vault.add_slot(second.duplicate()).await?;
    scene.look(ALICE, &running.store).await?;
    let copy = older(&scene.objects, &before, Name::is_header);
    let none: Edits =
        scene.objects.keys().filter(|name| Name::of(name).is_header()).map(|name| (name.clone(), None)).collect();
    for edits in [copy, none] {
        scene.bucket.apply(&edits).await?;
        let objects = scene.bucket.objects().await?;
        is_told(&running.vault.refresh().await, Sign::Damaged)?;
        is_told(&running.vault.slots().await, Sign::Damaged)?;
        is_told(&running.vault.add_slot(Key::raw([9; 32])).await, Sign::Damaged)?;
        is_told(&running.vault.rotate(vec![key(), second.duplicate()], false, |_, _| {}).await, Sign::Damaged)?;
        check!(scene.bucket.objects().await? == objects, "something was written on top of an older header");
        // It goes on with the header that it has.
        running.read().await.is_right()?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    running.vault.refresh().await?;
    running.is_whole().await?;
    scene.is_whole().await
}

pub(crate) async fn an_older_keyring_than_a_process_has_seen_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE]).await?;
    let before = scene.objects.clone();
    let running = scene.warm(ALICE).await?;
    running.vault.rotate(vec![key()], false, |_, _| {}).await?.keyrings?;
    scene.look(ALICE, &running.store).await?;
    let copy = older(&scene.objects, &before, Name::is_keyring);
    let keyrings = scene.objects.keys().filter(|name| Name::of(name).is_keyring());
    let none: Edits = keyrings.map(|name| (name.clone(), None)).collect();
    for edits in [copy, none] {
        scene.bucket.apply(&edits).await?;
        is_told(&open(&running.vault, ALICE).await, Sign::Damaged)?;
        is_found(&running.vault, "keyring").await?;
        running.read().await.is_right()?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    running.is_whole().await?;
    scene.is_whole().await
}

/// What stands in for a superseded header or keyring is put over the newest.
pub(crate) async fn a_stub_in_place_of_the_newest_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE]).await?;
    let running = scene.warm(ALICE).await?;
    running.vault.rotate(vec![key()], false, |_, _| {}).await?.keyrings?;
    scene.look(ALICE, &running.store).await?;
    for is in [Name::is_header, Name::is_keyring] {
        let newest = scene.name(is)?;
        let of_kind = scene.objects.iter().filter(|(name, _)| is(&Name::of(name)));
        let stub = of_kind.min_by_key(|(_, bytes)| bytes.len()).map(|(_, bytes)| bytes.clone());
        scene.attack(format!("a stub at {newest}"), vec![(newest, stub)]).must_be_noticed().await?;
    }
    running.is_whole().await?;
    scene.is_whole().await
}

/// An older header or keyring under the name of a newer one.
pub(crate) async fn a_generation_at_another_number_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE]).await?;
    let before = scene.objects.clone();
    let running = scene.warm(ALICE).await?;
    running.vault.rotate(vec![key()], false, |_, _| {}).await?.keyrings?;
    scene.look(ALICE, &running.store).await?;
    for is in [Name::is_header, Name::is_keyring] {
        let (name, first) = before.iter().find(|(name, _)| is(&Name::of(name))).ok_or_else(|| Failure::new("none"))?;
        let (folder, _) = name.rsplit_once('/').ok_or_else(|| Failure::new("a name without a folder"))?;
        let newest = scene.bytes(&generation_name(folder, 2))?;
        for (bytes, generation) in [(first, 2), (first, 3), (newest, 3)] {
            let edits = vec![(generation_name(folder, generation), Some(bytes.clone()))];
            scene.attack(format!("a generation as {generation} in {folder}"), edits.clone()).must_be_noticed().await?;
            scene.bucket.apply(&edits).await?;
            let is_header = Name::of(name).is_header();
            let answer =
                if is_header { running.vault.refresh().await } else { open(&running.vault, ALICE).await.map(drop) };
            // A process that has the newest header does not read it again under the same number.
            if generation == 3 || !is_header {
                is_told(&answer, Sign::Damaged)?;
            }
            scene.bucket.apply(&scene.undo(&edits)).await?;
        }
    }
    running.is_whole().await?;
    scene.is_whole().await
}

pub(crate) async fn an_older_log_than_a_process_has_seen_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, BOB]).await?;
    // Not by the handle that saw it, which may be gone, but by its vault.
    let vault = scene.bucket.open().await?;
    scene.read(&vault).await.is_right()?;
    for seq in (0..HEAD).rev() {
        let edits = scene.without_newest(ALICE, seq)?;
        let handle = scene.warm(ALICE).await?;
        scene.bucket.apply(&edits).await?;
        is_told(&open(&vault, ALICE).await, Sign::RolledBack)?;
        if seq > 0 {
            is_found(&vault, &format!("commit {HEAD} was seen before")).await?;
        }
        // A handle that is open answers from what it has seen, and misses what is gone: it never tells of the older.
        never_tells_of_the_older(&handle).await?;
        open(&vault, BOB).await?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
        handle.is_whole().await?;
    }
    // The user is gone whole, as if there had never been one.
    let gone = [scene.without_newest(ALICE, 0)?, vec![(scene.keyring(ALICE)?, None)]].concat();
    scene.bucket.apply(&gone).await?;
    let opened = open(&vault, ALICE).await;
    let told = matches!(&opened, Err(Error::Damaged { .. } | Error::RolledBack { .. }));
    check!(told, "a user that is gone opens as a new one: {opened:?}");
    scene.bucket.apply(&scene.undo(&gone)).await?;
    is_noticed_in_the_middle(&scene, &vault).await?;
    scene.is_whole().await
}

async fn never_tells_of_the_older(handle: &Warm) -> Result<(), Failure> {
    let reading = handle.read().await;
    reading.is_not_wrong()?;
    check!(
        reading.errors.iter().all(|error| matches!(error, Error::Damaged { .. })),
        "it is told {:?}",
        reading.errors
    );
    Ok(())
}

/// Another log that goes further than what was seen, and holds another commit at that number.
async fn is_noticed_in_the_middle(scene: &Scene, vault: &Vault) -> Result<(), Failure> {
    let older = scene.without_newest(ALICE, HEAD - 1)?;
    scene.bucket.apply(&older).await?;
    let other = open(&scene.bucket.open().await?, ALICE).await?;
    for path in ["f", "g", "h"] {
        ok(&other, create(path, "another life")).await?;
    }
    is_told(&open(vault, ALICE).await, Sign::RolledBack)?;
    is_found(vault, &format!("commit {HEAD} is not the one that was seen before")).await?;
    scene.bucket.put_back(&scene.objects).await
}
