//! `memoseal conformance` tells the truth about servers, and leaves nothing behind.

use serde_json::Value;

use crate::support::*;

async fn tells_the_truth(server: &str) {
    let Some(scene) = Scene::without_vault(server).await else { return };
    let run = async |arguments: &[&str]| {
        let url = scene.program.vault();
        let ended = scene.program.run(&[&["conformance", url, "--json"], arguments].concat()).await.unwrap();
        let told: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        assert!(told["left_behind"].is_null(), "{told}");
        (ended.code, told)
    };
    let (code, told) = run(&["--group", "objects"]).await;
    assert_eq!((code, &told["failed"]), (0, &0.into()), "{told}");
    assert!(told["passed"].as_u64() > Some(15), "{told}");
    scene.proxy.strip_conditions(true);
    let (code, told) =
        run(&["--case", "create_of_an_existing_object_is_refused", "--case", "overwrite_replaces"]).await;
    assert_eq!((code, &told["failed"], &told["passed"]), (1, &1.into(), &1.into()), "{told}");
    let failed = told["cases"].as_array().unwrap().iter().find(|case| case["passed"] == false).unwrap();
    assert_eq!(failed["name"], "create_of_an_existing_object_is_refused", "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_tells_the_truth_about_localstack() {
    tells_the_truth("LocalStack").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_tells_the_truth_about_fake_gcs_server() {
    tells_the_truth("fake-gcs-server").await;
}
