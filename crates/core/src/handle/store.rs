//! A store: the tree of memories that an agent works on.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::join;

use super::{
    User, opening,
    plan::{Fetched, Plan, Turn, plan},
    replica::{Confirmed, Replica},
    witnessing,
    writer::{Answers, Writer},
};
use crate::{
    Error, Result,
    codec::Actor,
    command::{self, Command, Limits, Reply},
    state::Memory,
};

/// What a handle allows, and who is named for what it changes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Sizes and numbers.
    pub limits: Limits,
    /// Who is named in the log.
    pub actor: Actor,
    /// Whether every change is refused.
    pub read_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { limits: Limits::default(), actor: Actor::Local { name: "memoseal".into() }, read_only: false }
    }
}

/// A store of one user. Clones are the same handle; several handles and processes may work on one store at once.
///
/// Every call may be cancelled: a change that was taken up is carried through, one that was not is withdrawn.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) replica: Arc<Replica>,
    pub(super) writer: Writer,
}

impl Store {
    pub(super) async fn open(user: User, name: String, options: StoreOptions) -> Result<Self> {
        let replica = Arc::new(opening::open(user, name, options).await?);
        let writer = Writer::start(Arc::clone(&replica));
        Ok(Self { replica, writer })
    }

    /// Executes one command.
    ///
    /// A mistake in the command is a [`Reply::Error`], for the model to read. A view costs one request, of a file
    /// whose content is not at hand two at once; a change costs one.
    ///
    /// # Errors
    /// What keeps the store from answering: [`Error::Backend`], where nothing was changed;
    /// [`Error::OutcomeUnknown`]; [`Error::Damaged`]; [`Error::Unsuitable`].
    pub async fn execute(&self, command: Command) -> Result<Reply> {
        let answers = self.execute_turn(vec![command]).await;
        answers.into_iter().next().unwrap_or_else(|| Err(Error::Invalid("no command was given".into())))
    }

    /// Executes the commands of one turn, in order; an error in one does not stop the next. If any of them can change
    /// the store they go together, and a view among them sees what those before it did.
    pub async fn execute_turn(&self, commands: Vec<Command>) -> Vec<Result<Reply>> {
        let mutates = commands.iter().any(Command::is_mutation);
        let turn = Turn { commands, actor: self.replica.options.actor.clone() };
        if mutates && self.replica.options.read_only {
            return self.view_or_refuse(turn).await;
        }
        if mutates { self.writer.submit(turn).await } else { self.view(turn).await }
    }

    /// In a read-only handle: the views are answered, the rest is refused.
    async fn view_or_refuse(&self, turn: Turn) -> Answers {
        let refused: Vec<bool> = turn.commands.iter().map(Command::is_mutation).collect();
        let views = turn.commands.into_iter().filter(|command| !command.is_mutation()).collect();
        let mut answers = self.view(Turn { commands: views, actor: turn.actor }).await.into_iter();
        let refusal = || Some(Ok(Reply::read_only()));
        refused.iter().filter_map(|refused| if *refused { refusal() } else { answers.next() }).collect()
    }

    /// Answers views from a state that was current at a moment after this call began.
    pub(super) async fn view(&self, turn: Turn) -> Answers {
        match self.try_view(&turn).await {
            Ok(answers) => answers,
            Err(error) => vec![Err(error); turn.commands.len()],
        }
    }

    async fn try_view(&self, turn: &Turn) -> Result<Answers> {
        if turn.commands.is_empty() {
            return Ok(Vec::new());
        }
        let replica = &self.replica;
        let mut fetched = Fetched::default();
        // What will probably be shown is read while it is asked whether the state is current.
        #[cfg(feature = "simulation")]
        if replica.user.vault().env().has(crate::simulation::Planted::StaleView) {
            let plan = plan(replica, std::iter::once(turn), &fetched)?;
            if plan.is_decided() && !plan.is_behind {
                return Ok(plan.answers.into_iter().next().unwrap_or_default());
            }
        }
        let mut guess = plan(replica, std::iter::once(turn), &fetched)?;
        let is_answer = guess.is_decided() && !guess.is_behind;
        let (current, contents) = join(replica.catch_up(), replica.fetch(std::mem::take(&mut guess.wanted))).await;
        current?;
        witnessing::note(replica);
        if is_answer && replica.confirmed().seq == guess.base {
            // It was current all along: what was worked out from it holds.
            return Ok(self.viewed(guess));
        }
        // What failed may have been superseded by what was just read; it is asked for again if it was not.
        fetched.contents.extend(contents.into_iter().filter(|(_, content)| content.is_ok()));
        let mut suspects = Vec::new();
        loop {
            let plan = plan(replica, std::iter::once(turn), &fetched)?;
            if plan.is_behind {
                // Another task is on its way to the head.
                replica.catch_up().await?;
                continue;
            }
            if plan.is_decided() {
                return Ok(self.viewed(plan));
            }
            fetched.versions.extend(replica.fetch_versions(plan.wanted_versions).await);
            for (version, content) in replica.fetch(plan.wanted).await {
                // It may have been replaced and removed since: that is damage only if the log still names it.
                if content.is_err() && !suspects.contains(&version) {
                    suspects.push(version);
                    replica.catch_up().await?;
                } else {
                    fetched.contents.insert(version, content);
                }
            }
        }
    }

    /// The answers of a turn of views that is decided.
    fn viewed(&self, plan: Plan) -> Answers {
        self.replica.note_read(plan.read);
        plan.answers.into_iter().next().unwrap_or_default()
    }

    /// Refuses what a read-only handle must not do.
    pub(super) fn check_writable(&self) -> Result<()> {
        if self.replica.options.read_only {
            return Err(Error::Invalid("this handle only reads: open one that may write".into()));
        }
        Ok(())
    }

    /// The bytes of one file. One request, or two at once if the content is not at hand.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no file is there; [`Error::Invalid`] for a path that none can have; those of
    /// [`Store::execute`].
    pub async fn read(&self, path: &str) -> Result<Bytes> {
        let path = command::parse_path(path).map_err(|text| {
            let text = text.strip_prefix("Error: ").unwrap_or(&text);
            Error::Invalid(format!("{text}: name it as `memoseal ls` does"))
        })?;
        let missing = || Error::NotFound { what: path.to_string(), hint: "look around with `memoseal ls`".into() };
        let replica = &self.replica;
        let find = || {
            let confirmed = replica.confirmed();
            let memory = confirmed.state.get(path.resolved()).map(|memory| Memory::clone(memory));
            (memory, confirmed.state.has_skipped())
        };
        let guess = find().0.filter(|memory| replica.cache().get(memory.content.version).is_none());
        let (current, _) = join(replica.catch_up(), replica.fetch(guess.into_iter().collect())).await;
        current?;
        witnessing::note(replica);
        let is_directory = || replica.confirmed().state.under(path.resolved()).next().is_some();
        let mut suspect = None;
        loop {
            let memory = match find() {
                // Another task is on its way to the head.
                (_, true) => {
                    replica.catch_up().await?;
                    continue;
                }
                (Some(memory), _) => memory,
                (None, _) if path.resolved().is_root() || is_directory() => {
                    return Err(Error::Invalid(format!("{path} is a directory: list it with `memoseal ls`")));
                }
                (None, _) => return Err(missing()),
            };
            let (id, version) = (memory.id, memory.content.version);
            let cached = replica.cache().get(version);
            if let Some(content) = cached {
                replica.note_read([id]);
                return Ok(content);
            }
            match replica.fetch(vec![memory]).await.remove(&version) {
                Some(Err(_)) if suspect != Some(version) => {
                    suspect = Some(version);
                    replica.catch_up().await?;
                }
                Some(content) => {
                    replica.note_read([id]);
                    return content;
                }
                None => return Err(missing()),
            }
        }
    }

    /// Every memory, in the order of paths, without content. One request.
    ///
    /// # Errors
    /// Those of [`Store::execute`].
    pub async fn memories(&self) -> Result<Vec<Memory>> {
        let all = |now: &Confirmed| now.state.iter().map(|memory| Memory::clone(memory)).collect();
        let memories = self.replica.at_head(all).await?;
        witnessing::note(&self.replica);
        Ok(memories)
    }

    /// Waits until nothing runs in the background any more: checkpoints that this handle has begun. A program calls
    /// it before it ends; what is not finished then is done by a later writer.
    pub async fn settle(&self) {
        self.replica.settle().await;
    }

    /// The number of commits that this handle has read or made.
    pub fn seq(&self) -> u64 {
        self.replica.confirmed().seq
    }
}
