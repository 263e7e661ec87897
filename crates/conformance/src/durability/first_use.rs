//! Making a vault, making a user.

use memoseal_core::{Error, Key, Vault, command::Reply};
use memoseal_testkit::Op;

use super::{
    crash::{Attempts, has_crashed, hasty, is_clean},
    model::{holds, shows, states},
};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, Files, Name, create, key, ok, rename, store},
    check, check_eq,
};

pub(crate) async fn a_crash_while_a_vault_is_made_leaves_none_or_one(place: &dyn Place) -> Result<(), Failure> {
    let bucket = Bucket::fresh(place).await?;
    let nothing = bucket.objects().await?;
    let mut attempts = Attempts::of(3);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&nothing).await?;
            let clients = Clients::of(&bucket);
            clients.crash(n, how);
            let made = Vault::create(clients.bucket().backend(), key(), hasty()).await;
            let crashed = has_crashed(&clients, n, &made)?;
            match bucket.open().await {
                // Whoever is told that nothing was made may throw the key away.
                Ok(_) => check!(!matches!(made, Err(Error::Backend { .. })), "a vault is there: {made:?}"),
                Err(Error::NotFound { .. }) => {
                    check!(made.is_err(), "no vault is there");
                    Vault::create(bucket.backend(), key(), hasty()).await?;
                }
                Err(error) => return Err(error.into()),
            }
            let other = Vault::create(bucket.backend(), Key::raw([9; 32]), hasty()).await;
            check!(matches!(other, Err(Error::AlreadyExists { .. })), "made twice: {other:?}");
            ok(&store(&bucket.open().await?, "alice").await?, create("a", "1")).await?;
            check_eq!(bucket.files("alice").await?.len(), 1);
            is_clean(&bucket).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}

/// The probe, the keyring, the commit.
pub(crate) async fn a_crash_in_the_first_change_of_a_user_loses_nothing(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    ok(&store(&vault, "bob").await?, create("b", "bob's")).await?;
    let bobs = bucket.files("bob").await?;
    let without = bucket.objects().await?;
    let mut attempts = Attempts::of(3);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&without).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            clients.crash(n, how);
            let answer = handle.execute(create("a", "first")).await;
            let crashed = has_crashed(&clients, n, &answer)?;
            let found = bucket.files("alice").await?;
            let first = states(&[create("a", "first")])?;
            let landed = first.get(1) == Some(&found);
            check!(landed || found == Files::new(), "by halves: {found:?}");
            check!(landed || answer.is_err(), "it was answered and is not there");
            check!(!landed || !matches!(answer, Err(Error::Backend { .. })), "it was not to have landed: {answer:?}");
            is_clean(&bucket).await?;
            holds(&bucket, "bob", &bobs).await?;
            // Done again it succeeds, or says that it is done.
            let again = store(&bucket.open().await?, "alice").await?.execute(create("a", "first")).await?;
            check_eq!(matches!(again, Reply::Text(_)), !landed, "done again: {again:?}");
            clients.mend();
            for files in [handle, store(&bucket.open().await?, "alice").await?] {
                shows(&files, first.get(1).unwrap_or(&found)).await?;
            }
            let keyrings = bucket.names().await?.iter().filter(|name| Name::of(name).is_keyring()).count();
            check_eq!(keyrings, 2, "keyrings of two users");
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}

/// Two processes make the same user at once: nothing is sealed under a key that did not get in.
pub(crate) async fn a_user_made_by_two_processes_is_one(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, _) = Bucket::with_vault(place).await?;
    let clients = Clients::of(&bucket);
    let slow = store(&clients.bucket().open().await?, "alice").await?;
    let fast = store(&bucket.open().await?, "alice").await?;
    let gate = clients.creates.on(Op::PutCreate).path_contains("/keyring/").hold();
    let running = tokio::spawn({
        let slow = slow.clone();
        async move { slow.execute(create("slow", "1")).await }
    });
    gate.reached().await;
    ok(&fast, create("fast", "2")).await?;
    gate.release();
    let answer = running.await??;
    check!(matches!(answer, Reply::Text(_)), "who came second is answered with {answer:?}");
    let states = states(&[create("slow", "1"), create("fast", "2")])?;
    let both = states.last().cloned().unwrap_or_default();
    holds(&bucket, "alice", &both).await?;
    shows(&slow, &both).await?;
    shows(&fast, &both).await?;
    is_clean(&bucket).await
}

/// The commands of a turn go in one commit, also where they touch many files.
pub(crate) async fn a_turn_lands_whole_or_not_at_all(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handle = store(&vault, "alice").await?;
    let first: Vec<_> = (0..10).map(|n| create(&format!("dir/{n}"), "x")).collect();
    check!(handle.execute_turn(first.clone()).await.iter().all(Result::is_ok));
    let before = bucket.objects().await?;
    let turn = vec![rename("dir", "moved"), create("dir/new", "y"), rename("moved/3", "three")];
    let states = states(&[first, turn.clone()].concat())?;
    let (then, after) = (states.get(10).cloned().unwrap_or_default(), states.last().cloned().unwrap_or_default());
    let mut attempts = Attempts::of(2);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&before).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            clients.crash(n, how);
            let answers: Result<Vec<_>, _> = handle.execute_turn(turn.clone()).await.into_iter().collect();
            let crashed = has_crashed(&clients, n, &answers)?;
            let found = bucket.files("alice").await?;
            check!(found == then || found == after, "by halves: {found:?}");
            check!(answers.is_err() || found == after, "it was answered and is not there");
            is_clean(&bucket).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}
