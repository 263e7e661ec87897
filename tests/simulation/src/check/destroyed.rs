//! What was destroyed does not come back: not to whoever worked on it, not to whoever comes later, not in the bucket.
//!
//! Each content has a mark of its own (`[who.number]`), so that it can be told whose life an answer is from.

use std::collections::{BTreeMap, BTreeSet};

use memoseal_core::{
    Backend, Depth, Key, Vault,
    command::{Command, Reply},
};
use memoseal_crypto::{Keyring, RawKey, Unlock, unlock};
use memoseal_testkit::sim::{Client, Objects, Rng, Weather};

use crate::{
    KEY, STORE, USER,
    record::{Ask, Op, Told},
    surroundings,
    world::World,
};

pub(super) async fn check(world: &World, violations: &mut Vec<String>) {
    answers(world, violations);
    if let Err(problem) = end(world, violations).await {
        violations.push(format!("in the end: {problem}"));
    }
}

/// When it was begun, and when it was over.
type During = (u64, u64);

/// The destructions that somebody was told are done.
fn destructions(world: &World) -> Vec<During> {
    let done = world.ops.iter().filter(|op| op.ask.destroys());
    done.filter_map(|op| match &op.told {
        Some((told, Told::Done(Ok(())))) => Some((op.asked, *told)),
        _ => None,
    })
    .collect()
}

fn answers(world: &World, violations: &mut Vec<String>) {
    let destructions = destructions(world);
    let written = written(world);
    // From when on a handle is known to have changed something in the life that it works on.
    let mut lived: BTreeMap<&str, u64> = BTreeMap::new();
    for op in &world.ops {
        let Some((told, answer)) = &op.told else { continue };
        if is_acknowledged_change(op) {
            lived.entry(op.actor.as_str()).or_insert(*told);
        }
        let shown = marks_in(answer);
        for (asked, done) in destructions.iter().filter(|(_, done)| op.asked > *done) {
            if lived.get(op.actor.as_str()).is_some_and(|since| since < asked) && is_success(answer) {
                violations.push(format!("{} was destroyed by {done} and answers {:?}: {answer:?}", op.actor, op.ask));
            }
            for mark in &shown {
                if written.get(mark).is_none_or(|written| written < asked) {
                    violations.push(format!("{mark} was destroyed by {done}, and {:?} is told {answer:?}", op.ask));
                }
            }
        }
    }
}

fn is_acknowledged_change(op: &Op) -> bool {
    let (Ask::Turn(commands), Some((_, Told::Turn(answers)))) = (&op.ask, &op.told) else { return false };
    commands.iter().zip(answers).any(|(command, answer)| {
        matches!(command, Command::Put { .. } | Command::Create { .. }) && matches!(answer, Ok(Reply::Text(_)))
    })
}

fn is_success(told: &Told) -> bool {
    match told {
        Told::Turn(answers) => answers.iter().any(|answer| answer.is_ok()),
        Told::Bytes(told) => told.is_ok(),
        Told::History(told) => told.is_ok(),
        // A vault's maintenance and rotation go on without the store.
        Told::Done(_) => false,
    }
}

/// When each mark was known to be written; those of a template are not among them, and were written before.
fn written(world: &World) -> BTreeMap<String, u64> {
    let mut written = BTreeMap::new();
    for op in &world.ops {
        let Ask::Turn(commands) = &op.ask else { continue };
        // What nobody was told of may land at any time.
        let told = op.told.as_ref().map_or(u64::MAX, |(told, answer)| match answer {
            Told::Turn(answers) if answers.iter().all(|answer| answer.is_ok()) => *told,
            _ => u64::MAX,
        });
        for mark in commands.iter().flat_map(|command| marks(&format!("{command:?}"))) {
            written.insert(mark, told);
        }
    }
    written
}

fn marks_in(told: &Told) -> BTreeSet<String> {
    match told {
        Told::Turn(answers) => answers.iter().flatten().flat_map(|reply| marks(&format!("{reply:?}"))).collect(),
        Told::Bytes(Ok(bytes)) => marks(&String::from_utf8_lossy(bytes)),
        _ => BTreeSet::new(),
    }
}

/// The marks in a text: `[p0i0c1.4]`.
fn marks(text: &str) -> BTreeSet<String> {
    let ends = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(mark, _)| mark);
    let is_mark = |mark: &&str| {
        let is_ours = |char: char| char.is_ascii_alphanumeric() || char == '.';
        !mark.is_empty() && mark.len() < 24 && mark.chars().all(is_ours) && mark.starts_with(['p', 't', 'u', 's'])
    };
    ends.filter(is_mark).map(str::to_owned).collect()
}

async fn end(world: &World, violations: &mut Vec<String>) -> Result<(), String> {
    let bucket = &world.bucket;
    let client = Client::new(bucket, "end", Weather::default());
    let options = surroundings::options(bucket, Rng::new(2), 0, None);
    let vault = Vault::open(Backend::single(std::sync::Arc::new(client)), Key::raw(KEY), options).await;
    let vault = vault.map_err(|error| error.to_string())?;
    let inspection = vault.inspect(Depth::Contents, |_, _| {}).await.map_err(|error| error.to_string())?;
    let findings = inspection.findings.iter();
    violations
        .extend(findings.map(|finding| format!("in the end verify finds: {}: {}", finding.place, finding.problem)));
    let store = vault.user(USER).store(STORE).open().await.map_err(|error| error.to_string())?;
    let (written, last) = (written(world), destructions(world).into_iter().max_by_key(|(_, done)| *done));
    for memory in store.memories().await.map_err(|error| error.to_string())? {
        let path = memory.path.to_string();
        let bytes = store.read(&path).await.map_err(|error| format!("{path} cannot be read: {error}"))?;
        for mark in marks(&String::from_utf8_lossy(&bytes)) {
            if let Some((asked, done)) = last
                && written.get(&mark).is_none_or(|written| *written < asked)
            {
                violations.push(format!("in the end {path} holds {mark}, which was destroyed by {done}"));
            }
        }
    }
    let keys = keys(&bucket.objects()).ok_or("the keyrings cannot be read")?;
    if keys > 1 {
        violations.push(format!("in the end {keys} keyrings hold a key"));
    }
    Ok(())
}

/// How many keyrings hold the key of a user.
fn keys(objects: &Objects) -> Option<usize> {
    let number = |hex: &str| Some(u64::MAX - u64::from_str_radix(hex, 16).ok()?);
    let (path, header) = objects.iter().find(|(path, _)| path.as_ref().starts_with("vault/"))?;
    let raw = RawKey::from_bytes(KEY);
    let vault = unlock(&header.bytes, number(path.filename()?)?, &Unlock::Raw(&raw)).ok()?;
    let mut keys = 0;
    for (path, object) in objects.iter().filter(|(path, _)| path.as_ref().contains("/keyring/")) {
        let user = u128::from_str_radix(path.as_ref().split('/').nth(1)?, 16).ok()?.to_be_bytes();
        keys += usize::from(Keyring::open(&object.bytes, &vault, user, number(path.filename()?)?).is_ok());
    }
    Some(keys)
}
