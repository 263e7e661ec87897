//! Writing a checkpoint beside the work.

use super::{
    crash::{Attempts, has_crashed, hasty, is_clean},
    model::{holds, shows},
};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, Name, create, files, ok, replace, store},
    check, check_eq,
};

/// The commit by which a small store is due a checkpoint, and how much later any writer writes it.
const DUE: u64 = 32;

/// A store that is one commit short of its `checkpoints`-th checkpoint.
async fn before_checkpoint(place: &dyn Place, checkpoints: u64) -> Result<Bucket, Failure> {
    let (bucket, vault) = Bucket::with_vault(place).await?;
    let handle = store(&vault, "alice").await?;
    ok(&handle, create("n", "1")).await?;
    count(&handle, DUE * checkpoints - 2).await?;
    check_eq!(bucket.checkpoints().await?, usize::try_from(checkpoints - 1)?, "checkpoints so far");
    Ok(bucket)
}

/// So many more commits.
async fn count(handle: &memoseal_core::Store, commits: u64) -> Result<(), Failure> {
    for _ in 0..commits {
        let n = handle.seq();
        ok(handle, replace("n", &n.to_string(), &(n + 1).to_string())).await?;
        handle.settle().await;
    }
    Ok(())
}

impl Bucket {
    /// How many checkpoints there are.
    async fn checkpoints(&self) -> Result<usize, Failure> {
        Ok(self.names().await?.iter().filter(|name| Name::of(name).is_checkpoint()).count())
    }
}

/// The third checkpoint: it is created, the bucket is listed, the first is deleted.
pub(crate) async fn a_crash_while_a_checkpoint_is_written_loses_nothing(place: &dyn Place) -> Result<(), Failure> {
    let bucket = before_checkpoint(place, 3).await?;
    let before = bucket.objects().await?;
    let mut attempts = Attempts::of(5);
    while let Some((n, how)) = attempts.next() {
        let attempt = async {
            bucket.put_back(&before).await?;
            let clients = Clients::of(&bucket);
            let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
            // Its content is at hand, so that the first requests are the probe and the commit.
            handle.read("/memories/n").await?;
            let then = files(&handle).await?;
            clients.crash(n, how);
            let answer = handle.execute(replace("n", &(DUE * 3 - 1).to_string(), "end")).await;
            handle.settle().await;
            let crashed = has_crashed(&clients, n, &answer)?;
            let found = bucket.files("alice").await?;
            let landed = found.get("/memories/n").is_some_and(|text| text == "end");
            check!(landed || found == then, "by halves: {found:?}");
            check!(landed || answer.is_err(), "it was answered and is not there");
            let checkpoints = bucket.checkpoints().await?;
            check!((2..=3).contains(&checkpoints), "{checkpoints} checkpoints");
            check!(crashed || checkpoints == 2, "the last two are kept, and there are {checkpoints}");
            is_clean(&bucket).await?;
            // The process goes on, if it was only cut off for a while; so does whoever comes next.
            clients.mend();
            ok(&handle, create("after", "it")).await?;
            ok(&store(&bucket.open().await?, "alice").await?, create("next", "one")).await?;
            let found = bucket.files("alice").await?;
            check_eq!(found.len(), 3);
            shows(&handle, &found).await?;
            is_clean(&bucket).await?;
            Ok(crashed)
        };
        attempts.ended(attempt.await)?;
    }
    Ok(())
}

/// A writer that is gone has not written the checkpoint that was its to write.
pub(crate) async fn a_missed_checkpoint_is_written_later(place: &dyn Place) -> Result<(), Failure> {
    let bucket = before_checkpoint(place, 1).await?;
    let clients = Clients::of(&bucket);
    let handle = store(&clients.bucket().open_with(hasty()).await?, "alice").await?;
    handle.read("/memories/n").await?;
    // The probe and the commit are answered, the checkpoint is not sent.
    clients.crash(3, crate::bucket::Crash::Before);
    count(&handle, 1).await?;
    check_eq!(bucket.checkpoints().await?, 0, "checkpoints after the crash");
    let next = store(&bucket.open().await?, "alice").await?;
    count(&next, DUE).await?;
    check_eq!(bucket.checkpoints().await?, 1, "checkpoints 32 commits later");
    holds(&bucket, "alice", &files(&next).await?).await?;
    is_clean(&bucket).await
}
