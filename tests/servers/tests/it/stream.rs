//! A long stream of commands on a network where everything goes wrong.

use std::{collections::BTreeMap, sync::Arc};

use memoseal_servers::text;
use memoseal_testkit::sim::Rng;
use memoseal_testproxy::Weather;

use crate::support::*;

const PROCESSES: usize = 4;
const TURNS: usize = 100;
const CALLS: usize = 25;
const FILES: usize = 20;

const WEATHER: Weather = Weather { resets: 10, lost: 30, late: 20, storms: 10, slow: 20, truncated: 10, html: 5 };

/// Every command inserts a line of its own into a file that all processes write to: a lost edit is a line that is
/// missing, a doubled one a line that stands there twice.
#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_commands_lose_no_edit_and_double_none() {
    let Some(scene) = Scene::on("LocalStack").await else { return };
    let scene = Arc::new(scene);
    let mut tool = scene.program.tool("alice").unwrap();
    let files: Vec<_> = (0..FILES).map(|n| create(&format!("{n}.md"), "")).collect();
    assert!(tool.turn(&files).await.unwrap().iter().all(|result| text(result).is_ok()));
    tool.end().await.unwrap();

    scene.proxy.book().clear();
    scene.proxy.set_rule(WEATHER.seeded(20_261_130));
    let running: Vec<_> = (0..PROCESSES).map(|process| tokio::spawn(stream(Arc::clone(&scene), process))).collect();
    let mut answers = BTreeMap::new();
    for process in running {
        answers.extend(process.await.unwrap());
    }
    scene.proxy.clear_rule();
    assert_eq!(answers.len(), PROCESSES * TURNS * CALLS);
    let met = scene.proxy.book().trace().iter().filter(|span| span.fault.is_some()).count();
    assert!(met > 100, "only {met} requests met a fault");

    let mut found = BTreeMap::<String, usize>::new();
    for content in scene.files("alice").await.values() {
        for line in content.lines() {
            *found.entry(line.to_owned()).or_default() += 1;
        }
    }
    let (mut unknown, mut refused) = (0, 0);
    for (line, said) in &answers {
        match (said, found.remove(line).unwrap_or(0)) {
            (Said::Done, 1) => {}
            (Said::Unknown, 0 | 1) => unknown += 1,
            (Said::NotDone, 0) => refused += 1,
            (said, times) => panic!("{line} was answered {said:?} and stands there {times} times"),
        }
    }
    found.remove("");
    assert!(found.is_empty(), "lines that nobody wrote: {found:?}");
    eprintln!("{met} faults, {unknown} outcomes unknown, {refused} commands refused");
    // Faults are there to be made up for.
    assert!(unknown + refused < answers.len() / 20, "{unknown} unknown and {refused} refused are too many");
    scene.verify().await;
}

/// What one process was told of each of its lines.
async fn stream(scene: Arc<Scene>, process: usize) -> Vec<(String, Said)> {
    let mut rng = Rng::new(process as u64);
    let mut answers = Vec::new();
    // One that cannot open its store for the weather is started again, as whoever runs an agent would.
    let mut tool = scene.program.tool("alice").unwrap();
    for turn in 0..TURNS {
        let file = rng.below(FILES as u64);
        let lines: Vec<_> = (0..CALLS).map(|call| format!("{process}-{turn}-{call}")).collect();
        let calls: Vec<_> = lines.iter().map(|line| insert(&format!("{file}.md"), line)).collect();
        let results = loop {
            match tool.turn(&calls).await {
                Ok(results) => break results,
                Err(error) if turn == 0 => {
                    eprintln!("process {process} begins again: {error}");
                    tool = scene.program.tool("alice").unwrap();
                }
                Err(error) => panic!("process {process}, turn {turn}: {error}"),
            }
        };
        answers.extend(lines.into_iter().zip(results.iter().map(|result| said(&text(result)))));
    }
    tool.end().await.unwrap();
    answers
}
