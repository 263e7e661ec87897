//! Two processes on one store.

use std::{collections::BTreeSet, sync::Arc};

use crate::support::*;

const CALLS: usize = 60;

async fn two_processes_lose_nothing(server: &str) {
    let Some(scene) = Scene::on(server).await else { return };
    let scene = Arc::new(scene);
    let mut tool = scene.program.tool("alice").unwrap();
    tool.call(create("shared.md", "")).await.unwrap().unwrap();
    tool.end().await.unwrap();

    let running: Vec<_> = ["a", "b"]
        .map(|process| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move {
                let mut tool = scene.program.tool("alice").unwrap();
                for n in 0..CALLS {
                    let answer = tool.call(insert("shared.md", &format!("{process}-{n}"))).await.unwrap();
                    assert_eq!(said(&answer), Said::Done, "{process}-{n}: {answer:?}");
                }
                tool.end().await.unwrap();
            })
        })
        .into();
    for process in running {
        process.await.unwrap();
    }
    let files = scene.files("alice").await;
    let lines: Vec<_> = files["shared.md"].lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2 * CALLS, "{lines:?}");
    let expected: BTreeSet<_> = (0..CALLS).flat_map(|n| [format!("a-{n}"), format!("b-{n}")]).collect();
    assert_eq!(lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>(), expected);
    scene.verify().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_nothing_on_localstack() {
    two_processes_lose_nothing("LocalStack").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_nothing_on_ceph() {
    two_processes_lose_nothing("Ceph").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_nothing_on_azurite() {
    two_processes_lose_nothing("Azurite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_nothing_on_fake_gcs_server() {
    two_processes_lose_nothing("fake-gcs-server").await;
}
