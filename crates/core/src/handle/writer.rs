//! The one writer of a store in this process: it takes turns in the order in which they came, puts as many as wait
//! into one commit, and holds every answer until it is decided what became of that commit.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

#[cfg(feature = "simulation")]
use crate::simulation::Planted;

use super::{
    blocks, checkpoints,
    order::{Order, Ordered},
    plan::{Fetched, GROUP_CHANGES, Plan, Turn, plan},
    promptly, reads,
    replica::{Link, Replica},
    witnessing,
};
use crate::{
    Error, Result,
    codec::{self, Change, SealedCommit, StoreKeys, What},
    command::Reply,
    log::{Backoff, Created, jitter},
    state::Note,
};

/// How many turns may wait before callers have to.
const QUEUE: usize = 1024;

/// What a turn comes to: an answer for each command.
pub(super) type Answers = Vec<Result<Reply>>;

#[derive(Debug)]
pub(super) enum Job {
    Turn(TurnJob),
    Note(NoteJob),
}

#[derive(Debug)]
pub(super) struct TurnJob {
    turn: Turn,
    done: oneshot::Sender<Answers>,
}

/// A change of the store itself: a commit of its own.
#[derive(Debug)]
pub(super) struct NoteJob {
    order: Order,
    done: oneshot::Sender<Result<Ordered>>,
}

impl Job {
    fn is_closed(&self) -> bool {
        match self {
            Self::Turn(job) => job.done.is_closed(),
            Self::Note(job) => job.done.is_closed(),
        }
    }
}

/// The way to the writer.
#[derive(Clone, Debug)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// Starts the writer of a replica. It ends when the last handle is gone and what was queued is done.
    pub(super) fn start(replica: Arc<Replica>) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        tokio::spawn(run(replica, receiver, sender.downgrade()));
        Self(sender)
    }

    pub(super) fn of(jobs: mpsc::Sender<Job>) -> Self {
        Self(jobs)
    }

    /// Queues a turn and waits for its answers. A caller that stops waiting before the writer takes the turn up
    /// withdraws it; after that the turn is carried through whether anybody waits or not.
    pub(super) async fn submit(&self, turn: Turn) -> Answers {
        let commands = turn.commands.len();
        let (done, answers) = oneshot::channel();
        let stopped = || Error::OutcomeUnknown { problem: "the runtime that kept the writer has ended".into() };
        match self.0.send(Job::Turn(TurnJob { turn, done })).await {
            Ok(()) => answers.await.unwrap_or_else(|_| vec![Err(stopped()); commands]),
            Err(_) => vec![Err(stopped()); commands],
        }
    }

    /// Queues a change of the store itself, and waits for what came of it.
    pub(super) async fn order(&self, order: Order) -> Result<Ordered> {
        let (done, answer) = oneshot::channel();
        let stopped = || Error::OutcomeUnknown { problem: "the runtime that kept the writer has ended".into() };
        match self.0.send(Job::Note(NoteJob { order, done })).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(stopped())),
            Err(_) => Err(stopped()),
        }
    }
}

async fn run(replica: Arc<Replica>, mut jobs: mpsc::Receiver<Job>, sender: mpsc::WeakSender<Job>) {
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
        queue.retain(|job: &Job| !job.is_closed());
        match queue.pop_front() {
            None => {}
            Some(Job::Note(job)) => {
                let answer = note(&replica, job.order).await;
                // Nobody waits any more if the caller was cancelled; what it asked for is done all the same.
                let _ = job.done.send(answer);
                promptly::after_changes(&replica, &sender);
            }
            Some(Job::Turn(first)) => {
                let mut group = VecDeque::from([first]);
                while let Some(Job::Turn(_)) = queue.front() {
                    if let Some(Job::Turn(next)) = queue.pop_front() {
                        group.push_back(next);
                    }
                }
                let answers = commit(&replica, &group).await;
                promptly::after_changes(&replica, &sender);
                let left = group.split_off(answers.len().min(group.len()));
                for (job, answers) in group.into_iter().zip(answers) {
                    let _ = job.done.send(answers);
                }
                left.into_iter().rev().for_each(|job| queue.push_front(Job::Turn(job)));
            }
        }
    }
}

/// Carries a change of the store itself through.
async fn note(replica: &Arc<Replica>, order: Order) -> Result<Ordered> {
    let vault = replica.user.vault();
    let mut backoff = Backoff::new(vault.env(), vault.patience());
    loop {
        replica.freshen().await?;
        replica.check_open()?;
        let base = replica.confirmed().seq;
        let planned = match replica.unless_destroyed(order.plan(replica).await).await {
            Ok(planned) => planned,
            // What is wrong with it is true only of a state that nobody has moved on from.
            Err(error @ (Error::Invalid(_) | Error::NotFound { .. })) if replica.is_current(base).await? => {
                return Err(error);
            }
            Err(Error::Invalid(_) | Error::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let Some(planned_note) = planned.note else {
            if replica.is_current(base).await? {
                return Ok(Ordered { seq: None, outcome: planned.outcome });
            }
            continue;
        };
        vault.probe().await?;
        let keys = replica.keys_or_create().await?;
        let chain = {
            let confirmed = replica.confirmed();
            if confirmed.seq != base || replica.is_stale() {
                continue;
            }
            confirmed.chain(keys)
        };
        let actor = replica.options.actor.clone();
        // The policy of a process that scrubs binds others from its first commit on, whatever that is about.
        let sets_policy = matches!(planned_note, Note::Scrub(_));
        let policy = replica.unwritten_policy().filter(|_| !sets_policy);
        let at_ms = vault.env().clock.now_ms();
        let change = |note| Change { what: What::Store(note), at_ms, actor: actor.clone() };
        let changes: Vec<Change> = [planned_note].into_iter().chain(policy).map(change).collect();
        let sealed = codec::seal(keys, base + 1, &chain, Some(&replica.store), &changes, || vault.env().random())?;
        let asked = replica.asks();
        match replica.log.create(vault.env(), &sealed).await? {
            Created::Ours => {
                let seq = sealed.seq;
                replica.answered(asked);
                landed(replica, keys, sealed)?;
                return Ok(Ordered { seq: Some(seq), outcome: planned.outcome });
            }
            Created::Theirs(bytes) => {
                replica.take(base + 1, bytes).await?;
                backoff.pause().await?;
                replica.catch_up().await?;
            }
        }
    }
}

/// Carries the turns at the head of the queue through: as many as fit into one commit, at least one.
async fn commit(replica: &Arc<Replica>, queue: &VecDeque<TurnJob>) -> Vec<Answers> {
    match try_commit(replica, queue).await {
        Ok(answers) => answers,
        // One failure answers the whole group: all its commands were to go in one commit.
        Err((taken, error)) => {
            queue.iter().take(taken).map(|job| vec![Err(error.clone()); job.turn.commands.len()]).collect()
        }
    }
}

async fn try_commit(replica: &Arc<Replica>, queue: &VecDeque<TurnJob>) -> Result<Vec<Answers>, (usize, Error)> {
    let vault = replica.user.vault();
    let mut fetched = Fetched::default();
    let mut losses = 0;
    #[cfg(feature = "simulation")]
    let mut planted = Planting::new(vault.env());
    loop {
        replica.freshen().await.map_err(|error| (1, error))?;
        let plan = planned(replica, queue, &mut fetched).await.map_err(|error| (1, error))?;
        #[cfg(feature = "simulation")]
        let plan = planted.plan(plan);
        let mut plan = plan;
        let taken = plan.answers.len();
        let failed = |error| (taken, error);
        if plan.changes.is_empty() {
            // Errors, no-ops and views are true only of a state that nobody has moved on from.
            #[cfg(feature = "simulation")]
            if vault.env().has(Planted::StaleNoOp) {
                return Ok(plan.answers);
            }
            if replica.is_current(plan.base).await.map_err(failed)? {
                replica.note_read(plan.read);
                return Ok(plan.answers);
            }
            continue;
        }
        // Before a process's first change it is made sure that the store can keep the promise, and that the user exists.
        vault.probe().await.map_err(failed)?;
        let keys = replica.keys_or_create().await.map_err(failed)?;
        let base_chain = {
            let confirmed = replica.confirmed();
            if confirmed.seq != plan.base || replica.is_stale() {
                continue;
            }
            confirmed.chain(keys)
        };
        // What was read since rides along, and the policy by which this very commit was scrubbed.
        for note in replica.unwritten_policy().into_iter().chain(replica.unwritten_reads(reads::RIDING)) {
            let (at_ms, actor) = (vault.env().clock.now_ms(), replica.options.actor.clone());
            plan.changes.push(Change { what: What::Store(note), at_ms, actor });
        }
        let random = || vault.env().random();
        let sealed = codec::seal(keys, plan.base + 1, &base_chain, Some(&replica.store), &plan.changes, random)
            .map_err(failed)?;
        let sent = Instant::now();
        let asked = replica.asks();
        match replica.log.create(vault.env(), &sealed).await.map_err(failed)? {
            Created::Ours => {
                let contents = plan.changes.iter().filter_map(Change::memory);
                let contents =
                    contents.filter_map(|change| Some((change.post.as_ref()?.version, change.content.clone()?)));
                for (version, content) in contents {
                    replica.cache().insert(version, content);
                }
                replica.answered(asked);
                landed(replica, keys, sealed).map_err(failed)?;
                replica.note_read(plan.read);
                return Ok(plan.answers);
            }
            Created::Theirs(bytes) => {
                tracing::debug!(seq = sealed.seq, "another writer was first; the commands run again");
                replica.take(sealed.seq, bytes).await.map_err(failed)?;
                #[cfg(feature = "simulation")]
                planted.lost(plan);
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

/// Test only: what the bugs that can be planted here remember from one try to the next.
#[cfg(feature = "simulation")]
#[derive(Default)]
struct Planting {
    no_rerun: bool,
    early_errors: bool,
    /// The plan that lost, to go out again.
    lost: Option<Plan>,
    /// Answers that have left, by their turn.
    left: Option<Vec<Option<Answers>>>,
}

#[cfg(feature = "simulation")]
impl Planting {
    fn new(env: &crate::env::Env) -> Self {
        let (no_rerun, early_errors) = (env.has(Planted::NoRerun), env.has(Planted::EarlyErrors));
        Self { no_rerun, early_errors, ..Self::default() }
    }

    fn plan(&mut self, plan: Plan) -> Plan {
        let mut plan = match self.lost.take() {
            Some(lost) => Plan { base: plan.base, ..lost },
            None => plan,
        };
        if self.early_errors && !plan.changes.is_empty() {
            let is_error = |answer: &Result<Reply>| answer.as_ref().is_ok_and(Reply::is_error);
            let leaving = |answers: &Answers| answers.iter().all(is_error).then(|| answers.clone());
            self.left.get_or_insert_with(|| plan.answers.iter().map(leaving).collect());
        }
        for (answers, left) in plan.answers.iter_mut().zip(self.left.iter().flatten()) {
            if let Some(left) = left {
                answers.clone_from(left);
            }
        }
        plan
    }

    fn lost(&mut self, plan: Plan) {
        self.lost = self.no_rerun.then_some(plan);
    }
}

/// Applies what this process has committed.
fn landed(replica: &Arc<Replica>, keys: &StoreKeys, sealed: SealedCommit) -> Result<()> {
    let (previous, bytes) = (sealed.previous_chain, sealed.bytes.len() as u64);
    let header = sealed.bytes.slice(..sealed.header_len);
    let link = Link { seq: sealed.seq, previous, chain: sealed.chain, bytes, header };
    if sealed.replaces {
        replica.replaced.store(true, Ordering::Release);
    }
    replica.apply(keys, &link, sealed.replay)?;
    checkpoints::after_commit(replica, link.seq);
    blocks::after_commit(replica, link.seq);
    witnessing::note(replica);
    Ok(())
}

/// Plans the group, reading what it needs to know first.
async fn planned(replica: &Replica, queue: &VecDeque<TurnJob>, fetched: &mut Fetched) -> Result<Plan> {
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
