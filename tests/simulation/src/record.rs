//! What every client asked and was told, in the order of events.

use std::sync::{Arc, Mutex, PoisonError};

use memoseal_core::{
    Error, Operation,
    command::{Command, Reply},
    state::{Retention, VersionId},
};
use memoseal_testkit::sim::Bucket;

/// What a client asks.
#[derive(Clone, Debug)]
pub enum Ask {
    /// Opens a vault, or a store in it.
    Open,
    /// The commands of one turn.
    Turn(Vec<Command>),
    /// The bytes of a file.
    Read(String),
    /// The whole history.
    History,
    /// The content of a version.
    ReadVersion(VersionId),
    /// Removes versions.
    Redact(Vec<VersionId>),
    /// Says how long replaced versions are kept.
    Retain(Retention),
    /// Maintenance of the store.
    Maintain,
    /// Maintenance of the vault.
    MaintainVault,
    /// A new vault key.
    Rotate,
    /// The user goes, with everything.
    DestroyUser,
    /// The store goes.
    DestroyStore,
}

impl Ask {
    /// Whether it destroys the store.
    pub fn destroys(&self) -> bool {
        matches!(self, Self::DestroyUser | Self::DestroyStore)
    }

    /// Whether it can change what stands.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Turn(commands) if commands.iter().any(Command::is_mutation))
    }
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Out of reach; nothing was changed.
    Unchanged,
    /// Nobody knows.
    Unknown,
    /// It cannot be done.
    Refused,
    /// What was asked for does not exist.
    Missing,
    /// What no honest store and no fault may lead to.
    Broken(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Backend { .. } => Self::Unchanged,
            Error::OutcomeUnknown { .. } => Self::Unknown,
            Error::Invalid(_) => Self::Refused,
            Error::NotFound { .. } => Self::Missing,
            other => Self::Broken(other.to_string()),
        }
    }
}

/// What a version is, as a page of history tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub id: VersionId,
    /// What was done.
    pub operation: Operation,
    /// Where, if that is still there.
    pub path: Option<String>,
}

/// What a client is told.
#[derive(Clone, Debug)]
pub enum Told {
    /// The answers of a turn.
    Turn(Vec<Result<Reply, Failure>>),
    /// A content.
    Bytes(Result<Vec<u8>, Failure>),
    /// All versions, the newest first.
    History(Result<Vec<Listed>, Failure>),
    /// Anything else.
    Done(Result<(), Failure>),
}

impl Told {
    /// Whether what was asked for does not exist any more, as far as the client was told.
    pub fn is_missing(&self) -> bool {
        let missing = |failure: &Failure| *failure == Failure::Missing;
        match self {
            Self::Turn(answers) => answers.iter().any(|answer| answer.as_ref().is_err_and(missing)),
            Self::Bytes(_) => false,
            Self::History(told) => told.as_ref().is_err_and(missing),
            Self::Done(told) => told.as_ref().is_err_and(missing),
        }
    }
}

/// One thing that a client asked.
#[derive(Clone, Debug)]
pub struct Op {
    /// By which handle: the name that stands in the log.
    pub actor: String,
    /// What.
    pub ask: Ask,
    /// When it was asked, among all events.
    pub asked: u64,
    /// When it was answered, among all events, and what; nothing if the process died before.
    pub told: Option<(u64, Told)>,
}

/// All of it. Clones are the same record.
#[derive(Clone, Debug)]
pub struct Record {
    ops: Arc<Mutex<Vec<Op>>>,
    bucket: Bucket,
}

impl Record {
    /// An empty record of what happens over this bucket.
    pub fn new(bucket: &Bucket) -> Self {
        Self { ops: Arc::default(), bucket: bucket.clone() }
    }

    /// Somebody asks something.
    pub fn ask(&self, actor: &str, ask: Ask) -> usize {
        let op = Op { actor: actor.to_owned(), ask, asked: self.bucket.event(), told: None };
        self.bucket.say(|| format!("{actor} asks {:?}", op.ask));
        let mut ops = self.ops.lock().unwrap_or_else(PoisonError::into_inner);
        ops.push(op);
        ops.len() - 1
    }

    /// And is told something.
    pub fn tell(&self, op: usize, told: Told) {
        let event = self.bucket.event();
        let mut ops = self.ops.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(op) = ops.get_mut(op) {
            self.bucket.say(|| format!("{} is told {told:?}", op.actor));
            op.told = Some((event, told));
        }
    }

    /// Everything so far.
    pub fn ops(&self) -> Vec<Op> {
        self.ops.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
