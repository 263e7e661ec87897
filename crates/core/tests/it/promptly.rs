//! A store that keeps nothing of what was replaced: the handle that replaces it has it removed within a minute.

use std::time::Duration;

use memoseal_core::{Depth, Store, state::Retention};
use tokio::time::{Instant, sleep};

use crate::{redaction::opened::everything, support::*};

fn holds(all: &[u8], text: &str) -> bool {
    all.windows(text.len()).any(|window| window == text.as_bytes())
}

async fn keeping(retention: Retention) -> (Bucket, Store) {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/a", "swordfish")).await;
    store.set_retention(retention).await.unwrap();
    store.settle().await;
    (bucket, store)
}

#[tokio::test(start_paused = true)]
async fn with_retention_0_what_was_replaced_is_gone_within_a_minute() {
    let (bucket, store) = keeping(Retention::Days(0)).await;
    for (change, secret) in
        [(replace("/memories/a", "swordfish", "tuna"), "swordfish"), (delete("/memories/a"), "tuna")]
    {
        assert!(holds(&everything(&bucket).await, secret));
        ok(&store, change).await;
        assert!(holds(&everything(&bucket).await, secret), "not at once: changes come in numbers");
        sleep(Duration::from_secs(60)).await;
        assert!(!holds(&everything(&bucket).await, secret), "{secret}");
    }
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    // It comes to rest: nothing is done while nothing changes.
    let seq = store.seq();
    bucket.spent();
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!((bucket.spent().total(), store.seq()), (0, seq));
}

#[tokio::test(start_paused = true)]
async fn many_changes_are_one_maintenance_and_only_what_replaces_something_starts_one() {
    let (bucket, store) = keeping(Retention::Days(30)).await;
    for i in 0..20 {
        ok(&store, create(&format!("/memories/{i}"), &format!("old {i}"))).await;
        ok(&store, replace(&format!("/memories/{i}"), "old", "new")).await;
    }
    sleep(Duration::from_secs(3_600)).await;
    assert!(holds(&everything(&bucket).await, "old 7"), "30 days are kept");
    store.set_retention(Retention::Days(0)).await.unwrap();
    ok(&store, create("/memories/more", "")).await;
    sleep(Duration::from_secs(3_600)).await;
    assert!(holds(&everything(&bucket).await, "old 7"), "what was replaced before goes with the next maintenance");
    ok(&store, delete("/memories/more")).await;
    bucket.counting.reset();
    sleep(Duration::from_secs(60)).await;
    let clocks = || bucket.counting.ops().into_iter().filter(|(_, path)| path == "clock").count();
    assert_eq!(clocks(), 2, "the clock was read once, in two requests");
    assert!(!holds(&everything(&bucket).await, "old"));
    bucket.counting.reset();
    for i in 0..20 {
        ok(&store, replace(&format!("/memories/{i}"), "new", "newer")).await;
        sleep(Duration::from_secs(1)).await;
    }
    sleep(Duration::from_secs(60)).await;
    assert_eq!(clocks(), 2);
    assert!(!holds(&everything(&bucket).await, "new 7"));
}

#[tokio::test(start_paused = true)]
async fn a_program_that_settles_before_it_ends_does_not_wait_for_that_minute() {
    let (bucket, store) = keeping(Retention::Days(0)).await;
    ok(&store, replace("/memories/a", "swordfish", "tuna")).await;
    let begun = Instant::now();
    store.settle().await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    // A handle that replaced nothing has nothing to do.
    let reader = roomy(&bucket.again().open().await, "alice").await;
    bucket.spent();
    reader.settle().await;
    ok(&store, create("/memories/b", "")).await;
    store.settle().await;
    assert_eq!(bucket.spent().total(), 1, "nor after a change that replaces nothing");
}
