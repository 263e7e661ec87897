//! Somebody has the bucket and puts back what was destroyed. A machine that has seen the end notices.

use std::sync::Arc;

use memoseal_core::witness::FileWitness;

use super::*;

async fn machine(bucket: &Bucket, folder: &tempfile::TempDir) -> Vault {
    let mut options = options();
    options.witness = Some(Arc::new(FileWitness::new(folder.path().join("witness"))));
    Vault::open(bucket.backend(), key(), options).await.unwrap()
}

async fn snapshot(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    let mut copy = Vec::new();
    for object in objects(bucket).await {
        copy.push((object.location.clone(), bytes(bucket, &object.location).await));
    }
    copy
}

async fn put_back(bucket: &Bucket, copy: &[(Path, Vec<u8>)]) {
    for object in objects(bucket).await {
        bucket.memory.delete(&object.location).await.unwrap();
    }
    for (path, bytes) in copy {
        bucket.memory.put(path, bytes.clone().into()).await.unwrap();
    }
}

#[tokio::test]
async fn a_copy_from_before_the_destruction_is_noticed() {
    for whole in [true, false] {
        // The machine that destroys, one that had it open, and one that opens it afterwards.
        let (bucket, vault) = lived_in().await;
        let before = snapshot(&bucket).await;
        let machines = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let warm = open(&machine(&bucket, &machines[1]).await, "default").await.unwrap();
        warm.settle().await;
        let destroyer = machine(&bucket, &machines[0]).await;
        if whole {
            destroy(&destroyer.user("alice")).await
        } else {
            destroy_store(&destroyer, "default").await
        }
        assert!(stops(&warm).await);
        warm.settle().await;
        open(&machine(&bucket, &machines[2]).await, "default").await.unwrap();
        put_back(&bucket, &before).await;
        for (at, folder) in machines.iter().enumerate() {
            let opened = open(&machine(&bucket, folder).await, "default").await;
            assert!(matches!(opened, Err(Error::RolledBack { .. })), "{whole}, machine {at}: {opened:?}");
        }
        // Who has seen nothing cannot know.
        drop(vault);
        open(&bucket.open().await, "default").await.unwrap();
    }
}

#[tokio::test]
async fn a_new_life_is_no_rollback() {
    let folder = tempfile::tempdir().unwrap();
    let (bucket, _) = lived_in().await;
    for life in 0..3 {
        let vault = machine(&bucket, &folder).await;
        let store = open(&vault, "default").await.unwrap();
        ok(&store, create("/memories/x", &format!("{life}"))).await;
        store.settle().await;
        if life % 2 == 0 {
            destroy(&vault.user("alice")).await
        } else {
            destroy_store(&vault, "default").await
        }
        let vault = machine(&bucket, &folder).await;
        assert!(open(&vault, "default").await.unwrap().memories().await.unwrap().is_empty());
        let inspection = vault.inspect(Depth::Contents, |_, _| {}).await.unwrap();
        assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    }
}

#[tokio::test]
async fn an_emptied_log_whose_user_was_not_destroyed_is_damage() {
    let (bucket, _vault) = lived_in().await;
    let warm = open(&bucket.open().await, "default").await.unwrap();
    for object in objects(&bucket).await.iter().filter(|object| object.location.as_ref().contains("/log/")) {
        bucket.memory.put(&object.location, bytes::Bytes::new().into()).await.unwrap();
    }
    let opened = open(&bucket.open().await, "default").await;
    assert!(matches!(&opened, Err(Error::Damaged { .. })), "{opened:?}");
    let read = warm.read("/memories/7").await;
    assert!(matches!(&read, Err(Error::Damaged { .. })), "{read:?}");
    assert!(!findings(&bucket).await.is_empty());
}
