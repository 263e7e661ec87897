//! Checkpoints that do not follow from the log.

use super::scene::{ALICE, Scene, open};
use crate::{
    Failure, Place,
    bucket::{Name, create, ok},
};

/// The commit beside which the first checkpoint stands.
const AT: u64 = 32;

pub(crate) async fn a_checkpoint_that_does_not_follow_from_the_log_is_noticed(
    place: &dyn Place,
) -> Result<(), Failure> {
    let mut scene = Scene::of_commits(place, AT - 1).await?;
    let before = scene.objects.clone();
    // What could have been: sealed with the right key for the very same place.
    let other = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&other, create("forged", "")).await?;
    other.settle().await;
    let others = scene.bucket.objects().await?;
    scene.bucket.put_back(&before).await?;
    let store = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&store, create("true", "")).await?;
    store.settle().await;
    scene.look(ALICE, &store).await?;

    let name = scene.name(Name::is_checkpoint)?;
    let forged = others.get(&name).cloned().ok_or_else(|| Failure::new("there is no other checkpoint"))?;
    let edits = vec![(name.clone(), Some(forged))];
    let found = format!("checkpoint {AT}");
    // At the head no commit follows that could tell.
    scene.attack("a checkpoint of another log at the head", edits.clone()).must_be_noticed().await?;
    ok(&store, create("after", "")).await?;
    scene.look(ALICE, &store).await?;
    // A reader begins at the checkpoint, and meets the commit after it.
    scene.attack("a checkpoint of another log", edits).found_as(found).must_be_noticed().await?;

    let commit = scene.commit(ALICE, AT)?;
    let above = format!("{}.checkpoint", scene.commit(ALICE, AT + 1)?);
    let ours = scene.bytes(&name)?.clone();
    scene.attack("a checkpoint at another number", vec![(above, Some(ours.clone()))]).must_be_noticed().await?;
    let beyond = format!("{}.checkpoint", scene.commit(ALICE, AT + 2)?);
    scene.attack("a checkpoint above the head", vec![(beyond, Some(ours.clone()))]).must_be_noticed().await?;
    let commit_bytes = scene.bytes(&commit)?.clone();
    scene.attack("a commit as a checkpoint", vec![(name.clone(), Some(commit_bytes))]).must_be_noticed().await?;
    scene.attack("a checkpoint as a commit", vec![(commit.clone(), Some(ours))]).must_be_noticed().await?;
    // The head with its checkpoint: what stays behind tells that there was more.
    let head = vec![(scene.commit(ALICE, AT + 1)?, None), (commit, None)];
    scene.attack("a checkpoint whose commit is gone", head).found_as("checkpoint").must_be_noticed().await?;
    // Losing it loses nothing.
    scene.bucket.apply(&vec![(name.clone(), None)]).await?;
    scene.is_whole().await?;
    scene.bucket.put_back(&scene.objects).await?;
    scene.is_whole().await
}
