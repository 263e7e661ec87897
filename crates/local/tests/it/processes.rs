//! Several tasks, and several processes, in folders that are not there yet.

use std::{
    env,
    process::{Command, Stdio},
};

use object_store::ObjectStoreExt as _;
use tokio::{sync::Barrier, task::JoinSet};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_tasks_can_make_one_folder_at_once() {
    let (store, _folder) = fresh();
    for round in 0..10 {
        let start = Arc::new(Barrier::new(16));
        let mut tasks = JoinSet::new();
        for task in 0..16 {
            let (store, start) = (Arc::clone(&store), Arc::clone(&start));
            tasks.spawn(async move {
                start.wait().await;
                // Half of them for one object, half for one each.
                let name = if task % 2 == 0 { "same".to_owned() } else { format!("own-{task:02}") };
                create(&*store, &format!("{round}/deep/folder/{name}"), "").await.map_err(|error| (task, error))
            });
        }
        let mut made = 0;
        for answer in tasks.join_all().await {
            match answer {
                Ok(()) => made += 1,
                Err((task, error)) => {
                    assert!(task % 2 == 0 && matches!(error, object_store::Error::AlreadyExists { .. }), "{error}");
                }
            }
        }
        assert_eq!(made, 9);
        assert_eq!(names(&*store, &format!("{round}")).await.unwrap().len(), 9);
    }
}

const OBJECTS: usize = 100;
const FOLDER: &str = "MEMOSEAL_TEST_RACE_IN";

/// What each process of the next test does; on its own it does nothing.
#[tokio::test]
async fn a_racer() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let store = store(Path::new(&folder));
    for n in 0..OBJECTS {
        let name = format!("log/{:03}/{n:03}", n / 10);
        match create(&*store, &name, std::process::id().to_string()).await {
            Ok(()) => println!("won {name}"),
            Err(object_store::Error::AlreadyExists { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn of_two_processes_one_wins_each_object() {
    let (store, folder) = fresh();
    let racers = [0, 1].map(|_| {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::a_racer", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    });
    let mut won = Vec::new();
    for racer in racers {
        let process = racer.id().to_string();
        let output = racer.wait_with_output().unwrap();
        assert!(output.status.success());
        let output = String::from_utf8(output.stdout).unwrap();
        for name in output.lines().filter_map(|line| line.split_once("won ")).map(|(_, name)| name.to_owned()) {
            let body = store.get(&name.as_str().into()).await.unwrap().bytes().await.unwrap();
            assert_eq!(body, process, "{name}");
            won.push(name);
        }
    }
    won.sort();
    assert_eq!(won, names(&*store, "log").await.unwrap());
    assert_eq!(won.len(), OBJECTS);
}
