//! The names of what was destroyed go seven days later, by the store's own clock.

use super::*;
use crate::redaction::clock::Ahead;

async fn maintain(ahead: &Ahead) -> u64 {
    let done = ahead.open().await.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    assert!(done.stores.iter().all(|store| store.outcome.is_ok()), "{:?}", done.stores);
    done.deleted
}

async fn logs(bucket: &Bucket) -> usize {
    names(bucket).await.iter().filter(|name| name.contains("/log/")).count()
}

#[tokio::test]
async fn the_names_of_a_destroyed_user_go_after_seven_days_and_the_tombstones_stay() {
    let (bucket, vault) = lived_in().await;
    destroy(&vault.user("alice")).await;
    let ahead = Ahead::new(std::sync::Arc::clone(&bucket.memory));
    let before = logs(&bucket).await;
    ahead.advance_hours(7 * 24 - 1);
    assert_eq!(maintain(&ahead).await, 0);
    assert_eq!(logs(&bucket).await, before);
    ahead.advance_hours(2);
    assert_eq!(maintain(&ahead).await, before as u64);
    assert_eq!(logs(&bucket).await, 0);
    let left: Vec<_> = names(&bucket).await.into_iter().filter(|name| name.starts_with("users/")).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(keys_left(&bucket).await, 0);
    assert_eq!(findings(&bucket).await, [""; 0]);
    let store = open(&bucket.open().await, "default").await.unwrap();
    ok(&store, create("/memories/a", "anew")).await;
    assert_eq!(findings(&bucket).await, [""; 0]);
    assert_eq!(maintain(&ahead).await, 0);
}

#[tokio::test]
async fn the_names_of_a_destroyed_store_go_but_for_its_last_commit() {
    let (bucket, vault) = lived_in().await;
    let others = logs(&bucket).await;
    destroy_store(&vault, "default").await;
    let ahead = Ahead::new(std::sync::Arc::clone(&bucket.memory));
    ahead.advance(8);
    let deleted = maintain(&ahead).await as usize;
    assert_eq!(logs(&bucket).await, others + 1 - deleted);
    assert!(deleted >= 41);
    assert_eq!(findings(&bucket).await, [""; 0]);
    // It says which life comes next.
    let store = open(&bucket.open().await, "default").await.unwrap();
    ok(&store, create("/memories/a", "anew")).await;
    let last = names(&bucket).await.into_iter().filter(|name| name.contains(".fffffffffffffffd/")).count();
    assert_eq!(last, 1);
    ahead.advance(8);
    assert_eq!(maintain(&ahead).await, 0);
    assert_eq!(tree(&bucket.open().await, "alice").await, [("/memories/a".into(), "anew".into())]);
}

#[tokio::test]
async fn a_run_asks_for_the_stores_clock_once_for_all_that_was_destroyed() {
    let (bucket, vault) = lived_in().await;
    for name in ["bob", "carol", "dave"] {
        ok(&roomy(&vault, name).await, create("/memories/a", "a")).await;
        destroy(&vault.user(name)).await;
    }
    ok(&roomy(&vault, "dave").await, create("/memories/a", "anew")).await;
    destroy_store(&vault, "default").await;
    destroy_store(&vault, "work").await;
    vault.user("dave").destroy_store("default", &actor(), |_| {}).await.unwrap();
    bucket.counting.reset();
    vault.maintain(&MaintainOptions::default(), |_, _| {}).await.unwrap();
    let clock = bucket.counting.ops().into_iter().filter(|(_, path)| path == "clock").count();
    assert_eq!(clock, 2, "it is written and looked at");
}
