//! The one writer of a store in this process: it takes turns in the order in which they came, puts as many as wait
//! into one commit, and holds every answer until it is decided what became of that commit.

use std::{collections::VecDeque, sync::Arc};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

use super::{
    checkpoints,
    plan::{Fetched, GROUP_CHANGES, Plan, Turn, plan},
    replica::{Link, Replica},
    witnessing,
};
use crate::{
    Error, Result, codec,
    command::Reply,
    log::{Created, jitter},
};

/// How many turns may wait before callers have to.
const QUEUE: usize = 1024;

/// What a turn comes to: an answer for each command.
pub(super) type Answers = Vec<Result<Reply>>;

#[derive(Debug)]
struct Job {
    turn: Turn,
    done: oneshot::Sender<Answers>,
}

/// The way to the writer.
#[derive(Clone, Debug)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// Starts the writer of a replica. It ends when the last handle is gone and what was queued is done.
    pub(super) fn start(replica: Arc<Replica>) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        tokio::spawn(run(replica, receiver));
        Self(sender)
    }

    /// Queues a turn and waits for its answers. A caller that stops waiting before the writer takes the turn up
    /// withdraws it; after that the turn is carried through whether anybody waits or not.
    pub(super) async fn submit(&self, turn: Turn) -> Answers {
        let commands = turn.commands.len();
        let (done, answers) = oneshot::channel();
        let stopped = || Error::OutcomeUnknown { problem: "the runtime that kept the writer has ended".into() };
        match self.0.send(Job { turn, done }).await {
            Ok(()) => answers.await.unwrap_or_else(|_| vec![Err(stopped()); commands]),
            Err(_) => vec![Err(stopped()); commands],
        }
    }
}

async fn run(replica: Arc<Replica>, mut jobs: mpsc::Receiver<Job>) {
    let mut queue = VecDeque::new();
    loop {
        if queue.is_empty() {
            match jobs.recv().await {
                Some(job) => queue.push_back(job),
                None => return,
            }
            // Whoever is ready to run may have a turn for the same commit.
            tokio::task::yield_now().await;
        }
        while queue.len() < GROUP_CHANGES
            && let Ok(job) = jobs.try_recv()
        {
            queue.push_back(job);
        }
        queue.retain(|job: &Job| !job.done.is_closed());
        if queue.is_empty() {
            continue;
        }
        let answers = commit(&replica, &queue).await;
        for (job, answers) in queue.drain(..answers.len()).zip(answers) {
            // Nobody waits any more if the caller was cancelled; what it asked for is done all the same.
            let _ = job.done.send(answers);
        }
    }
}

/// Carries the turns at the head of the queue through: as many as fit into one commit, at least one.
async fn commit(replica: &Arc<Replica>, queue: &VecDeque<Job>) -> Vec<Answers> {
    match try_commit(replica, queue).await {
        Ok(answers) => answers,
        // One failure answers the whole group: all its commands were to go in one commit.
        Err((taken, error)) => {
            queue.iter().take(taken).map(|job| vec![Err(error.clone()); job.turn.commands.len()]).collect()
        }
    }
}

async fn try_commit(replica: &Arc<Replica>, queue: &VecDeque<Job>) -> Result<Vec<Answers>, (usize, Error)> {
    let vault = replica.user.vault();
    let mut fetched = Fetched::default();
    let mut losses = 0;
    loop {
        let plan = planned(replica, queue, &mut fetched).await.map_err(|error| (1, error))?;
        let taken = plan.answers.len();
        let failed = |error| (taken, error);
        if plan.changes.is_empty() {
            // Errors, no-ops and views are true only of a state that nobody has moved on from.
            if replica.is_current(plan.base).await.map_err(failed)? {
                return Ok(plan.answers);
            }
            continue;
        }
        // Before a process's first change it is made sure that the store can keep the promise, and that the user exists.
        vault.probe().await.map_err(failed)?;
        let keys = replica.keys_or_create().await.map_err(failed)?;
        let base_chain = {
            let confirmed = replica.confirmed();
            if confirmed.seq != plan.base {
                continue;
            }
            confirmed.chain(keys)
        };
        let random = || vault.env().random();
        let sealed =
            codec::seal(keys, plan.base + 1, &base_chain, &replica.store, &plan.changes, random).map_err(failed)?;
        let sent = Instant::now();
        match replica.log.create(vault.env(), &sealed).await.map_err(failed)? {
            Created::Ours => {
                let contents =
                    plan.changes.into_iter().filter_map(|change| Some((change.post?.version, change.content?)));
                for (version, content) in contents {
                    replica.cache().insert(version, content);
                }
                let link = Link {
                    seq: sealed.seq,
                    previous: sealed.previous_chain,
                    chain: sealed.chain,
                    bytes: sealed.bytes.len() as u64,
                };
                replica.apply(keys, &link, sealed.replay).map_err(failed)?;
                checkpoints::after_commit(replica, link.seq);
                witnessing::note(replica);
                return Ok(plan.answers);
            }
            Created::Theirs(bytes) => {
                tracing::debug!(seq = sealed.seq, "another writer was first; the commands run again");
                replica.take(sealed.seq, bytes).await.map_err(failed)?;
                losses += 1;
                if losses > 1 {
                    // Whoever loses again and again steps back for a part of the time that a try takes, and looks
                    // where the head is now. Not longer: a writer that comes new must not have better chances.
                    sleep(jitter(vault.env(), sent.elapsed()).map_err(failed)?).await;
                    replica.catch_up().await.map_err(failed)?;
                }
            }
        }
    }
}

/// Plans the group, reading what it needs to know first.
async fn planned(replica: &Replica, queue: &VecDeque<Job>, fetched: &mut Fetched) -> Result<Plan> {
    let mut suspects = Vec::new();
    loop {
        let plan = plan(replica, queue.iter().map(|job| &job.turn), fetched)?;
        if plan.is_decided() {
            return Ok(plan);
        }
        fetched.versions.extend(replica.fetch_versions(plan.wanted_versions).await);
        let mut stale = false;
        for (version, content) in replica.fetch(plan.wanted).await {
            // What does not open may be gone lawfully, by a change that this state has not seen: look at the log
            // before the command is told of damage.
            if content.is_err() && !suspects.contains(&version) {
                suspects.push(version);
                stale = true;
            } else {
                fetched.contents.insert(version, content);
            }
        }
        if stale {
            replica.catch_up().await?;
        }
    }
}
