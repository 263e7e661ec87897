//! Several writers, puts that land late, callers that go away.

use std::time::Duration;

use memoseal_core::{Error, command::Reply};
use memoseal_testkit::{Op, errors};

use super::{
    crash::{hasty, is_clean},
    model::{holds, script, shows, states},
};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, create, ok, replace, store, view},
    check, check_eq,
};

/// Each command by another handle than the one before, which has to know what that did.
pub(crate) async fn two_handles_in_turn_see_each_other(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handles = [store(&vault, "alice").await?, store(&bucket.open().await?, "alice").await?];
    let script = script();
    let states = states(&script)?;
    for (n, (command, files)) in script.iter().zip(states.iter().skip(1)).enumerate() {
        let [one, other] = &handles;
        let (writer, reader) = if n % 2 == 0 { (one, other) } else { (other, one) };
        let answer = writer.execute(command.clone()).await?;
        check!(matches!(answer, Reply::Text(_)), "{command:?} was answered with {answer:?}");
        shows(reader, files).await.map_err(|failure| failure.about(format!("the other handle, {command:?}")))?;
        holds(&bucket, "alice", files).await?;
    }
    is_clean(&bucket).await
}

/// The outcome is called unknown; then the put lands. It counts once, and what comes after stands on it.
pub(crate) async fn a_put_that_lands_after_all_is_applied_once(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    ok(&store(&vault, "alice").await?, create("n", "a")).await?;
    let clients = Clients::of(&bucket);
    let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
    let late = clients.creates.on(Op::PutCreate).path_contains("/log/").always().land_late(errors::timeout());
    let answer = handle.execute(replace("n", "a", "b")).await;
    check!(matches!(answer, Err(Error::OutcomeUnknown { .. })), "a put without an answer: {answer:?}");
    clients.mend();
    let landed = late.release().await;
    check!(landed.len() > 1, "it was sent once");
    check_eq!(landed.iter().filter(|answer| answer.is_ok()).count(), 1, "puts that landed");
    check_eq!(handle.read("/memories/n").await?, "b");
    ok(&handle, replace("n", "b", "c")).await?;
    check_eq!(bucket.files("alice").await?.into_values().collect::<Vec<_>>(), ["c"]);
    check_eq!(store(&bucket.open().await?, "alice").await?.seq(), 3, "commits");
    is_clean(&bucket).await
}

/// A put that was sent again because its answer was lost lands for the second time, after others have built on it; and
/// one that another has overtaken lands when its number is taken.
pub(crate) async fn a_put_that_lands_late_changes_nothing_twice(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    ok(&store(&vault, "alice").await?, create("n", "a")).await?;
    let clients = Clients::of(&bucket);
    let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
    let late = clients.creates.on(Op::PutCreate).path_contains("/log/").land_late(errors::timeout());
    ok(&handle, replace("n", "a", "b")).await?;
    let other = store(&bucket.open().await?, "alice").await?;
    ok(&other, replace("n", "b", "c")).await?;
    check!(late.release().await.iter().all(Result::is_err), "a put landed over what was there");
    ok(&handle, replace("n", "c", "d")).await?;

    let late = clients.creates.on(Op::PutCreate).path_contains("/log/").times(1).land_late(errors::timeout());
    let gate = clients.rest.on(Op::Get).path_contains("/log/").hold();
    let running = tokio::spawn(async move { handle.execute(create("lost", "")).await });
    // It is on its way, and nobody has looked yet; another takes its number.
    gate.reached().await;
    ok(&other, replace("n", "d", "e")).await?;
    gate.release();
    let answer = running.await??;
    check!(matches!(answer, Reply::Text(_)), "the command runs again on what won: {answer:?}");
    check!(late.release().await.iter().all(Result::is_err), "the loser landed over the winner");
    let files = bucket.files("alice").await?;
    check_eq!(files.get("/memories/n").map(|text| text.as_ref()), Some(b"e".as_ref()));
    check_eq!(files.len(), 2);
    is_clean(&bucket).await
}

/// A caller that goes away after its change was taken up has made it; one that goes away before has not.
pub(crate) async fn a_cancelled_change_is_carried_through_or_withdrawn(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, _) = Bucket::with_vault(place).await?;
    let clients = Clients::of(&bucket);
    let handle = store(&clients.bucket().open().await?, "alice").await?;
    ok(&handle, create("n", "a")).await?;
    let gate = clients.creates.on(Op::PutCreate).path_contains("/log/").hold();
    let begin = |command| {
        let handle = handle.clone();
        tokio::spawn(async move { handle.execute(command).await })
    };
    let taken_up = begin(create("taken up", "1"));
    gate.reached().await;
    let (withdrawn, waits) = (begin(create("withdrawn", "2")), begin(create("waits", "3")));
    // Both stand in the queue behind the one that is on its way.
    tokio::time::sleep(Duration::from_millis(50)).await;
    taken_up.abort();
    withdrawn.abort();
    check!(taken_up.await.is_err() && withdrawn.await.is_err(), "a caller that was cancelled was answered");
    // Nobody waits for it any more, for as long as its put is on its way.
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.release();
    let answer = waits.await??;
    check!(matches!(answer, Reply::Text(_)), "who waits is answered with {answer:?}");
    let files = bucket.files("alice").await?;
    check_eq!(files.keys().collect::<Vec<_>>(), ["/memories/n", "/memories/taken up", "/memories/waits"]);
    shows(&handle, &files).await?;

    // A view that is cancelled leaves nothing behind, in whatever it was.
    let gate = clients.rest.on(Op::Get).hold();
    let viewing = begin(view("n"));
    gate.reached().await;
    viewing.abort();
    check!(viewing.await.is_err(), "a view that was cancelled was answered");
    gate.release();
    ok(&handle, replace("n", "a", "b")).await?;

    // The last handle goes with its caller: what was taken up is carried through all the same.
    clients.mend();
    let gate = clients.creates.on(Op::PutCreate).path_contains("/log/").hold();
    let last = tokio::spawn(async move { handle.execute(create("last", "4")).await });
    gate.reached().await;
    last.abort();
    check!(last.await.is_err(), "a caller that was cancelled was answered");
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.release();
    let mut found = false;
    for _ in 0..200 {
        found = bucket.files("alice").await?.contains_key("/memories/last");
        if found {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    check!(found, "what was taken up was not carried through");
    is_clean(&bucket).await
}
