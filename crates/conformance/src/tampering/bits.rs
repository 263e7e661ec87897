//! A changed bit, an object cut short or grown.

use bytes::Bytes;

use super::{
    attack::Sign,
    layout::{self, Commit, Spot},
    scene::{ALICE, HEAD, OF_TWO, Scene},
};
use crate::{
    Failure, Place,
    bucket::{Bucket, Edits, Name, key, ok, put},
    check,
};

pub(super) fn instead(name: &str, bytes: impl Into<Bytes>) -> Edits {
    vec![(name.to_owned(), Some(bytes.into()))]
}

pub(crate) async fn a_changed_bit_in_a_vaults_header_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let running = scene.warm(ALICE).await?;
    let name = scene.name(Name::is_header)?;
    let bytes = scene.bytes(&name)?;
    for spot in layout::header(bytes)? {
        let edits = instead(&name, spot.change(bytes));
        scene.attack(spot.what, edits.clone()).told_as(spot.signs).must_be_noticed().await?;
        // Nobody takes the place for an empty one.
        scene.bucket.apply(&edits).await?;
        let made = memoseal_core::Vault::create(scene.bucket.backend(), key(), Default::default()).await;
        check!(made.is_err(), "a vault was made over one with a change in {}", spot.what);
        // Who has read it before goes on with what they have read.
        running.read().await.is_right()?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    scene.is_whole().await
}

pub(crate) async fn a_changed_bit_in_a_keyring_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let name = scene.name(Name::is_keyring)?;
    let bytes = scene.bytes(&name)?;
    // A process that has the vault open, and not yet the user.
    let vault = scene.bucket.open().await?;
    for spot in layout::keyring(bytes) {
        let edits = instead(&name, spot.change(bytes));
        scene.attack(spot.what, edits.clone()).told_as(spot.signs).must_be_noticed().await?;
        scene.bucket.apply(&edits).await?;
        let errors = scene.read(&vault).await.errors;
        let told = errors.iter().all(|error| Sign::of(error).is_some_and(|sign| spot.signs.contains(&sign)));
        check!(told && !errors.is_empty(), "a running process is told {errors:?} of a change in {}", spot.what);
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    scene.read(&vault).await.is_right()?;
    scene.is_whole().await
}

pub(crate) async fn a_changed_bit_in_a_commit_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    // In the middle, where others follow, and at the head, where none does.
    for (seq, changes) in [(OF_TWO, 2), (HEAD, 1)] {
        let behind = scene.behind(ALICE, seq - 1).await?;
        let name = scene.commit(ALICE, seq)?;
        let bytes = scene.bytes(&name)?;
        let layout = Commit::of(bytes, changes)?;
        let told = |spot: &Spot| format!("{} of commit {seq}", spot.what);
        for spot in layout.header_spots().into_iter().chain(layout.meta_spots()) {
            let attack = scene.attack(told(&spot), instead(&name, spot.change(bytes)));
            attack.told_as(spot.signs).by(&behind).must_be_noticed().await?;
        }
        for spot in layout.content_spots() {
            // It has followed the log, and has read no content.
            let running = scene.warm(ALICE).await?;
            scene.attack(told(&spot), instead(&name, spot.change(bytes))).by(&running).must_be_noticed().await?;
            running.is_whole().await?;
        }
        behind.is_whole().await?;
    }
    scene.is_whole().await
}

pub(crate) async fn a_changed_bit_in_a_checkpoint_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of_commits(place, 33).await?;
    let running = scene.warm(ALICE).await?;
    let name = scene.name(Name::is_checkpoint)?;
    let bytes = scene.bytes(&name)?;
    for spot in layout::checkpoint(bytes)? {
        let edits = instead(&name, spot.change(bytes));
        scene.attack(spot.what, edits).told_as(spot.signs).must_be_noticed().await?;
    }
    for (what, bytes) in sizes(bytes) {
        scene.attack(format!("a checkpoint {what}"), instead(&name, bytes)).must_be_noticed().await?;
    }
    running.is_whole().await?;
    scene.is_whole().await
}

/// The object in other sizes.
fn sizes(bytes: &Bytes) -> Vec<(String, Bytes)> {
    let short = [0, 1, 7, 8, 14, 15, 47, 100, bytes.len() / 2, bytes.len() - 16, bytes.len() - 1];
    let short = short.map(|length| (format!("cut to {length} bytes"), bytes.slice(..length.min(bytes.len() - 1))));
    let grown = [&b"\0"[..], b"\n", &[0; 16], bytes];
    let grown = grown.map(|more| (format!("with {} bytes more", more.len()), [bytes, more].concat().into()));
    short.into_iter().chain(grown).collect()
}

pub(crate) async fn an_object_cut_short_or_grown_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    const NOT_A_VAULT: &[Sign] = &[Sign::NotFound, Sign::Damaged];
    let scene = Scene::of(place, &[ALICE]).await?;
    for (name, bytes) in &scene.objects {
        let kind = Name::of(name);
        let behind = match kind.commit() {
            Some(seq) => Some(scene.behind(ALICE, seq - 1).await?),
            None => None,
        };
        for (what, bytes) in sizes(bytes) {
            let mut attack = scene.attack(format!("{name} {what}"), instead(name, bytes));
            if kind.is_header() {
                attack = attack.told_as(NOT_A_VAULT);
            }
            if let Some(behind) = &behind {
                attack = attack.by(behind);
            }
            attack.must_be_noticed().await?;
        }
        if let Some(behind) = behind {
            behind.is_whole().await?;
        }
    }
    scene.is_whole().await
}

/// What is wrong with one content is told of its file, and of no other.
pub(crate) async fn damage_to_one_content_is_told_of_its_file_alone(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let name = scene.commit(ALICE, OF_TWO)?;
    let mut bytes = scene.bytes(&name)?.to_vec();
    // The last section is the content of `c`.
    if let Some(last) = bytes.last_mut() {
        *last ^= 1;
    }
    let handles = [scene.warm(ALICE).await?, scene.behind(ALICE, OF_TWO - 1).await?];
    scene.bucket.apply(&instead(&name, bytes)).await?;
    for running in handles {
        for (path, content) in &running.files {
            let read = running.store.read(path).await;
            if path == "/memories/c" {
                check!(
                    matches!(&read, Err(error) if Sign::of(error) == Some(Sign::Damaged)),
                    "{path} reads as {read:?}"
                );
            } else {
                check!(matches!(&read, Ok(read) if read == content), "{path} reads as {read:?}");
            }
        }
        let view = running.store.execute(crate::bucket::view("c")).await;
        check!(matches!(&view, Err(error) if Sign::of(error) == Some(Sign::Damaged)), "it is shown as {view:?}");
    }
    // It can be written anew.
    let store = scene.warm(ALICE).await?.store;
    ok(&store, put("c", b"anew")).await?;
    let files = Bucket::files(&scene.bucket, "alice").await?;
    check!(files.get("/memories/c").is_some_and(|content| content == "anew"), "it was written anew: {files:?}");
    Ok(())
}
