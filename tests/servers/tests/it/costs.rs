//! What a command costs, counted on the way to the server: the table of the design.

use std::{collections::BTreeMap, time::Duration};

use memoseal_testproxy::{Kind, Op, levels};
use serde_json::json;

use crate::support::*;

type Counts = BTreeMap<(Op, Kind), u64>;

fn counts(counts: &[((Op, Kind), u64)]) -> Counts {
    counts.iter().copied().collect()
}

async fn a_command_costs_what_the_table_says(server: &str) {
    const PUT: ((Op, Kind), u64) = ((Op::Create, Kind::Commit), 1);
    const GET: ((Op, Kind), u64) = ((Op::Get, Kind::Commit), 1);

    let Some(scene) = Scene::on(server).await else { return };
    let book = scene.proxy.book();
    book.clear();
    let mut tool = scene.program.tool("alice").unwrap();
    // The first answer comes after opening the vault (1 LIST, 1 GET), the store of nobody (2 LIST), and what a
    // process's and a user's first change cost on top: the probe, the keyring.
    tool.call(create("d/a.md", "one\ntwo\n")).await.unwrap().unwrap();
    let opening = [
        ((Op::List, Kind::Other), 3),
        ((Op::Get, Kind::Header), 1),
        ((Op::Create, Kind::Header), 1),
        ((Op::Create, Kind::Keyring), 1),
        PUT,
    ];
    assert_eq!(book.counts(), counts(&opening), "opening and the first change");

    let path = |name: &str| format!("/memories/{name}");
    let replace = json!({ "command": "str_replace", "path": path("d/a.md"), "old_str": "two", "new_str": "three" });
    let rename = json!({ "command": "rename", "old_path": path("d"), "new_path": path("e") });
    let delete = json!({ "command": "delete", "path": path("e/b.md") });
    for (what, call, fails, cost) in [
        ("create", create("d/b.md", "x"), false, PUT),
        ("str_replace", replace, false, PUT),
        ("insert", insert("d/a.md", "zero"), false, PUT),
        ("view of a file with cached content", view("d/a.md"), false, GET),
        ("view of a directory", view(""), false, GET),
        ("rename of a directory", rename, false, PUT),
        ("an error", create("e/a.md", "again"), true, GET),
        ("delete", delete, false, PUT),
    ] {
        book.clear();
        let answer = tool.call(call).await.unwrap();
        assert_eq!(answer.is_err(), fails, "{what}: {answer:?}");
        assert_eq!(book.counts(), counts(&[cost]), "{what}");
    }
    tool.end().await.unwrap();

    // A process that has not read it yet.
    let mut tool = scene.program.tool("alice").unwrap();
    tool.call(view("")).await.unwrap().unwrap();
    book.clear();
    tool.call(view("e/a.md")).await.unwrap().unwrap();
    assert_eq!(book.counts(), counts(&[(GET.0, 2)]), "view of a file without");
    book.clear();
    tool.call(view("e/a.md")).await.unwrap().unwrap();
    assert_eq!(book.counts(), counts(&[GET]), "the same again");
    tool.end().await.unwrap();
}

/// Of a user with 100 memories, each written by a command of its own, in a vault that is open.
async fn a_cold_open_waits_three_times(server: &str) {
    let Some(scene) = Scene::on(server).await else { return };
    let mut tool = scene.program.tool("alice").unwrap();
    for n in 0..100 {
        tool.call(create(&format!("{n}.md"), "something to remember")).await.unwrap().unwrap();
    }
    tool.end().await.unwrap();

    scene.proxy.set_latency(Duration::from_millis(50));
    scene.proxy.book().clear();
    let mut tool = scene.program.tool("alice").unwrap();
    let listing = tool.call(view("")).await.unwrap().unwrap();
    assert!(listing.contains("/memories/99.md"), "{listing}");
    let trace = scene.proxy.book().trace();
    tool.end().await.unwrap();

    let opened = trace.iter().find(|span| span.request.kind == Kind::Header).and_then(|span| span.end).unwrap();
    let after: Vec<_> = trace.iter().filter(|span| span.start >= opened).cloned().collect();
    let shown: Vec<_> = after.iter().map(|span| (span.start - opened, &span.request.name)).collect();
    assert!(levels(&after) <= 3, "{} levels: {shown:#?}", levels(&after));
    assert_eq!(trace.len() - after.len(), 2, "the vault is opened by a listing and its header");
}

macro_rules! on_each {
    ($($module:ident: $server:literal,)*) => {$(
        mod $module {
            #[tokio::test(flavor = "multi_thread")]
            async fn a_command_costs_what_the_table_says() {
                super::a_command_costs_what_the_table_says($server).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn a_cold_open_waits_three_times() {
                super::a_cold_open_waits_three_times($server).await;
            }
        }
    )*};
}

on_each! {
    localstack: "LocalStack",
    ceph: "Ceph",
    azurite: "Azurite",
    fake_gcs_server: "fake-gcs-server",
}
