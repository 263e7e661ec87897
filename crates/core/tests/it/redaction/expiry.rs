//! What is older than a store keeps it goes, by the store's own clock.

use memoseal_core::state::Retention;

use super::{clock::Ahead, *};

/// A bucket whose clock can be moved on, with a memory that was written, renamed, written again and deleted, and one
/// that stands under its second name.
async fn lived_in() -> (Bucket, Ahead, Store) {
    let (bucket, _, store) = with_a_secret().await;
    ok(&store, rename("/memories/other", "/memories/moved")).await;
    ok(&store, delete("/memories/plain")).await;
    let ahead = Ahead::new(std::sync::Arc::clone(&bucket.memory));
    let store = roomy(&ahead.open().await, "alice").await;
    (bucket, ahead, store)
}

#[tokio::test]
async fn what_was_replaced_goes_when_it_is_old_enough_and_not_before() {
    let (bucket, ahead, store) = lived_in().await;
    ahead.advance(29);
    assert_eq!(maintain(&store).await.expired, 0);
    assert!(holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(store.seq(), 6, "nothing was written to the log");
    ahead.advance(2);
    let done = maintain(&store).await;
    assert!(done.expired > 0 && done.stripped > 0, "{done:?}");
    let all = everything(&bucket).await;
    for gone in ["swordfish", "hunter2", "nothing here", "plain", "other"] {
        assert!(!holds(&all, gone), "{gone}");
    }
    assert!(holds(&all, "stays"), "its successor shares it");
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &[("/memories/moved", "stays\n")]).await;
    let versions = store.history(&HistoryQuery::default()).await.unwrap().versions;
    assert_eq!(versions.len(), 6, "who, when and what operation stay");
    assert!(versions.iter().all(|version| version.redacted.is_none() && version.at_ms > 0));

    let seq = store.seq();
    let again = maintain(&store).await;
    assert_eq!((again.expired, again.stripped, store.seq()), (0, 0, seq), "the log is walked once");
}

#[tokio::test]
async fn retention_is_a_change_in_the_log_that_every_handle_knows() {
    let (bucket, ahead, store) = lived_in().await;
    assert_eq!(store.retention().await.unwrap(), Retention::Days(30));
    assert!(store.set_retention(Retention::Forever).await.unwrap());
    assert!(!store.set_retention(Retention::Forever).await.unwrap(), "no change");
    let other = roomy(&ahead.open().await, "alice").await;
    assert_eq!(other.retention().await.unwrap(), Retention::Forever);
    ahead.advance(10_000);
    assert_eq!(maintain(&other).await.expired, 0);
    assert!(holds(&everything(&bucket).await, "swordfish"));
    assert!(other.set_retention(Retention::Days(0)).await.unwrap());
    assert!(maintain(&store).await.expired > 0);
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn what_is_not_kept_goes_in_the_second_in_which_it_was_replaced() {
    let (bucket, _ahead, store) = lived_in().await;
    store.set_retention(Retention::Days(0)).await.unwrap();
    // Most times, all of this is one second.
    assert!(maintain(&store).await.expired > 0);
    assert!(!holds(&everything(&bucket).await, "swordfish"));
}

#[tokio::test]
async fn expiry_and_redaction_together_remove_a_content_that_both_share() {
    for redact_first in [false, true] {
        let (bucket, ahead, store) = lived_in().await;
        if redact_first {
            assert_eq!(store.redact(&ids(&["1.0"])).await.unwrap().still_shared_by, ids(&["2.0"]));
        }
        ahead.advance(31);
        maintain(&store).await;
        assert!(!holds(&everything(&bucket).await, "swordfish"), "{redact_first}");
        store.redact(&ids(&["1.0", "2.0"])).await.unwrap();
        assert_eq!(findings(&bucket).await, [""; 0], "{redact_first}");
    }
}

#[tokio::test]
async fn what_was_taken_out_in_part_is_looked_at_for_a_day() {
    let (bucket, ahead, store) = lived_in().await;
    let turn = ["a", "b"].map(|name| create(&format!("/memories/{name}"), &format!("text of {name}\n"))).to_vec();
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    for name in ["a", "b"] {
        put(&store, &format!("/memories/{name}"), "new\n").await;
    }
    let path = commit(&bucket, 7).await;
    let whole = bytes(&bucket, &path).await;
    store.redact(&ids(&["7.0"])).await.unwrap();
    let in_part = bytes(&bucket, &path).await;
    store.redact(&ids(&["7.1"])).await.unwrap();
    assert_eq!(maintain(&store).await.pending, 2, "the first look, which is noted in the log");
    // The overwrites of the first redaction, and a copy of what was there before both, land late.
    for late in [in_part, whole] {
        bucket.memory.put(&path, late.into()).await.unwrap();
        assert!(holds(&everything(&bucket).await, "text of b"));
        let done = maintain(&store).await;
        assert_eq!((done.stripped, done.pending), (1, 2));
        let all = everything(&bucket).await;
        assert!(!holds(&all, "text of a") && !holds(&all, "text of b"));
        ahead.advance_hours(10);
    }
    let seq = store.seq();
    assert_eq!((maintain(&store).await.pending, store.seq()), (2, seq));
    ahead.advance_hours(5);
    assert_eq!(maintain(&store).await.pending, 0);
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn two_processes_that_maintain_at_once_do_no_harm() {
    let (bucket, ahead, here) = lived_in().await;
    let there = roomy(&ahead.open().await, "alice").await;
    ahead.advance(31);
    for _ in 0..3 {
        let (options, other) = (MaintainOptions::default(), MaintainOptions::default());
        let (one, two) = tokio::join!(here.maintain(&options), there.maintain(&other));
        one.unwrap();
        two.unwrap();
    }
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    check_tree(&bucket, &[("/memories/moved", "stays\n")]).await;
}
