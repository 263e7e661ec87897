//! Blocks of history that are not what the log says: passed over by whoever reads, and found by an inspection.

use bytes::Bytes;
use memoseal_core::{HistoryQuery, Version};

use super::{
    attack::is_found,
    bits::instead,
    scene::{ALICE, BOB, Scene, Whose, open},
};
use crate::{
    Failure, Place,
    bucket::{Objects, create, ok},
    check, check_eq,
};

/// As many commits as make a block.
const BLOCK: u64 = 256;

pub(crate) async fn a_block_of_history_is_not_believed(place: &dyn Place) -> Result<(), Failure> {
    let mut scene = Scene::of_commits(place, BLOCK - 1).await?;
    let before = scene.objects.clone();
    // What could have been: a block of the same place whose last commit is another.
    let other = open(&scene.bucket.open().await?, ALICE).await?;
    ok(&other, create("forged", "")).await?;
    other.settle().await;
    let parted = block(&scene, ALICE, &scene.bucket.objects().await?)?.1;
    scene.bucket.put_back(&before).await?;
    for whose in [ALICE, BOB] {
        let store = open(&scene.bucket.open().await?, whose).await?;
        for n in store.seq()..=BLOCK {
            ok(&store, create(&format!("true {n}"), "")).await?;
        }
        scene.look(whose, &store).await?;
    }
    let truth = audit(&scene).await?;
    check_eq!(truth.len() as u64, BLOCK + 1, "versions in the history");

    let (name, bytes) = block(&scene, ALICE, &scene.objects)?;
    let (_, of_bob) = block(&scene, BOB, &scene.objects)?;
    let commit = scene.bytes(&scene.commit(ALICE, 1)?)?.clone();
    let mut changed = bytes.to_vec();
    let middle = changed.len() / 2;
    if let Some(byte) = changed.get_mut(middle) {
        *byte ^= 1;
    }
    let attacks = [
        ("a block of another store", of_bob),
        ("a block of a history that parted from this one", parted),
        ("a block cut short", bytes.slice(..bytes.len() - 1)),
        ("an empty block", Bytes::new()),
        ("a block grown", [&bytes[..], b"\0"].concat().into()),
        ("a block with a changed bit", changed.into()),
        ("a commit as a block", commit),
    ];
    for (what, put) in attacks {
        let edits = instead(&name, put);
        scene.bucket.apply(&edits).await?;
        let told = async {
            check!(audit(&scene).await? == truth, "the history is told as another");
            is_found(&scene.bucket.open().await?, "block 1 of the history").await
        };
        let told = told.await.map_err(|failure| failure.about(what));
        scene.bucket.apply(&scene.undo(&edits)).await?;
        told?;
    }
    // Losing it loses nothing, and whoever misses it writes the same again.
    scene.bucket.apply(&vec![(name.clone(), None)]).await?;
    check!(audit(&scene).await? == truth, "without its block the history is told as another");
    check!(scene.bucket.objects().await?.get(&name) == Some(&bytes), "it was not written again as it was");
    scene.is_whole().await
}

/// The block of a store: its name and its bytes.
fn block(scene: &Scene, whose: Whose, objects: &Objects) -> Result<(String, Bytes), Failure> {
    let folder = format!("{}/", scene.log(whose)?.replace("/log/", "/hist/"));
    let found = objects.iter().find(|(name, _)| name.starts_with(&folder));
    let (name, bytes) = found.ok_or_else(|| Failure::new(format!("{whose:?} has no block of history")))?;
    Ok((name.clone(), bytes.clone()))
}

/// The history of a store as a process tells it that starts now.
async fn audit(scene: &Scene) -> Result<Vec<Version>, Failure> {
    let store = open(&scene.bucket.open().await?, ALICE).await?;
    let mut query = HistoryQuery::default();
    (query.audit, query.limit) = (true, 1_000);
    let page = store.history(&query).await?;
    store.settle().await;
    Ok(page.versions)
}
