//! Running commands against the confirmed state: what they answer, what they change, and what has to be read first.

use std::{cell::RefCell, collections::HashMap};

use bytes::Bytes;

use super::replica::Replica;
use crate::{
    Error, Result,
    codec::{self, Actor, Change, MemoryChange, Op, What},
    command::{self, Command, Contents, Edit, Limits, NeedsContent, Reply},
    history::Version,
    scrub::{Findings, Scrubbing},
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
    /// The same of versions whose records have to be read.
    pub(super) wanted_versions: Vec<VersionId>,
    /// Memories whose content was shown.
    pub(super) read: Vec<MemoryId>,
    /// Whether the state lies behind the head, at a number where what was stripped leaves it like none that ever was.
    pub(super) is_behind: bool,
}

impl Plan {
    /// Whether nothing has to be read before the commands can be decided.
    pub(super) fn is_decided(&self) -> bool {
        self.wanted.is_empty() && self.wanted_versions.is_empty()
    }
}

/// What was read for these commands, or could not be read.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    /// Contents, by the version that wrote them.
    pub(super) contents: HashMap<VersionId, Result<Bytes>>,
    /// Records of versions; nothing where there is no such version.
    pub(super) versions: HashMap<VersionId, Result<Option<Version>>>,
}

/// Runs `turns` in order on the confirmed state of `replica`, as many as fit into one commit and at least one.
pub(super) fn plan<'a>(replica: &Replica, turns: impl Iterator<Item = &'a Turn>, fetched: &Fetched) -> Result<Plan> {
    replica.check_open()?;
    let confirmed = replica.confirmed();
    let mut runner = Runner {
        replica,
        scrubbing: replica.scrubbing(&confirmed.state),
        seq: confirmed.seq + 1,
        now_ms: replica.user.vault().env().clock.now_ms(),
        fetched,
        written: HashMap::new(),
        wanted: Vec::new(),
        wanted_versions: Vec::new(),
        read: Vec::new(),
        changes: Vec::new(),
        bytes: 0,
        weight: 0,
    };
    let mut overlay = Overlay::new(&confirmed.state);
    let mut answers: Vec<Vec<Result<Reply>>> = Vec::new();
    for turn in turns {
        // A turn that does not fit beside others is taken back and leads the next group.
        let before = (!answers.is_empty()).then(|| (overlay.clone(), runner.lengths()));
        answers.push(runner.turn(&mut overlay, turn)?);
        if runner.is_full() {
            if let Some((overlay_before, lengths)) = before
                && runner.is_over()
            {
                overlay = overlay_before;
                runner.truncate(lengths);
                answers.pop();
            }
            break;
        }
    }
    drop(overlay);
    let Runner { changes, wanted, wanted_versions, read, .. } = runner;
    let is_behind = confirmed.state.has_skipped();
    Ok(Plan { base: confirmed.seq, answers, changes, wanted, wanted_versions, read, is_behind })
}

struct Runner<'a> {
    replica: &'a Replica,
    scrubbing: Scrubbing,
    /// The number that the commit will have.
    seq: u64,
    now_ms: i64,
    fetched: &'a Fetched,
    /// Contents that this very group writes.
    written: HashMap<VersionId, Bytes>,
    wanted: Vec<Memory>,
    wanted_versions: Vec<VersionId>,
    read: Vec<MemoryId>,
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

    fn lengths(&self) -> [usize; 3] {
        [self.changes.len(), self.wanted.len(), self.wanted_versions.len()]
    }

    fn truncate(&mut self, [changes, wanted, wanted_versions]: [usize; 3]) {
        self.changes.truncate(changes);
        self.wanted.truncate(wanted);
        self.wanted_versions.truncate(wanted_versions);
    }

    /// The version that change `index` of this very group makes.
    fn version(&self, index: u32) -> Option<Version> {
        let change = self.changes.get(index as usize)?;
        let (at_ms, actor) = (change.at_ms, change.actor.clone());
        let change = change.memory()?;
        Some(Version {
            id: VersionId { seq: self.seq, index },
            memory: change.memory,
            operation: change.op.operation()?,
            previous: change.previous,
            path: change.post.as_ref().map(|post| post.path.clone()),
            size: change.post.as_ref().map(|post| post.size),
            sha256: change.post.as_ref().map(|post| post.sha256),
            content: change.post.as_ref().map(|post| post.content),
            at_ms,
            actor,
            redacted: None,
            findings: change.found.clone(),
        })
    }

    fn turn(&mut self, overlay: &mut Overlay<'_>, turn: &Turn) -> Result<Vec<Result<Reply>>> {
        turn.commands.iter().map(|command| self.command(overlay, command, &turn.actor)).collect()
    }

    /// Runs one command. The outer error ends the group, the inner one is this command's answer.
    fn command(&mut self, overlay: &mut Overlay<'_>, command: &Command, actor: &Actor) -> Result<Result<Reply>> {
        let desk = Desk {
            runner: self,
            failure: RefCell::new(None),
            missing: RefCell::new(None),
            given: RefCell::new(Vec::new()),
        };
        let outcome = command::run(command, overlay, self.limits(), &desk, &self.scrubbing);
        let (failure, missing, given) = (desk.failure.take(), desk.missing.take(), desk.given.take());
        if !command.is_mutation() {
            self.read.extend(given);
        }
        let outcome = match (outcome, failure, missing) {
            (Ok(outcome), ..) => outcome,
            (Err(_), Some(error), _) => return Ok(Err(error)),
            (Err(_), None, Some(memory)) => {
                if self.wanted.iter().all(|wanted| wanted.content.version != memory.content.version) {
                    self.wanted.push(memory);
                }
                return Ok(Err(undecided()));
            }
            (Err(NeedsContent::Version(id)), None, None) => {
                if !self.wanted_versions.contains(&id) {
                    self.wanted_versions.push(id);
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
        let mut found = Findings::new(outcome.found);
        for edit in outcome.edits {
            let found = if edit.content().is_some() { std::mem::take(&mut found) } else { Findings::default() };
            self.edit(overlay, edit, found, actor)?;
        }
        let mut reply = outcome.reply;
        if let Reply::Restored(restored) = &mut reply {
            restored.current = overlay.get(&restored.path).map(|memory| memory.version);
        }
        Ok(Ok(reply))
    }

    fn limits(&self) -> &'_ Limits {
        &self.replica.options.limits
    }

    fn edit(&mut self, overlay: &mut Overlay<'_>, edit: Edit, found: Findings, actor: &Actor) -> Result<()> {
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
        let what = What::Memory(MemoryChange { op, memory, previous, post, content, found });
        self.changes.push(Change { what, at_ms: self.now_ms, actor });
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
    /// The memories whose content was at hand.
    given: RefCell<Vec<MemoryId>>,
}

impl Contents for Desk<'_, '_> {
    fn get(&self, memory: &Memory) -> Option<Bytes> {
        let version = memory.content.version;
        self.given.borrow_mut().push(memory.id);
        if let Some(content) = self.runner.written.get(&version) {
            return Some(content.clone());
        }
        match self.runner.fetched.contents.get(&version) {
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

    fn version(&self, id: VersionId) -> Option<Option<Version>> {
        if id.seq >= self.runner.seq {
            // Made by this group, or by nobody that this state knows of.
            return Some(if id.seq == self.runner.seq { self.runner.version(id.index) } else { None });
        }
        match self.runner.fetched.versions.get(&id)? {
            Ok(version) => Some(version.clone()),
            Err(error) => {
                self.failure.replace(Some(error.clone()));
                None
            }
        }
    }
}
