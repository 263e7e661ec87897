//! What happens in a history: processes that work, die and come again, until all is asked; then calm.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use memoseal_core::{
    Actor, Backend, Error, HistoryQuery, Key, MaintainOptions, Store, Vault, simulation::Planted, state::MemoryId,
};
use memoseal_testkit::sim::{Bucket, Client, Objects, Rng, Weather};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    KEY, STORE, USER,
    plan::{Mind, Mix, Step, Theme, holds_something},
    record::{Ask, Failure, Listed, Op, Record, Told},
    surroundings::{self, Memory},
    template::{self, MADE_MS, Template},
};

/// No operation takes longer, whatever happens.
const LONGEST: Duration = Duration::from_secs(2 * 3_600);
/// Longer than anything is on its way, and than what was removed is watched.
const CALM: Duration = Duration::from_secs(26 * 3_600);

/// What has happened.
#[derive(Debug)]
pub struct World {
    /// What it began with.
    pub template: &'static Template,
    /// The bucket in the end.
    pub bucket: Bucket,
    /// What was asked and told.
    pub ops: Vec<Op>,
    /// What went wrong in the calm at the end, if anything did.
    pub aftermath: Vec<String>,
    /// When the last maintenance began, in milliseconds since the Unix epoch.
    pub maintained_ms: i64,
    /// The bucket before that calm.
    pub before_calm: Objects,
}

/// What the processes of a history have in common.
#[derive(Clone)]
struct Scene {
    bucket: Bucket,
    record: Record,
    weather: Weather,
    mix: Mix,
    theme: Theme,
    planted: Option<Planted>,
    /// How many operations are still to be asked.
    left: Arc<AtomicI64>,
    mortal: bool,
}

/// Lets the history of a seed happen.
pub async fn run(seed: u64, planted: Option<Planted>, trace: bool) -> World {
    let mut rng = Rng::new(seed);
    let templates = template::all();
    let template = rng.pick(templates).unwrap_or(&templates[0]);
    let bucket = Bucket::new(template.objects.clone(), MADE_MS + 3_600_000, rng.fork());
    if trace {
        bucket.trace();
    }
    let record = Record::new(&bucket);
    let theme = Theme::of(&mut rng);
    let (weather, mix) = (theme.weather(&mut rng), Mix::of(&mut rng, theme));
    bucket.say(|| format!("seed {seed}: {theme:?} {weather:?} {mix:?}"));
    let left = Arc::new(AtomicI64::new(rng.between(6, 40) as i64));
    let mortal = rng.permille(700);
    let scene = Scene { bucket: bucket.clone(), record: record.clone(), weather, mix, theme, planted, left, mortal };
    let mut processes = JoinSet::new();
    let fewest = if matches!(theme, Theme::Removal | Theme::Keys) { 2 } else { 1 };
    for number in 0..rng.between(fewest, 3) {
        processes.spawn(process(scene.clone(), number, rng.fork()));
    }
    let mut aftermath = Vec::new();
    if timeout(LONGEST * 1_000, async { while processes.join_next().await.is_some() {} }).await.is_err() {
        aftermath.push("the history does not end".into());
    }
    processes.abort_all();
    sleep(CALM).await;
    let before_calm = bucket.objects();
    let maintained_ms = match calm(&scene, rng.fork(), &mut aftermath).await {
        Ok(at_ms) => at_ms,
        Err(problem) => {
            aftermath.push(problem);
            bucket.now_ms()
        }
    };
    World { template, ops: record.ops(), bucket, aftermath, maintained_ms, before_calm }
}

/// In good weather: maintenance until nothing is left to be looked at.
async fn calm(scene: &Scene, mut rng: Rng, aftermath: &mut Vec<String>) -> Result<i64, String> {
    let mut at_ms = scene.bucket.now_ms();
    if scene.theme == Theme::Destruction {
        // Long enough for the names of what was destroyed.
        sleep(CALM * 8).await;
    }
    for run in 0..3 {
        at_ms = scene.bucket.now_ms();
        let client = Client::new(&scene.bucket, "calm", Weather::default());
        let vault = Vault::open(
            Backend::single(Arc::new(client.clone())),
            Key::raw(KEY),
            surroundings::options(&scene.bucket, rng.fork(), 0, scene.planted),
        );
        let vault = vault.await.map_err(|error| format!("in the end the vault does not open: {error}"))?;
        let done = vault.maintain(&MaintainOptions::default(), |_, _| {}).await;
        let done = done.map_err(|error| format!("in the end it cannot be maintained: {error}"))?;
        aftermath.extend(done.keyrings.damaged.iter().map(|(_, error)| format!("maintenance found: {error}")));
        for store in &done.stores {
            match &store.outcome {
                Ok(done) if run == 2 && done.pending > 0 => {
                    aftermath.push(format!("{} versions are still looked at in the end", done.pending));
                }
                Ok(_) => {}
                Err(error) => aftermath.push(format!("maintenance failed: {error}")),
            }
        }
        if run < 2 {
            sleep(CALM).await;
        }
    }
    Ok(at_ms)
}

/// A process: it opens the vault, its clients work, it may die, and comes again until nothing is left to ask.
async fn process(scene: Scene, number: u64, mut rng: Rng) {
    let machine = Memory::default();
    let ahead_ms = rng.between(0, 600_000) as i64 - 300_000;
    for incarnation in 0.. {
        let name = format!("p{number}.{incarnation}");
        let client = Client::new(&scene.bucket, name.as_str(), scene.weather.clone());
        let mut options = surroundings::options(&scene.bucket, rng.fork(), ahead_ms, scene.planted);
        options.witness = Some(Arc::new(machine.clone()));
        let lifetime = if scene.mortal && rng.permille(600) { rng.between(1, 20_000) } else { u64::MAX / 2_000 };
        let mut clients = JoinSet::new();
        let lived =
            timeout(Duration::from_millis(lifetime), life(&scene, &name, &client, options, rng.fork(), &mut clients));
        let lived = lived.await;
        clients.abort_all();
        client.kill();
        if lived.is_ok() || scene.left.load(Ordering::Relaxed) <= 0 {
            return;
        }
        sleep(Duration::from_millis(rng.below(3_000))).await;
    }
}

async fn life(
    scene: &Scene,
    name: &str,
    client: &Client,
    options: memoseal_core::VaultOptions,
    mut rng: Rng,
    clients: &mut JoinSet<()>,
) {
    let backend = Backend::single(Arc::new(client.clone()));
    let vault = retry(scene, name, || Vault::open(backend.clone(), Key::raw(KEY), options.clone())).await;
    let first = open(scene, &vault, format!("{name}.h0")).await;
    let second = if rng.permille(300) { Some(open(scene, &vault, format!("{name}.h1")).await) } else { None };
    let handles: Vec<_> = std::iter::once(first).chain(second).collect();
    for client in 0..rng.between(1, if scene.theme == Theme::Contention { 6 } else { 3 }) {
        let Some(handle) = rng.pick(&handles).cloned() else { return };
        let mind =
            Mind::new(rng.fork(), scene.mix.clone(), scene.theme, format!("{}c{client}", name.replace('.', "i")));
        clients.spawn(work(scene.clone(), vault.clone(), handle, mind, format!("{name}.c{client}")));
    }
    while clients.join_next().await.is_some() {}
}

/// A handle, and the name that it leaves in the log.
#[derive(Clone)]
struct Handle {
    store: Store,
    actor: String,
}

async fn retry<T, F: Future<Output = memoseal_core::Result<T>>>(
    scene: &Scene,
    name: &str,
    mut of: impl FnMut() -> F,
) -> T {
    loop {
        let op = scene.record.ask(name, Ask::Open);
        let opened = match timeout(LONGEST, of()).await {
            Ok(opened) => opened.map_err(Failure::from),
            Err(_) => Err(Failure::Broken("no answer for hours".into())),
        };
        scene.record.tell(op, Told::Done(opened.as_ref().map(|_| ()).map_err(Clone::clone)));
        match opened {
            Ok(opened) => return opened,
            Err(Failure::Broken(_)) => return std::future::pending().await,
            Err(_) => sleep(Duration::from_millis(700)).await,
        }
    }
}

async fn open(scene: &Scene, vault: &Vault, actor: String) -> Handle {
    let store = retry(scene, &actor, || async {
        let opened = vault.user(USER).store(STORE).actor(Actor::Local { name: actor.clone() }).open().await;
        if matches!(opened, Err(Error::NotFound { .. })) {
            // Whoever began to destroy the user may have died over it.
            vault.maintain(&MaintainOptions::default(), |_, _| {}).await?;
        }
        opened
    });
    Handle { store: store.await, actor }
}

async fn work(scene: Scene, vault: Vault, mut handle: Handle, mut mind: Mind, name: String) {
    let mut handles = 0;
    loop {
        if scene.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return;
        }
        sleep(Duration::from_millis(mind.pause_ms())).await;
        match mind.next_step() {
            Step::Ask(ask) => {
                let told = ask_one(&scene, &vault, &handle, ask).await;
                if told.is_missing() {
                    // Destroyed: what comes now is another life.
                    handles += 1;
                    handle = open(&scene, &vault, format!("{name}.{handles}")).await;
                }
                if let Told::History(Ok(listed)) = told {
                    mind.listed = listed;
                }
            }
            Step::Reopen => {
                handles += 1;
                handle = open(&scene, &vault, format!("{name}.{handles}")).await;
            }
            Step::RedactSome => {
                let Some(replaced) = replaced(&scene, &handle).await else { continue };
                let versions = mind.some_replaced(&replaced);
                if !versions.is_empty() {
                    ask_one(&scene, &vault, &handle, Ask::Redact(versions)).await;
                }
            }
        }
    }
}

/// Versions that hold something and were replaced, the newest first.
async fn replaced(scene: &Scene, handle: &Handle) -> Option<Vec<Listed>> {
    let op = scene.record.ask(&handle.actor, Ask::History);
    let page = timeout(LONGEST, history(&handle.store)).await.ok()?;
    let listed = page.as_ref().map(|page| page.iter().map(|(listed, _)| listed.clone()).collect());
    scene.record.tell(op, Told::History(listed.map_err(Clone::clone)));
    let mut newer: BTreeSet<MemoryId> = BTreeSet::new();
    let page = page.ok()?;
    let replaced = page.iter().filter(|(listed, memory)| !newer.insert(*memory) && holds_something(listed));
    Some(replaced.map(|(listed, _)| listed.clone()).collect())
}

async fn history(store: &Store) -> Result<Vec<(Listed, MemoryId)>, Failure> {
    let mut query = HistoryQuery::default();
    query.limit = 1_000;
    let page = store.history(&query).await?;
    let listed = page.versions.into_iter().map(|version| {
        let path = version.path.map(|path| path.to_string());
        (Listed { id: version.id, operation: version.operation, path }, version.memory)
    });
    Ok(listed.collect())
}

async fn ask_one(scene: &Scene, vault: &Vault, handle: &Handle, ask: Ask) -> Told {
    let op = scene.record.ask(&handle.actor, ask.clone());
    let told = match timeout(LONGEST, answer(vault, &handle.store, ask)).await {
        Ok(told) => told,
        Err(_) => Told::Done(Err(Failure::Broken("no answer for hours".into()))),
    };
    scene.record.tell(op, told.clone());
    told
}

async fn answer(vault: &Vault, store: &Store, ask: Ask) -> Told {
    let done = |done: Result<(), Failure>| Told::Done(done);
    match ask {
        Ask::Open => done(Ok(())),
        Ask::Turn(commands) => {
            let answers = store.execute_turn(commands).await;
            Told::Turn(answers.into_iter().map(|answer| answer.map_err(Failure::from)).collect())
        }
        Ask::Read(path) => Told::Bytes(store.read(&path).await.map(|bytes| bytes.to_vec()).map_err(Failure::from)),
        Ask::ReadVersion(id) => {
            Told::Bytes(store.read_version(id).await.map(|bytes| bytes.to_vec()).map_err(Failure::from))
        }
        Ask::History => {
            let page = history(store).await;
            Told::History(page.map(|page| page.into_iter().map(|(listed, _)| listed).collect()))
        }
        // What is not finished goes on with the next maintenance.
        Ask::Redact(versions) => done(match store.redact(&versions).await {
            Ok(redacted) => match redacted.unfinished.map(Failure::from) {
                Some(broken @ Failure::Broken(_)) => Err(broken),
                _ => Ok(()),
            },
            Err(error) => Err(error.into()),
        }),
        Ask::Retain(retention) => done(store.set_retention(retention).await.map(|_| ()).map_err(Failure::from)),
        Ask::Maintain => done(store.maintain(&MaintainOptions::default()).await.map(|_| ()).map_err(Failure::from)),
        Ask::MaintainVault => done(match vault.maintain(&MaintainOptions::default(), |_, _| {}).await {
            Ok(maintained) => {
                let damaged = maintained.keyrings.damaged.into_iter().map(|(_, error)| error);
                let failed = maintained.stores.into_iter().filter_map(|store| store.outcome.err());
                let mut broken = damaged.chain(failed).map(Failure::from);
                broken.find(|failure| matches!(failure, Failure::Broken(_))).map_or(Ok(()), Err)
            }
            Err(error) => Err(error.into()),
        }),
        Ask::DestroyUser | Ask::DestroyStore => {
            let (user, actor) = (vault.user(USER), Actor::Local { name: "destroyer".into() });
            let destroyed = match ask {
                Ask::DestroyUser => user.destroy(&actor, |_| {}).await,
                _ => user.destroy_store(STORE, &actor, |_| {}).await,
            };
            done(match destroyed {
                Ok(destroyed) => match destroyed.damaged.into_iter().next() {
                    Some((_, error)) => Err(Failure::Broken(error.to_string())),
                    None => Ok(()),
                },
                Err(error) => Err(error.into()),
            })
        }
        Ask::Rotate => done(match vault.rotate(vec![Key::raw(KEY)], false, |_, _| {}).await {
            Ok(rotation) => match rotation.keyrings {
                Ok(resealed) => match resealed.damaged.into_iter().next() {
                    Some((_, error)) => Err(error.into()),
                    None => Ok(()),
                },
                Err(error) => match Failure::from(error) {
                    broken @ Failure::Broken(_) => Err(broken),
                    _ => Ok(()),
                },
            },
            Err(error) => Err(error.into()),
        }),
    }
}
