//! A server that does not know put-if-absent keeps no vault.

use crate::support::*;

async fn a_server_without_put_if_absent_is_refused(server: &str) {
    let Some(scene) = Scene::without_vault(server).await else { return };
    // Made while the server was well: what is refused below is the first change, not the vault.
    scene.program.init().await.unwrap().ok();
    scene.program.run_with(&["put", "a.md", "-"], b"first").await.unwrap().ok();
    let before = scene.files("default").await;

    scene.proxy.strip_conditions(true);
    let ended = scene.program.run_with(&["put", "b.md", "-"], b"second").await.unwrap();
    assert_eq!(ended.code, 5, "{ended:?}");
    for part in ["writing b.md: ", "put-if-absent", "keep the vault somewhere else"] {
        assert!(ended.stderr.contains(part), "{part} is not in {ended:?}");
    }
    assert_eq!(scene.files("default").await, before);

    // Nor is a new one made there.
    let other = Scene::without_vault(server).await.unwrap();
    other.proxy.strip_conditions(true);
    let ended = other.program.init().await.unwrap();
    assert!(ended.code == 5 && ended.stderr.contains("put-if-absent"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_put_if_absent_is_refused_as_localstack() {
    a_server_without_put_if_absent_is_refused("LocalStack").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_put_if_absent_is_refused_as_fake_gcs_server() {
    a_server_without_put_if_absent_is_refused("fake-gcs-server").await;
}
