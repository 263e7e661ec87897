//! Which turns made which commit.

use memoseal_core::{
    Operation,
    command::{Command, Reply, Restore},
};

use memoseal_testkit::sim::Rng;

use super::{Case, answers};
use crate::{
    model::{self, Change, Tree},
    observe::{Commit, Seen},
    record::{Ask, Failure, Op, Told},
};

/// The search is given up after so many steps: contents are unique, so that it is short where a history is right.
const STEPS: usize = 50_000;

/// Which operations made a change: by their place in the record.
pub(super) type Made = Vec<bool>;

/// In which order turns are tried. One that explains a commit need not be the one that made it, and may be missed by a
/// later commit or by its own answer; if any order explains everything, all is well.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Those that may have changed nothing last.
    IdleLast,
    /// As they were asked.
    Asked,
    /// Any other.
    Shuffled(u64),
}

impl Order {
    /// Those that are worth a try.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Self::IdleLast, Self::Asked].into_iter().chain((0..30).map(Self::Shuffled))
    }
}

pub(super) fn attribute(case: &Case<'_>, order: Order, violations: &mut Vec<String>) -> Made {
    let ops = &case.world.ops;
    let mut made = vec![false; ops.len()];
    for (at, commit) in case.commits.iter().enumerate() {
        if commit.changes.is_empty() {
            continue;
        }
        let Some(before) = case.trees.get(at) else { continue };
        let rng = Rng::new(match order {
            Order::Shuffled(seed) => seed,
            Order::IdleLast | Order::Asked => 0,
        });
        let mut search = Search { case, order, rng, commit, made: &made, taken: Vec::new(), steps: 0 };
        if search.from(0, before.clone()) {
            let taken = search.taken;
            taken.into_iter().for_each(|op| made[op] = true);
        } else {
            let changes: Vec<_> =
                commit.changes.iter().map(|seen| (seen.operation, &seen.path, &seen.content)).collect();
            let who = commit.actor.as_deref().unwrap_or("nobody");
            violations.push(format!("commit {} by {who} is what no turn asked for: {changes:?}", commit.seq));
        }
    }
    made
}

struct Search<'a> {
    case: &'a Case<'a>,
    order: Order,
    rng: Rng,
    commit: &'a Commit,
    made: &'a [bool],
    taken: Vec<usize>,
    steps: usize,
}

impl Search<'_> {
    /// Whether turns that are free explain every change from the one at `at` on.
    fn from(&mut self, at: usize, tree: Tree) -> bool {
        if at == self.commit.changes.len() {
            return true;
        }
        // Whoever was told of a change has made a commit. Whoever may have found nothing to change need not have, and
        // whoever was told nothing neither.
        let ops = &self.case.world.ops;
        let is_free = |number: &usize| !self.made[*number] && !self.taken.contains(number);
        let free = (0..ops.len()).filter(is_free).filter_map(|number| Some((number, ops.get(number)?)));
        let mut candidates: Vec<(usize, &Op)> = free.filter(|(_, op)| self.may_have_made(op)).collect();
        if candidates.len() > 1 {
            candidates.sort_by_cached_key(|(_, op)| match &op.told {
                Some((_, told)) if !is_unknown(told) => match self.order {
                    Order::IdleLast => u64::from(answers::may_have_changed_nothing(self.case, op)),
                    Order::Asked => 0,
                    Order::Shuffled(_) => self.rng.below(1_000),
                },
                _ => 1_000,
            });
        }
        for (number, op) in candidates {
            let Ask::Turn(commands) = &op.ask else { continue };
            for mask in masks(op, commands.len()) {
                self.steps += 1;
                if self.steps > STEPS {
                    return false;
                }
                let mut tree = tree.clone();
                let rest = self.commit.changes.get(at..).unwrap_or_default();
                let Some(length) = self.explains(op, commands, mask, &mut tree, rest) else { continue };
                if length == 0 {
                    continue;
                }
                self.taken.push(number);
                if self.from(at + length, tree) {
                    return true;
                }
                self.taken.pop();
            }
        }
        false
    }

    fn may_have_made(&self, op: &Op) -> bool {
        let in_time = op.told.as_ref().is_none_or(|(event, told)| *event > self.commit.event || is_unknown(told));
        op.ask.is_change() && self.commit.actor.as_deref() == Some(&op.actor) && op.asked < self.commit.event && in_time
    }

    /// Runs the commands of `mask` and gives how many of `changes` they make, if what they answer is what was told.
    fn explains(&self, op: &Op, commands: &[Command], mask: u32, tree: &mut Tree, changes: &[Seen]) -> Option<usize> {
        let mut done = 0;
        for (number, command) in commands.iter().enumerate().filter(|(number, _)| mask & (1 << number) != 0) {
            let told = told_of(op, number);
            let rest = changes.get(done..)?;
            if let Command::Restore(restore) = command {
                done += self.restores(restore, told, tree, rest)?;
                continue;
            }
            let before = tree.clone();
            let (reply, made) = model::run(command, tree)?;
            if told.is_some_and(|told| *told != reply) {
                return None;
            }
            let seen = rest.get(..made.len())?;
            if !made.iter().zip(seen).all(|(made, seen)| is_same(made, seen, &before)) {
                return None;
            }
            done += made.len();
        }
        Some(done)
    }

    /// A restore makes one change or two, and what stands then is what a version was.
    fn restores(&self, restore: &Restore, told: Option<&Reply>, tree: &mut Tree, rest: &[Seen]) -> Option<usize> {
        if matches!(told, Some(Reply::Error(_))) {
            return Some(0);
        }
        let candidates = self.case.ledger.restorable(restore.path.as_deref()?, rest.first()?.id);
        for length in [2, 1] {
            let Some(seen) = rest.get(..length) else { continue };
            let Some(last) = seen.last() else { continue };
            let is_one = seen.iter().all(|seen| seen.memory == last.memory && seen.operation != Operation::Deleted);
            let is_right = candidates.iter().any(|entry| {
                let named = match told {
                    Some(Reply::Restored(restored)) => restored.version == entry.seen.id,
                    _ => true,
                };
                named && entry.seen.path == last.path && entry.seen.content == last.content
            });
            if is_one && is_right {
                let moved = self.case.ledger.versions.get(&seen.first()?.previous.unwrap_or(last.id));
                if let Some(moved) = moved.filter(|entry| entry.seen.memory == last.memory) {
                    tree.remove(&moved.seen.path);
                }
                tree.insert(last.path.clone(), last.content.as_deref()?.to_owned());
                return Some(length);
            }
        }
        None
    }
}

/// What command `number` of a turn was answered, if it was.
pub(super) fn told_of(op: &Op, number: usize) -> Option<&Reply> {
    match &op.told {
        Some((_, Told::Turn(answers))) => answers.get(number)?.as_ref().ok(),
        _ => None,
    }
}

fn is_unknown(told: &Told) -> bool {
    matches!(told, Told::Turn(answers) if answers.contains(&Err(Failure::Unknown)))
}

/// Which commands of a turn may have had an effect: those that were not told that they had none.
pub(super) fn masks(op: &Op, commands: usize) -> Vec<u32> {
    let all = (1_u32 << commands) - 1;
    let answers = match &op.told {
        Some((_, told)) if is_unknown(told) => None,
        Some((_, Told::Turn(answers))) => Some(answers),
        _ => None,
    };
    match answers {
        // A command may have failed alone, because a content could not be read.
        None => (1..=all).rev().collect(),
        Some(answers) => {
            let worked = (0..commands).filter(|number| answers.get(*number).is_some_and(Result::is_ok));
            vec![worked.fold(0, |mask, number| mask | 1 << number)]
        }
    }
}

/// Whether the log has this change.
fn is_same(made: &Change, seen: &Seen, before: &Tree) -> bool {
    let content = seen.content.as_deref();
    match made {
        Change::Create { path, content: text } => {
            seen.operation == Operation::Created && seen.path == *path && content == Some(text)
        }
        Change::Write { path, content: text } => {
            seen.operation == Operation::Modified && seen.path == *path && content == Some(text)
        }
        Change::Move { from, to } => {
            let text = before.get(from).map(String::as_str);
            let moved = seen.holder != Some(seen.id);
            seen.operation == Operation::Modified && seen.path == *to && content == text && moved
        }
        Change::Delete { path } => seen.operation == Operation::Deleted && seen.path == *path,
    }
}
