//! Running commands against the confirmed state: what they answer, what they change, and what has to be read first.

use std::{cell::RefCell, collections::HashMap};

use bytes::Bytes;

use super::replica::Replica;
use crate::{
    Error, Result,
    codec::{self, Actor, Change, Op},
    command::{self, Command, Contents, Edit},
    command::{Limits, Reply},
    state::{Memory, MemoryId, Overlay, VersionId},
};

/// A group leaves when it has this many changes …
pub(super) const GROUP_CHANGES: usize = 256;
/// … or this many bytes of content.
pub(super) const GROUP_BYTES: usize = 1024 * 1024;

/// What the changes of one commit may weigh, content and all: well below what a commit may have.
const MOST_BYTES: usize = codec::MAX_COMMIT / 4 * 3;
/// What a change weighs besides its content, at most: header, meta section, padding.
const CHANGE_BYTES: usize = 2 * 1024;

/// The commands of one turn, and who gave them.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) commands: Vec<Command>,
    pub(super) actor: Actor,
}

/// What came of running turns in order against one state.
#[derive(Debug)]
pub(super) struct Plan {
    /// The number of the state that everything here follows from.
    pub(super) base: u64,
    /// For each turn that fits, for each command, its answer.
    pub(super) answers: Vec<Vec<Result<Reply>>>,
    /// The changes of all those turns, in order.
    pub(super) changes: Vec<Change>,
    /// Memories whose content has to be read before the commands can be decided. If there are any, nothing else
    /// here means anything.
    pub(super) wanted: Vec<Memory>,
}

/// What was read for these commands, or could not be read.
pub(super) type Fetched = HashMap<VersionId, Result<Bytes>>;

/// Runs `turns` in order on the confirmed state of `replica`, as many as fit into one commit and at least one.
pub(super) fn plan<'a>(replica: &Replica, turns: impl Iterator<Item = &'a Turn>, fetched: &Fetched) -> Result<Plan> {
    let confirmed = replica.confirmed();
    let mut runner = Runner {
        replica,
        seq: confirmed.seq + 1,
        now_ms: replica.user.vault().env().clock.now_ms(),
        fetched,
        written: HashMap::new(),
        wanted: Vec::new(),
        changes: Vec::new(),
        bytes: 0,
        weight: 0,
    };
    let mut overlay = Overlay::new(&confirmed.state);
    let mut answers: Vec<Vec<Result<Reply>>> = Vec::new();
    for turn in turns {
        // A turn that does not fit beside others is taken back and leads the next group.
        let before = (!answers.is_empty()).then(|| (overlay.clone(), runner.changes.len(), runner.wanted.len()));
        answers.push(runner.turn(&mut overlay, turn)?);
        if runner.is_full() {
            if let Some((overlay_before, changes, wanted)) = before
                && runner.is_over()
            {
                overlay = overlay_before;
                runner.changes.truncate(changes);
                runner.wanted.truncate(wanted);
                answers.pop();
            }
            break;
        }
    }
    drop(overlay);
    Ok(Plan { base: confirmed.seq, answers, changes: runner.changes, wanted: runner.wanted })
}

struct Runner<'a> {
    replica: &'a Replica,
    /// The number that the commit will have.
    seq: u64,
    now_ms: i64,
    fetched: &'a Fetched,
    /// Contents that this very group writes.
    written: HashMap<VersionId, Bytes>,
    wanted: Vec<Memory>,
    changes: Vec<Change>,
    /// The size of the content that is written.
    bytes: usize,
    /// What the commit will weigh, at most.
    weight: usize,
}

impl Runner<'_> {
    fn is_full(&self) -> bool {
        self.changes.len() >= GROUP_CHANGES || self.bytes >= GROUP_BYTES
    }

    fn is_over(&self) -> bool {
        self.changes.len() > GROUP_CHANGES || self.bytes > GROUP_BYTES
    }

    fn turn(&mut self, overlay: &mut Overlay<'_>, turn: &Turn) -> Result<Vec<Result<Reply>>> {
        turn.commands.iter().map(|command| self.command(overlay, command, &turn.actor)).collect()
    }

    /// Runs one command. The outer error ends the group, the inner one is this command's answer.
    fn command(&mut self, overlay: &mut Overlay<'_>, command: &Command, actor: &Actor) -> Result<Result<Reply>> {
        let desk = Desk { runner: self, failure: RefCell::new(None), missing: RefCell::new(None) };
        let outcome = command::run(command, overlay, self.limits(), &desk);
        let (failure, missing) = (desk.failure.take(), desk.missing.take());
        let outcome = match (outcome, failure, missing) {
            (Ok(outcome), ..) => outcome,
            (Err(_), Some(error), _) => return Ok(Err(error)),
            (Err(_), None, Some(memory)) => {
                if self.wanted.iter().all(|wanted| wanted.content.version != memory.content.version) {
                    self.wanted.push(memory);
                }
                return Ok(Err(undecided()));
            }
            (Err(_), None, None) => return Ok(Err(undecided())),
        };
        // Content is padded by an eighth at most.
        let content: usize = outcome.edits.iter().filter_map(Edit::content).map(|content| content.len() / 8 * 9).sum();
        let weight = content.saturating_add(outcome.edits.len() * CHANGE_BYTES);
        if weight > 0 && self.weight.saturating_add(weight) > MOST_BYTES {
            return Ok(Ok(Reply::turn_too_large()));
        }
        self.weight += weight;
        for edit in outcome.edits {
            self.edit(overlay, edit, actor)?;
        }
        Ok(Ok(outcome.reply))
    }

    fn limits(&self) -> &'_ Limits {
        &self.replica.options.limits
    }

    fn edit(&mut self, overlay: &mut Overlay<'_>, edit: Edit, actor: &Actor) -> Result<()> {
        let index = u32::try_from(self.changes.len()).map_err(|_| Error::Invalid("too many changes".into()))?;
        let version = VersionId { seq: self.seq, index };
        let content = edit.content().cloned();
        let op = match &edit {
            Edit::Create { .. } => Op::Created,
            Edit::Write { .. } | Edit::Move { .. } => Op::Modified,
            Edit::Delete { .. } => Op::Deleted,
        };
        let (memory, previous) = match &edit {
            Edit::Create { .. } => (MemoryId(self.replica.user.vault().env().random()?), None),
            Edit::Write { memory, .. } | Edit::Move { memory, .. } | Edit::Delete { memory } => {
                (*memory, overlay.get_id(*memory).map(|before| before.version))
            }
        };
        let post = overlay.apply(&edit, memory, version, self.now_ms);
        if let Some(content) = &content {
            self.bytes += content.len();
            self.written.insert(version, content.clone());
        }
        let actor = actor.clone();
        self.changes.push(Change { op, memory, previous, post, content, at_ms: self.now_ms, actor });
        Ok(())
    }
}

/// The answer of a command that waits for a content; it never leaves this module's callers, who read and plan again.
fn undecided() -> Error {
    Error::Invalid("the content was not read yet".into())
}

/// Gives a command the contents that are at hand, and notes what was not.
struct Desk<'a, 'b> {
    runner: &'a Runner<'b>,
    failure: RefCell<Option<Error>>,
    missing: RefCell<Option<Memory>>,
}

impl Contents for Desk<'_, '_> {
    fn get(&self, memory: &Memory) -> Option<Bytes> {
        let version = memory.content.version;
        if let Some(content) = self.runner.written.get(&version) {
            return Some(content.clone());
        }
        match self.runner.fetched.get(&version) {
            Some(Ok(content)) => return Some(content.clone()),
            Some(Err(error)) => {
                self.failure.replace(Some(error.clone()));
                return None;
            }
            None => {}
        }
        let content = self.runner.replica.cache().get(version);
        if content.is_none() {
            self.missing.replace(Some(memory.clone()));
        }
        content
    }
}
