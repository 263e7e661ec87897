//! Cut short between any two requests, a redaction or a maintenance run is finished by the next one.

use memoseal_core::state::Retention;
use memoseal_testkit::errors;

use super::*;

/// A store with a checkpoint that holds the secret, and commits of one and of several changes.
async fn lived_in() -> Bucket {
    let (bucket, _vault, store) = with_a_secret().await;
    let turn = vec![create("/memories/x", "swordfish, too\n"), create("/memories/y", "harmless\n")];
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    for n in 0..32 {
        put(&store, "/memories/n", &format!("{n}")).await;
    }
    put(&store, "/memories/x", "clean\n").await;
    store.settle().await;
    bucket
}

async fn is_gone(bucket: &Bucket) -> bool {
    let all = everything(bucket).await;
    !holds(&all, "swordfish") && !holds(&all, "hunter2")
}

const TREE: [(&str, &str); 5] =
    [("/memories/n", "31"), CLEAN[0], CLEAN[1], ("/memories/x", "clean\n"), ("/memories/y", "harmless\n")];

/// Runs `work` with every request from the `n`-th on failing, for every `n` until it needs no more, and then `then`. With
/// `lands`, the `n`-th takes effect all the same.
async fn cut_short(lands: bool, work: impl AsyncFn(&Store), then: impl AsyncFn(&Store)) {
    for n in 1.. {
        let bucket = lived_in().await;
        let mut options = options();
        options.patience.create = std::time::Duration::from_millis(20);
        options.patience.pause = std::time::Duration::from_millis(1);
        let broken = bucket.again();
        let vault = Vault::open(broken.backend(), key(), options).await.unwrap();
        let store = roomy(&vault, "alice").await;
        if lands {
            broken.faults.on_any().nth(n).land_then_fail(errors::permission_denied());
        }
        broken.faults.on_any().nth(n).times(u64::MAX / 2).fail_before(errors::permission_denied());
        work(&store).await;
        store.settle().await;
        let finished = !broken.faults.all_fired();
        drop(store);
        let again = roomy(&bucket.open().await, "alice").await;
        then(&again).await;
        assert!(is_gone(&bucket).await, "after request {n}");
        assert_eq!(findings(&bucket).await, [""; 0], "after request {n}");
        check_tree(&bucket, &TREE).await;
        if finished {
            return;
        }
        assert!(n < 200, "it does not end");
    }
}

#[tokio::test]
async fn a_redaction_cut_short_anywhere_is_finished_by_maintenance() {
    let versions = ids(&["1.0", "2.0", "5.0"]);
    for lands in [false, true] {
        cut_short(
            lands,
            async |store| drop(store.redact(&versions).await),
            async |store| {
                // Whether the change itself had landed is not known: it is looked for, then maintained.
                let noted = store.version(id("1.0")).await.unwrap().redacted.is_some();
                if !noted {
                    store.redact(&versions).await.unwrap();
                }
                maintain(store).await;
            },
        )
        .await;
    }
}

#[tokio::test]
async fn maintenance_cut_short_anywhere_is_finished_by_the_next() {
    for lands in [false, true] {
        cut_short(
            lands,
            async |store| {
                drop(store.set_retention(Retention::Days(0)).await);
                drop(store.maintain(&MaintainOptions::default()).await);
            },
            async |store| {
                drop(store.set_retention(Retention::Days(0)).await);
                maintain(store).await;
            },
        )
        .await;
    }
}
