//! Cut short between any two requests, a destruction is finished by the next call, or by maintenance.

use memoseal_testkit::errors;

use super::*;

/// Runs `work` with every request from the `n`-th on failing, for every `n` until it needs no more, and then `then`. With
/// `lands`, the `n`-th takes effect all the same.
async fn cut_short(lands: bool, work: impl AsyncFn(&Vault), then: impl AsyncFn(&Bucket, &Store)) {
    for n in 1.. {
        let bucket = Bucket::new();
        let vault = bucket.create().await;
        for name in ["default", "work"] {
            let store = open(&vault, name).await.unwrap();
            for text in ["a", "b", "c"] {
                ok(&store, create(&format!("/memories/{text}"), text)).await;
            }
        }
        let mut options = options();
        options.patience.create = std::time::Duration::from_millis(20);
        options.patience.pause = std::time::Duration::from_millis(1);
        let broken = bucket.again();
        let vault = Vault::open(broken.backend(), key(), options).await.unwrap();
        let warm = open(&bucket.open().await, "default").await.unwrap();
        if lands {
            broken.faults.on_any().nth(n).land_then_fail(errors::permission_denied());
        }
        broken.faults.on_any().nth(n).times(u64::MAX / 2).fail_before(errors::permission_denied());
        work(&vault).await;
        let finished = !broken.faults.all_fired();
        // Nothing is damaged at any moment: what is not finished says so.
        for finding in findings(&bucket).await {
            assert!(finding.contains("not overwritten yet") || finding.contains("not finished"), "{n}: {finding}");
        }
        then(&bucket, &warm).await;
        if finished {
            return;
        }
        assert!(n < 200, "it does not end");
    }
}

async fn all_is_gone(bucket: &Bucket, warm: &Store) {
    assert!(stops(warm).await);
    assert_eq!((keys_left(bucket).await, full(bucket).await), (0, 0));
    assert_eq!(findings(bucket).await, [""; 0]);
    assert!(bucket.open().await.users().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_destroyed_user_is_finished_by_the_next_call() {
    for lands in [false, true] {
        cut_short(
            lands,
            async |vault| drop(vault.user("alice").destroy(&actor(), |_| {}).await),
            async |bucket, warm| {
                destroy(&bucket.open().await.user("alice")).await;
                all_is_gone(bucket, warm).await;
            },
        )
        .await;
    }
}

#[tokio::test]
async fn a_destroyed_user_is_finished_by_maintenance_once_the_log_says_so() {
    for lands in [false, true] {
        cut_short(
            lands,
            async |vault| drop(vault.user("alice").destroy(&actor(), |_| {}).await),
            async |bucket, warm| {
                maintain(bucket).await;
                match open(&bucket.open().await, "default").await.unwrap().memories().await.unwrap().as_slice() {
                    [] => all_is_gone(bucket, warm).await,
                    // Nothing had been said when it was cut short.
                    memories => {
                        assert_eq!(memories.len(), 3);
                        ok(warm, view("/memories")).await;
                        assert_eq!(findings(bucket).await, [""; 0]);
                    }
                }
            },
        )
        .await;
    }
}

#[tokio::test]
async fn a_destroyed_store_is_finished_by_the_next_call_or_by_maintenance() {
    for (lands, by_maintenance) in [(false, false), (true, false), (false, true), (true, true)] {
        cut_short(
            lands,
            async |vault| drop(vault.user("alice").destroy_store("default", &actor(), |_| {}).await),
            async |bucket, warm| {
                if by_maintenance {
                    maintain(bucket).await
                } else {
                    destroy_store(&bucket.open().await, "default").await
                }
                let vault = bucket.open().await;
                if vault.user("alice").stores().await.unwrap() == ["work"] {
                    assert!(stops(warm).await);
                    assert!(open(&vault, "default").await.unwrap().memories().await.unwrap().is_empty());
                } else {
                    assert!(by_maintenance);
                    ok(warm, view("/memories")).await;
                }
                assert_eq!(open(&vault, "work").await.unwrap().memories().await.unwrap().len(), 3);
                assert_eq!(findings(bucket).await, [""; 0]);
            },
        )
        .await;
    }
}

#[tokio::test]
async fn a_user_or_store_made_anew_comes_whole_or_not_at_all() {
    for lands in [false, true] {
        for n in 1.. {
            let (bucket, vault) = lived_in().await;
            destroy(&vault.user("alice")).await;
            let mut options = options();
            options.patience.create = std::time::Duration::from_millis(20);
            options.patience.pause = std::time::Duration::from_millis(1);
            let broken = bucket.again();
            let store = open(&Vault::open(broken.backend(), key(), options).await.unwrap(), "work").await.unwrap();
            if lands {
                broken.faults.on_any().nth(n).land_then_fail(errors::permission_denied());
            }
            broken.faults.on_any().nth(n).times(u64::MAX / 2).fail_before(errors::permission_denied());
            let _whatever_came_of_it = store.execute(create("/memories/a", "anew")).await;
            let finished = !broken.faults.all_fired();
            assert_eq!(findings(&bucket).await, [""; 0], "{n}");
            let again = open(&bucket.open().await, "work").await.unwrap();
            if again.memories().await.unwrap().is_empty() {
                ok(&again, create("/memories/a", "anew")).await;
            }
            let again = open(&bucket.open().await, "work").await.unwrap();
            assert_eq!(again.read("/memories/a").await.unwrap(), "anew");
            assert_eq!(findings(&bucket).await, [""; 0], "{n}");
            if finished {
                break;
            }
            assert!(n < 50, "it does not end");
        }
    }
}
