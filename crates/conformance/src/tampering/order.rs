//! Commits at other numbers than their own, commits that are gone, and commits that lost their race.

use bytes::Bytes;
use memoseal_core::Error;

use super::{
    layout::Commit,
    scene::{ALICE, HEAD, Scene, open},
};
use crate::{
    Failure, Place,
    bucket::{Edits, create, ok},
    check,
};

pub(crate) async fn a_commit_at_another_number_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    for (from, to) in [(1, 2), (2, 3), (4, 3), (1, HEAD), (HEAD - 1, HEAD), (HEAD, HEAD - 1)] {
        let bytes = scene.bytes(&scene.commit(ALICE, from)?)?.clone();
        let behind = scene.behind(ALICE, to - 1).await?;
        let edits = vec![(scene.commit(ALICE, to)?, Some(bytes))];
        scene.attack(format!("commit {from} in place of {to}"), edits).by(&behind).must_be_noticed().await?;
        behind.is_whole().await?;
    }
    // Behind the head, where nothing was.
    for from in 1..=HEAD {
        let bytes = scene.bytes(&scene.commit(ALICE, from)?)?.clone();
        let running = scene.behind(ALICE, HEAD).await?;
        let edits = vec![(scene.commit(ALICE, HEAD + 1)?, Some(bytes))];
        scene.attack(format!("commit {from} once more at the end"), edits).by(&running).must_be_noticed().await?;
        running.is_whole().await?;
    }
    scene.is_whole().await
}

pub(crate) async fn commits_in_another_order_are_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let numbers: Vec<u64> = (1..=HEAD).collect();
    let mut backwards = numbers.clone();
    backwards.reverse();
    let mut turned = numbers.clone();
    turned.rotate_left(1);
    // The last two change places, with everything before them as it was.
    let mut last = numbers.clone();
    last.swap(3, 4);
    // All but the first stand one number lower, as if that had never been.
    let without_first = turned.iter().copied().take(4).collect();
    for order in [backwards, turned, last, without_first] {
        let mut edits = Edits::new();
        for (to, from) in numbers.iter().zip(&order) {
            if to != from {
                edits.push((scene.commit(ALICE, *to)?, Some(scene.bytes(&scene.commit(ALICE, *from)?)?.clone())));
            }
        }
        if order.len() < numbers.len() {
            edits.push((scene.commit(ALICE, HEAD)?, None));
        }
        let first = numbers.iter().zip(&order).find(|(to, from)| to != from).map_or(1, |(to, _)| *to);
        let behind = scene.behind(ALICE, first - 1).await?;
        scene.attack(format!("commits in the order {order:?}"), edits).by(&behind).must_be_noticed().await?;
        behind.is_whole().await?;
    }
    scene.is_whole().await
}

pub(crate) async fn a_commit_removed_from_the_middle_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    for seq in 1..HEAD {
        scene
            .attack(format!("without commit {seq}"), vec![(scene.commit(ALICE, seq)?, None)])
            .must_be_noticed()
            .await?;
    }
    let two = vec![(scene.commit(ALICE, 2)?, None), (scene.commit(ALICE, 3)?, None)];
    scene.attack("without two commits", two).found_as("commits 2 to 3").must_be_noticed().await?;
    let keyring = vec![(scene.keyring(ALICE)?, None)];
    scene.attack("without the keyring", keyring).must_be_noticed().await?;
    // Who follows the log past the gap with what was read before.
    let running = scene.warm(ALICE).await?;
    let gap = vec![(scene.commit(ALICE, 2)?, None)];
    scene.attack("contents that are gone", gap).by(&running).must_be_noticed().await?;
    running.is_whole().await?;
    scene.is_whole().await
}

/// Two writers tried the same number; somebody kept what the loser sent, which is sealed with the right key for that very
/// place, and follows from the commit before.
pub(crate) async fn a_commit_that_lost_its_race_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of(place, &[ALICE]).await?;
    let before = scene.objects.clone();
    let (second, third) = (HEAD + 1, HEAD + 2);
    let loser = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&loser, create("raced", "lost")).await?;
    let lost = scene.bucket.objects().await?;
    scene.bucket.put_back(&before).await?;
    let winner = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&winner, create("raced", "won!")).await?;
    ok(&winner, create("after", "it")).await?;
    scene.look(ALICE, &winner).await?;

    let name = scene.commit(ALICE, second)?;
    let won = scene.bytes(&name)?.clone();
    let lost = lost.get(&name).ok_or_else(|| Failure::new("the loser wrote nothing"))?;
    let named = format!("commit {third}");
    let whole = vec![(name.clone(), Some(lost.clone()))];
    let running = scene.warm(ALICE).await?;
    scene.attack("the whole commit", whole.clone()).found_as(named).by(&running).must_be_noticed().await?;
    running.is_whole().await?;
    // Who comes from before the race is led to the wrong commit, and finds out by the next.
    let behind = scene.behind(ALICE, HEAD).await?;
    scene.bucket.apply(&whole).await?;
    for answer in [behind.store.memories().await.map(drop), behind.write().await] {
        check!(matches!(answer, Err(Error::Damaged { .. })), "a running process that is behind is told {answer:?}");
    }
    scene.bucket.apply(&scene.undo(&whole)).await?;

    let (ours, theirs) = (Commit::of(&won, 1)?, Commit::of(lost, 1)?);
    for part in ["meta", "content"] {
        let at = |commit: &Commit| {
            let sections = commit.sections.first().cloned();
            sections.map(|(meta, content)| if part == "meta" { meta } else { content }).unwrap_or_default()
        };
        let (here, there) = (at(&ours), at(&theirs));
        let changed = [&won[..here.start], &lost[there], &won[here.end..]].concat();
        check!(changed.len() == won.len(), "the {part} sections differ in length");
        let running = if part == "meta" { scene.behind(ALICE, HEAD).await? } else { scene.warm(ALICE).await? };
        let edits = vec![(name.clone(), Some(Bytes::from(changed)))];
        scene.attack(format!("its {part} only"), edits).by(&running).must_be_noticed().await?;
        running.is_whole().await?;
    }
    scene.is_whole().await
}
