//! Commands, one after another, with a process that starts anew after each, or ends in the middle.

use memoseal_core::command::Reply;

use super::{
    crash::{Attempts, has_crashed, hasty, is_clean},
    model::{holds, script, shows, states},
};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, store},
    check,
};

pub(crate) async fn every_command_is_there_after_opening_anew(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handle = store(&vault, "alice").await?;
    let script = script();
    for (command, files) in script.iter().zip(states(&script)?.iter().skip(1)) {
        let answer = handle.execute(command.clone()).await?;
        check!(matches!(answer, Reply::Text(_)), "{command:?} was answered with {answer:?}");
        holds(&bucket, "alice", files).await.map_err(|failure| failure.about(format!("after {command:?}")))?;
        shows(&handle, files).await?;
    }
    is_clean(&bucket).await
}

/// A process works through all commands and ends at any request: what was answered is there, what was not is there
/// whole or not at all.
pub(crate) async fn a_crash_in_a_run_of_commands_loses_nothing(place: &dyn Place) -> Result<(), Failure> {
    let (bucket, _) = Bucket::with_vault(place).await?;
    let empty = bucket.objects().await?;
    let script = script();
    let states = states(&script)?;
    let mut attempts = Attempts::of(17);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&empty).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            clients.crash(n, how);
            let mut answered = 0;
            let mut last = Ok(());
            for command in &script {
                match handle.execute(command.clone()).await {
                    Ok(Reply::Text(_)) => answered += 1,
                    Ok(other) => return Err(Failure::new(format!("{command:?} was answered with {other:?}"))),
                    Err(error) => {
                        last = Err(error);
                        break;
                    }
                }
            }
            let crashed = has_crashed(&clients, n, &last)?;
            let found = bucket.files("alice").await?;
            let at = states.iter().skip(answered).take(2).position(|files| *files == found);
            let at = at.ok_or_else(|| Failure::new(format!("{answered} commands were answered, then: {found:?}")))?;
            is_clean(&bucket).await?;
            // Whoever comes next goes on from there.
            let next = store(&bucket.open().await?, "alice").await?;
            for command in script.iter().skip(answered + at) {
                let answer = next.execute(command.clone()).await?;
                check!(matches!(answer, Reply::Text(_)), "{command:?} is answered with {answer:?} afterwards");
            }
            // And the process itself, if it was only cut off for a while.
            clients.mend();
            let end = states.last().cloned().unwrap_or_default();
            shows(&handle, &end).await?;
            holds(&bucket, "alice", &end).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}
