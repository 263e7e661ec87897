//! What changed nothing: its answer must be that of a state between its beginning and its end.

use memoseal_core::command::{Command, Reply};

use super::{Case, attribute, attribute::Made};
use crate::{
    model::{self, Tree},
    record::{Ask, Failure, Listed, Op, Told},
};

pub(super) fn check(case: &Case<'_>, made: &Made, violations: &mut Vec<String>) {
    for (op, made) in case.world.ops.iter().zip(made) {
        let Some((_, told)) = &op.told else { continue };
        let is_right = match (&op.ask, told) {
            (Ask::Turn(_), Told::Turn(_)) if *made => true,
            (Ask::Turn(commands), Told::Turn(answers)) => turn(case, op, commands, answers),
            (Ask::Read(path), Told::Bytes(told)) => read(case, op, path, told),
            (Ask::History, Told::History(Ok(listed))) => history(case, op, listed),
            _ => true,
        };
        if !is_right {
            violations.push(format!(
                "{} asked {:?} and was told what no state in between answers: {told:?}",
                op.actor, op.ask
            ));
        }
    }
}

/// Whether a turn may have been answered as it was without a change.
pub(super) fn may_have_changed_nothing(case: &Case<'_>, op: &Op) -> bool {
    match (&op.ask, &op.told) {
        (Ask::Turn(commands), Some((_, Told::Turn(answers)))) => turn(case, op, commands, answers),
        _ => true,
    }
}

/// Every tree that stood at some moment while this was asked, and those in the midst of the asker's own commits.
fn trees<'a>(case: &'a Case<'_>, op: &'a Op) -> impl Iterator<Item = &'a Tree> {
    let window = case.window(op);
    let own = window.clone().skip(1).filter_map(|after| {
        let commit = case.commits.get(after - 1)?;
        (commit.actor.as_deref() == Some(&op.actor)).then(|| case.midst.get(after - 1))?
    });
    window.filter_map(|at| case.trees.get(at)).chain(own.flatten())
}

fn turn(case: &Case<'_>, op: &Op, commands: &[Command], answers: &[Result<Reply, Failure>]) -> bool {
    if answers.iter().any(|answer| matches!(answer, Err(Failure::Unknown))) {
        return true;
    }
    if answers.iter().all(Result::is_err) {
        return true;
    }
    let masks = attribute::masks(op, commands.len());
    let mask = masks.first().copied().unwrap_or(0);
    trees(case, op).any(|tree| {
        let mut tree = tree.clone();
        commands.iter().enumerate().filter(|(number, _)| mask & (1 << number) != 0).all(|(number, command)| {
            let told = attribute::told_of(op, number);
            // A restore may find that what it would bring back was removed.
            if matches!(command, Command::Restore(_)) {
                return match told {
                    Some(Reply::Restored(restored)) => !restored.changed,
                    told => matches!(told, Some(Reply::Error(_))),
                };
            }
            let Some((reply, changes)) = model::run(command, &mut tree) else { return false };
            changes.is_empty() && told == Some(&reply)
        })
    })
}

fn read(case: &Case<'_>, op: &Op, path: &str, told: &Result<Vec<u8>, Failure>) -> bool {
    let mut trees = trees(case, op);
    match told {
        Ok(bytes) => trees.any(|tree| tree.get(path).is_some_and(|text| text.as_bytes() == bytes)),
        Err(Failure::Missing) => trees.any(|tree| !tree.contains_key(path) && !model::is_directory(path, tree)),
        Err(Failure::Refused) => trees.any(|tree| !tree.contains_key(path) && model::is_directory(path, tree)),
        Err(_) => true,
    }
}

fn history(case: &Case<'_>, op: &Op, listed: &[Listed]) -> bool {
    let mut window = case.window(op);
    let is_right = |seq: u64| {
        let expected = case.ledger.versions.values().rev().filter(|entry| entry.seen.id.seq <= seq);
        let mut listed = listed.iter();
        let same = expected.into_iter().all(|entry| {
            listed.next().is_some_and(|listed| {
                let path = listed.path.as_ref().is_none_or(|path| *path == entry.seen.path);
                listed.id == entry.seen.id && listed.operation == entry.seen.operation && path
            })
        });
        same && listed.next().is_none()
    };
    window.any(|at| is_right(case.template_seq() + at as u64))
}

impl Case<'_> {
    /// The number of the template's last commit.
    pub(super) fn template_seq(&self) -> u64 {
        self.world.template.commits.last().map_or(0, |commit| commit.seq)
    }
}
