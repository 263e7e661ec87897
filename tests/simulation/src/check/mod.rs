//! The verdict: whether all that was asked and told can have happened one after another, and nothing is lost or left.
//!
//! The log gives the order. Each commit takes effect at the moment when its object landed. `attribute` finds for each
//! commit the turns that made it, by who made it and by contents that no two turns share; what was told of a turn must
//! then be what the model answers at that place. `answers` looks at everything that changed nothing: its answer must
//! be that of a state between its beginning and its end. `removal` looks at what was redacted or expired, and `end`
//! at the bucket in the end. Where something was destroyed there are several logs, and `destroyed` looks at what must
//! not come back instead.

mod answers;
mod attribute;
mod destroyed;
mod end;
mod ledger;
mod removal;

use std::collections::BTreeMap;

use memoseal_testkit::sim::Landing;

use crate::{
    Outcome,
    model::Tree,
    observe::{self, Commit},
    record::{Failure, Op, Told},
    world::World,
};

pub use ledger::Ledger;

/// What is looked at, all in one place.
#[derive(Debug)]
pub struct Case<'a> {
    /// What happened.
    pub world: &'a World,
    /// All commits that landed after the template's.
    pub commits: Vec<Commit>,
    /// The tree before the first of them, and after each.
    pub trees: Vec<Tree>,
    /// Trees in the midst of each commit, between its changes.
    pub midst: Vec<Vec<Tree>>,
    /// All versions, the template's too.
    pub ledger: Ledger,
}

impl Case<'_> {
    /// The numbers of the trees that stood at some moment from `asked` to `told`, as a range.
    pub fn window(&self, op: &Op) -> std::ops::RangeInclusive<usize> {
        let before = |event: u64| self.commits.partition_point(|commit| commit.event < event);
        let told = op.told.as_ref().map_or(u64::MAX, |(event, _)| *event);
        before(op.asked)..=before(told)
    }
}

/// Checks a history.
pub async fn check(world: &World) -> Outcome {
    let mut violations = world.aftermath.clone();
    let answered = world.ops.iter().filter(|op| op.told.is_some()).count();
    let mut outcome = Outcome { violations: Vec::new(), ops: world.ops.len(), answered, commits: 0, print: 0 };
    for op in &world.ops {
        if let Some(problem) = broken(op) {
            violations.push(format!("{} was told of damage: {problem} ({:?})", op.actor, op.ask));
        }
    }
    let landings = world.bucket.landings();
    outcome.print = print(&landings);
    if world.ops.iter().any(|op| op.ask.destroys()) {
        destroyed::check(world, &mut violations).await;
        outcome.violations = violations;
        return outcome;
    }
    match observe::observe(&world.template.objects, &world.bucket.objects(), &landings).await {
        Err(problem) => violations.push(problem),
        Ok(commits) => {
            outcome.commits = commits.len();
            let ledger = Ledger::new(&world.template.commits, &commits);
            let (trees, midst) = trees(&world.template.commits, &commits);
            let case = Case { world, commits, trees, midst, ledger };
            let mut unexplained = None;
            for order in attribute::Order::all() {
                let mut found = Vec::new();
                let made = attribute::attribute(&case, order, &mut found);
                answers::check(&case, &made, &mut found);
                if found.is_empty() {
                    unexplained = None;
                    break;
                }
                unexplained.get_or_insert(found);
            }
            violations.extend(unexplained.into_iter().flatten());
            removal::check(&case, &mut violations);
            end::check(&case, &mut violations).await;
        }
    }
    outcome.violations = violations;
    outcome
}

/// A fingerprint of what landed, and when (FNV-1a).
fn print(landings: &[Landing]) -> u64 {
    let mut print = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        bytes.iter().for_each(|byte| print = (print ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    };
    for landing in landings {
        add(&landing.at_ms.to_le_bytes());
        add(landing.path.as_ref().as_bytes());
        add(landing.bytes.as_deref().unwrap_or_default());
    }
    print
}

/// What a client was told that no honest bucket leads to.
fn broken(op: &Op) -> Option<&str> {
    let broken = |failure: &Failure| matches!(failure, Failure::Broken(_));
    let failure = match &op.told.as_ref()?.1 {
        Told::Turn(answers) => {
            answers.iter().filter_map(|answer| answer.as_ref().err()).find(|failure| broken(failure))
        }
        Told::Bytes(told) => told.as_ref().err(),
        Told::History(told) => told.as_ref().err(),
        Told::Done(told) => told.as_ref().err(),
    };
    match failure? {
        Failure::Broken(problem) => Some(problem),
        _ => None,
    }
}

/// The tree before the first of these commits and after each, and those in the midst of each.
fn trees(before: &[Commit], commits: &[Commit]) -> (Vec<Tree>, Vec<Vec<Tree>>) {
    let mut standing = BTreeMap::new();
    let mut tree = Tree::new();
    let mut step = |change: &observe::Seen, tree: &mut Tree| {
        if let Some(path) = standing.remove(&change.memory) {
            tree.remove(&path);
        }
        if let Some(content) = &change.content {
            tree.insert(change.path.clone(), content.to_string());
            standing.insert(change.memory, change.path.clone());
        }
    };
    before.iter().flat_map(|commit| &commit.changes).for_each(|change| step(change, &mut tree));
    let (mut trees, mut midst) = (vec![tree.clone()], Vec::new());
    for commit in commits {
        let mut between = Vec::new();
        for change in &commit.changes {
            step(change, &mut tree);
            between.push(tree.clone());
        }
        midst.push(between);
        trees.push(tree.clone());
    }
    (trees, midst)
}
