//! An object or a section where another belongs.

use bytes::Bytes;

use super::{
    attack::Sign,
    bits::instead,
    layout::Commit,
    scene::{ALICE, ALICE_WORK, BOB, HEAD, OF_TWO, Scene},
};
use crate::{Failure, Place, bucket::Name, check};

pub(crate) async fn swapped_objects_are_noticed(place: &dyn Place) -> Result<(), Failure> {
    const HEADER: &[Sign] = &[Sign::NotFound, Sign::Damaged, Sign::WrongKey];
    let scene = Scene::of(place, &[ALICE, ALICE_WORK, BOB]).await?;
    let commits = [
        // Positions of one log.
        ((ALICE, 1), (ALICE, 2)),
        ((ALICE, 2), (ALICE, 3)),
        ((ALICE, HEAD - 1), (ALICE, HEAD)),
        ((ALICE, 1), (ALICE, HEAD)),
        // Stores of one user.
        ((ALICE, 1), (ALICE_WORK, 1)),
        ((ALICE, 3), (ALICE_WORK, 3)),
        ((ALICE, HEAD), (ALICE_WORK, HEAD)),
        // Users.
        ((ALICE, 1), (BOB, 1)),
        ((ALICE, 3), (BOB, 3)),
        ((ALICE, HEAD), (BOB, HEAD)),
        ((ALICE_WORK, 2), (BOB, 4)),
    ];
    for ((here, at), (there, other)) in commits {
        let edits = scene.swap(&scene.commit(here, at)?, &scene.commit(there, other)?)?;
        let behind = scene.behind(here, at - 1).await?;
        scene.attack(format!("{here:?} {at} and {there:?} {other}"), edits).by(&behind).must_be_noticed().await?;
        behind.is_whole().await?;
    }
    let (alice, bob, header) = (scene.keyring(ALICE)?, scene.keyring(BOB)?, scene.name(Name::is_header)?);
    scene.attack("the keyrings of two users", scene.swap(&alice, &bob)?).must_be_noticed().await?;
    let commit = scene.commit(BOB, 1)?;
    scene.attack("a keyring and a commit", scene.swap(&alice, &commit)?).must_be_noticed().await?;
    for other in [alice, commit] {
        let swap = scene.swap(&header, &other)?;
        scene.attack("the header and another", swap).told_as(HEADER).must_be_noticed().await?;
    }
    scene.is_whole().await
}

pub(crate) async fn objects_of_another_vault_are_noticed(place: &dyn Place) -> Result<(), Failure> {
    let (ours, theirs) = (Scene::of(place, &[ALICE, BOB]).await?, Scene::of(place, &[ALICE, BOB]).await?);
    for whose in [ALICE, BOB] {
        for seq in 1..=HEAD {
            let behind = ours.behind(whose, seq - 1).await?;
            let edits = instead(&ours.commit(whose, seq)?, theirs.bytes(&theirs.commit(whose, seq)?)?.clone());
            ours.attack(format!("commit {seq} of another vault"), edits).by(&behind).must_be_noticed().await?;
            behind.is_whole().await?;
        }
        let edits = instead(&ours.keyring(whose)?, theirs.bytes(&theirs.keyring(whose)?)?.clone());
        ours.attack("a keyring of another vault", edits).must_be_noticed().await?;
        let log = ours.log_instead(whose, theirs.log(whose)?, &theirs.objects)?;
        ours.attack("a log of another vault", log.clone()).found_as("commit 1").must_be_noticed().await?;
        let keyring = (ours.keyring(whose)?, Some(theirs.bytes(&theirs.keyring(whose)?)?.clone()));
        let user = log.into_iter().chain([keyring]).collect();
        ours.attack("a user of another vault", user).found_as("keyring").must_be_noticed().await?;
    }
    // Under another vault's header ours is empty: an inspection finds what belongs to nobody there. A process that has
    // ours open takes neither that header nor what it opens.
    let running = ours.warm(ALICE).await?;
    let (header, other) = (ours.name(Name::is_header)?, theirs.bytes(&theirs.name(Name::is_header)?)?.clone());
    let edits = instead(&header, other.clone());
    ours.bucket.apply(&edits).await?;
    super::attack::is_found(&ours.bucket.open().await?, "keyring").await?;
    running.vault.refresh().await?;
    running.read().await.is_right()?;
    ours.bucket.apply(&ours.undo(&edits)).await?;
    // As the next generation of ours it is no header at all.
    let next = instead(&crate::bucket::generation_name("vault", 2), other);
    ours.attack("the header of another vault as the next of ours", next.clone()).must_be_noticed().await?;
    ours.bucket.apply(&next).await?;
    let refreshed = running.vault.refresh().await;
    check!(matches!(refreshed, Err(memoseal_core::Error::Damaged { .. })), "a running process is told {refreshed:?}");
    ours.bucket.apply(&ours.undo(&next)).await?;
    running.is_whole().await?;
    ours.is_whole().await
}

/// Sections stand where they do not belong, in commits whose sealed headers are as they were.
pub(crate) async fn sections_where_others_belong_are_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, ALICE_WORK, BOB]).await?;
    let sections = |whose, seq, changes| {
        let bytes = scene.bytes(&scene.commit(whose, seq)?)?;
        let layout = Commit::of(bytes, changes)?;
        let cut =
            layout.sections.iter().map(|(meta, content)| (bytes.slice(meta.clone()), bytes.slice(content.clone())));
        Ok::<_, Failure>((bytes.clone(), layout.sections.clone(), cut.collect::<Vec<_>>()))
    };
    let (bytes, places, two) = sections(ALICE, OF_TWO, 2)?;
    let name = scene.commit(ALICE, OF_TWO)?;
    let [(first, first_at), (second, second_at)] = [0, 1].map(|n| (two.get(n).cloned(), places.get(n).cloned()));
    let (Some(first), Some(second), Some(first_at), Some(second_at)) = (first, second, first_at, second_at) else {
        return Err(Failure::new("a commit of two changes has no two"));
    };
    let mut attacks = Vec::new();
    let mut set = |what: &str, pieces: &[(&std::ops::Range<usize>, &Bytes)]| {
        let mut changed = bytes.to_vec();
        for (at, piece) in pieces {
            match changed.get_mut((*at).clone()) {
                Some(there) if there.len() == piece.len() => there.copy_from_slice(piece),
                _ => return Err(Failure::new(format!("{what}: sections of other sizes"))),
            }
        }
        attacks.push((what.to_owned(), changed));
        Ok(())
    };
    set("metas of one commit", &[(&first_at.0, &second.0), (&second_at.0, &first.0)])?;
    set("contents of one commit", &[(&first_at.1, &second.1), (&second_at.1, &first.1)])?;
    set(
        "the changes of one commit",
        &[(&first_at.0, &second.0), (&first_at.1, &second.1), (&second_at.0, &first.0), (&second_at.1, &first.1)],
    )?;
    for (whose, seq, changes) in [(ALICE, 1, 1), (ALICE, HEAD, 1), (ALICE_WORK, OF_TWO, 2), (BOB, OF_TWO, 2)] {
        let (_, _, others) = sections(whose, seq, changes)?;
        let other = others.first().ok_or_else(|| Failure::new("a commit without a change"))?;
        set(&format!("the content of {whose:?} {seq}"), &[(&first_at.1, &other.1)])?;
        if first.0.len() == other.0.len() {
            set(&format!("the meta of {whose:?} {seq}"), &[(&first_at.0, &other.0)])?;
        }
    }
    for (what, changed) in attacks {
        let is_meta = !what.contains("content");
        let running = if is_meta { scene.behind(ALICE, OF_TWO - 1).await? } else { scene.warm(ALICE).await? };
        scene.attack(what, instead(&name, changed)).by(&running).must_be_noticed().await?;
        running.is_whole().await?;
    }
    // The text of a file as it was before it was edited.
    let (edited, places, _) = sections(ALICE, 3, 1)?;
    let (_, _, before) = sections(ALICE, 1, 1)?;
    if let (Some((_, at)), Some((_, content))) = (places.first(), before.first()) {
        let running = scene.warm(ALICE).await?;
        let changed = [&edited[..at.start], content, &edited[at.end..]].concat();
        let edits = instead(&scene.commit(ALICE, 3)?, changed);
        scene.attack("an older content", edits).by(&running).must_be_noticed().await?;
        running.is_whole().await?;
    }
    scene.is_whole().await
}
