//! Which operations by whom: timed on the server itself, counted through the proxy.

use anyhow::Context as _;
use memoseal_servers::Server;
use memoseal_testkit::measure::{self, Shot, WARM_UP};
use memoseal_testproxy::Op;
use tokio::runtime::{Builder, Runtime};

use crate::{
    Rounds,
    scene::{LARGE, Operation, SMALL, Scene, Who},
};

/// One operation, measured.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) operation: Operation,
    /// The seconds of each who took part, by rounds.
    pub(crate) times: Vec<(Who, Vec<f64>)>,
}

impl Row {
    pub(crate) fn of(&self, who: Who) -> Option<&[f64]> {
        self.times.iter().find(|(of, _)| *of == who).map(|(_, times)| &times[..])
    }
}

/// What one operation by one of them asked of the server.
#[derive(Debug)]
pub(crate) struct Count {
    pub(crate) operation: Operation,
    pub(crate) who: Who,
    /// How many requests of each kind.
    pub(crate) requests: Vec<(Op, u64)>,
}

/// What was found out on one server.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) server: &'static str,
    /// Beside the bare client.
    pub(crate) pairs: Vec<Row>,
    /// Beside rclone.
    pub(crate) rclone: Vec<Row>,
    pub(crate) counts: Vec<Count>,
    /// What rclone says of itself, if it took part.
    pub(crate) version: Option<String>,
}

/// Measures everything on this server.
pub(crate) fn on(server: &Server, rounds: Rounds) -> anyhow::Result<Measured> {
    let hint = || format!("on {} at {}", server.name, server.url);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let counts = count(server, &runtime).with_context(hint)?;
    let mut scene = runtime.block_on(Scene::at(server, &server.url)).with_context(hint)?;
    let mut field = Field { server: server.name, runtime: &runtime, scene: &mut scene };
    let pairs = field.pairs(rounds).with_context(hint)?;
    let rclone = if field.scene.rclone.is_some() { field.beside_rclone(rounds).with_context(hint)? } else { vec![] };
    let version = scene.rclone.as_ref().map(|rclone| rclone.version.clone());
    Ok(Measured { server: server.name, pairs, rclone, counts, version })
}

struct Field<'a> {
    server: &'static str,
    runtime: &'a Runtime,
    scene: &'a mut Scene,
}

impl Field<'_> {
    fn pairs(&mut self, rounds: Rounds) -> anyhow::Result<Vec<Row>> {
        let n = rounds.pairs;
        Ok(vec![
            self.row(Operation::Create(SMALL), n, 0, &[Who::Bare, Who::Library])?,
            self.row(Operation::Create(LARGE), n, 0, &[Who::Bare, Who::Library])?,
            self.row(Operation::ViewCached, n, 0, &[Who::Bare, Who::BareMissing, Who::Library])?,
            // What the first row wrote.
            self.row(Operation::View, n, 0, &[Who::Bare, Who::Library])?,
        ])
    }

    fn beside_rclone(&mut self, rounds: Rounds) -> anyhow::Result<Vec<Row>> {
        // New names come after those of the pairs.
        let (n, first) = (rounds.rclone, WARM_UP + rounds.pairs);
        Ok(vec![
            self.row(Operation::Create(SMALL), n, first, &[Who::Library, Who::Rclone])?,
            self.row(Operation::View, n, first, &[Who::Library, Who::Rclone])?,
            self.row(Operation::ViewCached, n, first, &[Who::Library, Who::Rclone])?,
            self.row(Operation::Rename, rounds.renames, 0, &[Who::Library, Who::Rclone])?,
        ])
    }

    /// The rounds of one operation, with names from `first` on.
    fn row(&mut self, operation: Operation, rounds: usize, first: usize, among: &[Who]) -> anyhow::Result<Row> {
        eprintln!("{}: {operation:?} by {among:?} …", self.server);
        self.runtime.block_on(self.scene.reopen())?;
        let (runtime, scene) = (self.runtime, &*self.scene);
        let shot = |who: &Who| -> Shot<'_, anyhow::Error> {
            let who = *who;
            Box::new(move |round| runtime.block_on(scene.take(operation, who, first + round)))
        };
        let times = measure::rounds(rounds, among.iter().map(shot).collect())?;
        Ok(Row { operation, times: among.iter().copied().zip(times).collect() })
    }
}

/// Asks for everything once, through the proxy.
fn count(server: &Server, runtime: &Runtime) -> anyhow::Result<Vec<Count>> {
    const EACH: [(Operation, &[Who]); 5] = [
        (Operation::Create(SMALL), &[Who::Bare, Who::Library, Who::Rclone]),
        (Operation::Create(LARGE), &[Who::Bare, Who::Library]),
        (Operation::ViewCached, &[Who::Bare, Who::BareMissing, Who::Library]),
        (Operation::View, &[Who::Bare, Who::Library, Who::Rclone]),
        (Operation::Rename, &[Who::Library, Who::Rclone]),
    ];
    eprintln!("{}: requests are counted …", server.name);
    runtime.block_on(async {
        let proxy = server.proxy().await?;
        let mut scene = Scene::at(server, &proxy.url()).await?;
        let mut counts = Vec::new();
        for (operation, among) in EACH {
            scene.reopen().await?;
            for &who in among.iter().filter(|who| **who != Who::Rclone || scene.rclone.is_some()) {
                proxy.book().clear();
                scene.take(operation, who, 0).await?;
                let mut requests: Vec<(Op, u64)> = Vec::new();
                for ((op, _), n) in proxy.book().counts() {
                    match requests.iter_mut().find(|(known, _)| *known == op) {
                        Some((_, sum)) => *sum += n,
                        None => requests.push((op, n)),
                    }
                }
                counts.push(Count { operation, who, requests });
            }
        }
        Ok(counts)
    })
}
