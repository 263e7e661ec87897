//! What comes under a name that was destroyed.

use super::*;

#[tokio::test]
async fn a_user_made_anew_has_nothing_of_the_old_one() {
    let (bucket, vault) = lived_in().await;
    destroy(&vault.user("alice")).await;
    for life in 2..5 {
        let store = open(&bucket.open().await, "default").await.unwrap();
        assert!(store.memories().await.unwrap().is_empty(), "life {life}");
        ok(&store, create("/memories/a", &format!("life {life}"))).await;
        let work = open(&bucket.open().await, "work").await.unwrap();
        ok(&work, create("/memories/w", "")).await;
        let again = bucket.open().await;
        assert_eq!(again.users().await.unwrap(), ["alice"]);
        assert_eq!(again.user("alice").stores().await.unwrap(), ["default", "work"]);
        assert_eq!(tree(&again, "alice").await, [("/memories/a".into(), format!("life {life}"))]);
        assert_eq!(findings(&bucket).await, [""; 0]);
        maintain(&bucket).await;
        assert_eq!(tree(&again, "alice").await.len(), 1);
        destroy(&again.user("alice")).await;
        assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
    }
}

#[tokio::test]
async fn a_store_made_anew_has_nothing_of_the_old_one() {
    let (bucket, vault) = lived_in().await;
    for name in ["default", "work"] {
        destroy_store(&vault, name).await;
        for life in 2..4 {
            let store = open(&bucket.open().await, name).await.unwrap();
            assert!(store.memories().await.unwrap().is_empty());
            assert!(store.history(&Default::default()).await.unwrap().versions.is_empty());
            ok(&store, create("/memories/a", &format!("life {life}"))).await;
            let again = bucket.open().await;
            let store = open(&again, name).await.unwrap();
            assert_eq!(store.read("/memories/a").await.unwrap(), format!("life {life}"));
            assert_eq!(findings(&bucket).await, [""; 0]);
            maintain(&bucket).await;
            destroy_store(&again, name).await;
            assert!(stops(&store).await);
        }
    }
    destroy(&bucket.open().await.user("alice")).await;
    assert_eq!((keys_left(&bucket).await, full(&bucket).await), (0, 0));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn the_first_change_of_a_named_store_or_one_made_anew_costs_an_entry_in_the_catalogue() {
    let (bucket, vault) = lived_in().await;
    let named = open(&vault, "first").await.unwrap();
    bucket.spent();
    ok(&named, create("/memories/a", "")).await;
    let spent = bucket.spent();
    assert_eq!((spent.list, spent.get, spent.put_create, spent.total()), (1, 1, 2, 4), "the catalogue is not empty");
    ok(&named, create("/memories/b", "")).await;
    assert_eq!(bucket.spent().total(), 1);
    destroy_store(&vault, "default").await;
    let anew = open(&vault, "default").await.unwrap();
    bucket.spent();
    ok(&anew, create("/memories/a", "")).await;
    let spent = bucket.spent();
    assert_eq!((spent.list, spent.get, spent.put_create, spent.total()), (1, 1, 2, 4));
    // In an empty catalogue there is nothing to read.
    ok(&vault.user("bob").store("default").open().await.unwrap(), create("/memories/b", "")).await;
    let named = vault.user("bob").store("named").open().await.unwrap();
    bucket.spent();
    ok(&named, create("/memories/b", "")).await;
    let spent = bucket.spent();
    assert_eq!((spent.list, spent.put_create, spent.total()), (1, 2, 3));
}

#[tokio::test]
async fn a_folder_that_only_looks_like_a_newer_life_ends_nothing() {
    let (bucket, _) = lived_in().await;
    let is_checkpoint = |object: &ObjectMeta| object.location.as_ref().ends_with(".checkpoint");
    let checkpoint = objects(&bucket).await.into_iter().find(is_checkpoint).unwrap();
    let beside = Path::from(checkpoint.location.as_ref().trim_end_matches(".checkpoint"));
    let newest = objects(&bucket).await.into_iter().find(|object| object.location == beside).unwrap();
    let name = newest.location.to_string();
    for (from, to) in [(".fffffffffffffffe", ".fffffffffffffffd"), ("/fffffffffffffffe.", "/fffffffffffffffd.")] {
        let forged = Path::from(name.replace(from, to));
        for content in [bytes(&bucket, &newest.location).await, Vec::new()] {
            bucket.memory.put(&forged, content.into()).await.unwrap();
            let before = full(&bucket).await;
            assert!(!findings(&bucket).await.is_empty());
            let vault = bucket.open().await;
            let opened = open(&vault, "default").await;
            assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
            // A maintenance run tells of it, or passes over it, and overwrites nothing.
            let _told = vault.maintain(&MaintainOptions::default(), |_, _| {}).await;
            assert_eq!(full(&bucket).await, before);
        }
        bucket.memory.delete(&forged).await.unwrap();
    }
    assert_eq!(findings(&bucket).await, [""; 0]);
}
