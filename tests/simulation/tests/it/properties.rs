//! Commands, history, restore, redaction and retention against a model, step by step, through two handles, with
//! handles opened anew and checkpoints in between. In good weather: the histories see to the rest.

use std::{collections::BTreeSet, fmt, sync::Arc};

use memoseal_core::{
    Backend, Depth, Error, HistoryQuery, Key, MaintainOptions, Store, Vault,
    command::{Command, Reply, Restore},
    simulation::Planted,
    state::{Retention, VersionId},
};
use memoseal_simulation::{
    KEY, STORE, USER,
    model::{self, Change, Tree},
    surroundings,
};
use memoseal_testkit::sim::{Bucket, Client, Objects, Rng, Weather};
use proptest::{prelude::*, sample::select, test_runner::Config};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use tokio::runtime::{Builder, Runtime};

/// The commits by which a checkpoint is due, and some.
const MANY: usize = 34;

#[derive(Clone, Debug)]
enum Step {
    Turn(Vec<Command>),
    Restore(String),
    Redact(usize),
    Retain(Retention),
    Maintain,
    Reopen,
    Checkpoint,
}

/// A step, and by which of the handles.
#[derive(Clone, Debug)]
struct By(usize, Step);

/// A version: of which memory, and what stood where. A deletion has no content.
#[derive(Clone, Debug)]
struct Version {
    memory: usize,
    path: String,
    content: Option<String>,
    removed: bool,
}

#[derive(Clone, Debug, Default)]
struct Model {
    tree: Tree,
    versions: Vec<Version>,
    /// Where each memory stands.
    places: Vec<Option<String>>,
    retention: Retention,
    /// What the last step is to answer.
    replies: Vec<Reply>,
    /// Whether the last step that a tree cannot decide is to succeed.
    works: bool,
}

impl Model {
    fn newest(&self, memory: usize) -> Option<usize> {
        self.versions.iter().rposition(|version| version.memory == memory)
    }

    fn before(&self, version: usize) -> Option<usize> {
        let memory = self.versions[version].memory;
        self.versions[..version].iter().rposition(|version| version.memory == memory)
    }

    fn is_replaced(&self, version: usize) -> bool {
        self.newest(self.versions[version].memory) != Some(version)
    }

    fn change(&mut self, change: &Change) {
        let at = |model: &Self, path: &str| model.places.iter().position(|place| place.as_deref() == Some(path));
        let (memory, path, content) = match change {
            Change::Create { path, content } => {
                self.places.push(None);
                (self.places.len() - 1, path.clone(), Some(content.clone()))
            }
            Change::Write { path, content } => (at(self, path).unwrap(), path.clone(), Some(content.clone())),
            Change::Move { from, to } => {
                let memory = at(self, from).unwrap();
                let content = self.newest(memory).and_then(|newest| self.versions[newest].content.clone());
                (memory, to.clone(), content)
            }
            Change::Delete { path } => (at(self, path).unwrap(), path.clone(), None),
        };
        self.places[memory] = content.is_some().then(|| path.clone());
        self.versions.push(Version { memory, path, content, removed: false });
    }

    /// What a maintenance run removes.
    fn expire(&mut self) {
        if self.retention != Retention::Days(0) {
            return;
        }
        for at in 0..self.versions.len() {
            if self.is_replaced(at) && self.versions[at].content.is_some() {
                self.versions[at].removed = true;
            }
        }
    }

    fn run(&mut self, command: &Command) {
        let (reply, changes) = model::run(command, &mut self.tree).unwrap();
        self.replies.push(reply);
        changes.iter().for_each(|change| self.change(change));
    }

    /// Whether it works.
    fn restore(&mut self, path: &str) -> bool {
        let standing = self.places.iter().position(|place| place.as_deref() == Some(path));
        let version = match standing {
            Some(memory) => self.newest(memory).and_then(|newest| self.before(newest)),
            None if model::is_directory(path, &self.tree) => None,
            // The last that was deleted here and is still on record.
            None => (0..self.versions.len()).rev().find_map(|at| {
                let (version, last) = (&self.versions[at], self.before(at)?);
                (version.content.is_none() && version.path == path && !self.versions[last].removed).then_some(last)
            }),
        };
        let Some(past) = version.map(|version| self.versions[version].clone()).filter(|past| !past.removed) else {
            return false;
        };
        let (target, Some(content)) = (past.path, past.content) else { return false };
        let from = standing.and_then(|memory| self.places[memory].clone());
        let mut others = self.tree.clone();
        if let Some(from) = &from {
            others.remove(from);
        }
        let above = others.keys().any(|file| target.starts_with(&format!("{file}/")));
        if others.contains_key(&target) || model::is_directory(&target, &others) || above {
            return false;
        }
        let mut changes = Vec::new();
        match from {
            Some(from) => {
                let before = self.tree[&from].clone();
                if from != target {
                    changes.push(Change::Move { from, to: target.clone() });
                }
                if before != content {
                    changes.push(Change::Write { path: target, content });
                }
            }
            None => changes.push(Change::Create { path: target, content }),
        }
        for change in &changes {
            self.change(change);
            model::apply(change, &mut self.tree);
        }
        true
    }
}

fn path() -> impl Strategy<Value = String> {
    select(vec!["/memories/a", "/memories/b", "/memories/d/a", "/memories/d/b", "/memories/d", "/memories/e/f"])
        .prop_map(str::to_owned)
}

fn command() -> impl Strategy<Value = Command> {
    let text = || "[a-c]{1,3}\nline\n";
    prop_oneof![
        (path(), text()).prop_map(|(path, file_text)| Command::Create { path, file_text }),
        (path(), text()).prop_map(|(path, text)| Command::Put { path, content: text.into() }),
        (path(), text()).prop_map(|(path, new_str)| Command::StrReplace { path, old_str: "line".into(), new_str }),
        (path(), 0..4_i64, text()).prop_map(|(path, insert_line, insert_text)| Command::Insert {
            path,
            insert_line,
            insert_text
        }),
        path().prop_map(|path| Command::Delete { path }),
        (path(), path()).prop_map(|(old_path, new_path)| Command::Rename { old_path, new_path }),
        path().prop_map(|path| Command::View { path, view_range: None }),
    ]
}

impl ReferenceStateMachine for Model {
    type State = Self;
    type Transition = By;

    fn init_state() -> BoxedStrategy<Self> {
        Just(Self::default()).boxed()
    }

    fn transitions(state: &Self) -> BoxedStrategy<By> {
        let retention = select(vec![Retention::Days(0), Retention::Days(30), Retention::Forever]);
        let step = prop_oneof![
            24 => proptest::collection::vec(command(), 1..3).prop_map(Step::Turn),
            4 => path().prop_map(Step::Restore),
            4 => (0..state.versions.len().max(1)).prop_map(Step::Redact),
            1 => retention.prop_map(Step::Retain),
            2 => Just(Step::Maintain),
            2 => Just(Step::Reopen),
            1 => Just(Step::Checkpoint),
        ];
        (0..2_usize, step).prop_map(|(by, step)| By(by, step)).boxed()
    }

    fn preconditions(state: &Self, By(_, step): &By) -> bool {
        !matches!(step, Step::Redact(at) if *at >= state.versions.len())
    }

    fn apply(mut state: Self, By(_, step): &By) -> Self {
        state.replies.clear();
        match step {
            Step::Turn(commands) => commands.iter().for_each(|command| state.run(command)),
            Step::Restore(path) => state.works = state.restore(path),
            Step::Redact(at) => {
                let is_deletion = state.versions[*at].content.is_none();
                state.works = is_deletion || state.is_replaced(*at);
                if !is_deletion && state.works {
                    state.versions[*at].removed = true;
                }
            }
            Step::Retain(retention) => state.retention = *retention,
            Step::Maintain => state.expire(),
            Step::Reopen => {}
            Step::Checkpoint => {
                for n in 0..MANY {
                    state.run(&Command::Put { path: "/memories/k".into(), content: format!("{n}").into() });
                }
                // A handle that has replaced something where nothing is kept maintains the store before it settles.
                state.expire();
            }
        }
        state
    }
}

/// Time passes as nobody waits: the store's clock stands still, and so does the writers'.
struct Engine<const STALE: bool> {
    runtime: Runtime,
    bucket: Bucket,
    vault: Vault,
    handles: Vec<Store>,
}

impl<const STALE: bool> fmt::Debug for Engine<STALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}

async fn open(vault: &Vault) -> Store {
    vault.user(USER).store(STORE).open().await.unwrap()
}

/// Everything that a handle tells is what the model says.
async fn compare(store: &Store, model: &Model) {
    let mut tree = Tree::new();
    for memory in store.memories().await.unwrap() {
        let path = memory.path.to_string();
        let bytes = store.read(&path).await.unwrap();
        tree.insert(path, String::from_utf8(bytes.to_vec()).unwrap());
    }
    assert_eq!(tree, model.tree);
    let ids = ids(store).await;
    assert_eq!(ids.len(), model.versions.len());
    let near = ids.len().saturating_sub(12);
    for (id, expected) in ids.into_iter().zip(&model.versions).skip(near) {
        let content = store.read_version(id).await;
        match expected.content.as_ref().filter(|_| !expected.removed) {
            Some(text) => assert_eq!(content.unwrap(), *text, "version {id}"),
            None => assert!(matches!(content, Err(Error::NotFound { .. })), "version {id}: {content:?}"),
        }
    }
}

/// All versions, the oldest first.
async fn ids(store: &Store) -> Vec<VersionId> {
    let mut query = HistoryQuery::default();
    query.limit = 1_000;
    store.history(&query).await.unwrap().versions.iter().rev().map(|version| version.id).collect()
}

impl<const STALE: bool> StateMachineTest for Engine<STALE> {
    type SystemUnderTest = Self;
    type Reference = Model;

    fn init_test(_: &Model) -> Self {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (bucket, vault, handles) = runtime.block_on(async {
            let bucket = Bucket::new(Objects::new(), 1_750_000_000_000, Rng::new(1));
            let backend = Backend::single(Arc::new(Client::new(&bucket, "test", Weather::default())));
            let options = surroundings::options(&bucket, Rng::new(2), 0, STALE.then_some(Planted::StaleNoOp));
            let vault = Vault::create(backend, Key::raw(KEY), options).await.unwrap();
            let handles = vec![open(&vault).await, open(&vault).await];
            (bucket, vault, handles)
        });
        Self { runtime, bucket, vault, handles }
    }

    fn apply(mut engine: Self, model: &Model, By(by, step): By) -> Self {
        let (vault, store) = (engine.vault.clone(), engine.handles[by].clone());
        let opened = engine.runtime.block_on(async {
            match step {
                Step::Turn(commands) => {
                    let answers = store.execute_turn(commands).await;
                    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
                    assert_eq!(answers, model.replies);
                }
                Step::Restore(path) => {
                    let restore = Restore { path: Some(path), ..Restore::default() };
                    let reply = store.execute(Command::Restore(restore)).await.unwrap();
                    assert_eq!(!reply.is_error(), model.works, "{reply:?}");
                }
                Step::Redact(at) => {
                    let redacted = store.redact(&[ids(&store).await[at]]).await;
                    assert_eq!(redacted.is_ok(), model.works, "{redacted:?}");
                    assert!(redacted.is_err() || redacted.is_ok_and(|redacted| redacted.unfinished.is_none()));
                }
                Step::Retain(retention) => {
                    store.set_retention(retention).await.unwrap();
                }
                Step::Maintain => {
                    store.maintain(&MaintainOptions::default()).await.unwrap();
                }
                Step::Reopen => return Some(open(&vault).await),
                Step::Checkpoint => {
                    for n in 0..MANY {
                        let put = Command::Put { path: "/memories/k".into(), content: format!("{n}").into() };
                        store.execute(put).await.unwrap();
                    }
                    store.settle().await;
                }
            }
            None
        });
        engine.handles[by] = opened.unwrap_or(store);
        // The other handle stays as far behind as it is.
        engine.runtime.block_on(compare(&engine.handles[by], model));
        engine
    }

    fn teardown(engine: Self, model: Model) {
        engine.runtime.block_on(async {
            compare(&open(&engine.vault).await, &model).await;
            let findings = engine.vault.inspect(Depth::Contents, |_, _| {}).await.unwrap().findings;
            assert!(findings.is_empty(), "{findings:?}");
        });
        let names: BTreeSet<_> = engine.bucket.objects().into_keys().collect();
        assert!(names.len() > 1 || model.versions.is_empty());
    }
}

prop_state_machine! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn two_handles_do_what_the_model_says(sequential 1..24 => Engine<false>);

    /// It can fail.
    #[test]
    #[should_panic = "assertion `left == right` failed"]
    fn a_handle_that_answers_from_a_stale_state_is_found(sequential 1..24 => Engine<true>);
}
