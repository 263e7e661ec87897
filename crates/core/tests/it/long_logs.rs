//! Logs of many commits: read in pages and side by side, followed by listing.

use memoseal_core::Depth;

use crate::support::*;

#[tokio::test]
async fn a_log_longer_than_a_page_of_a_listing_opens_and_is_inspected() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    for i in 0..2_500 {
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
    }
    let vault = bucket.open().await;
    bucket.spent();
    assert_eq!(tree(&vault, "alice").await, [("/memories/n".into(), "2500".into())]);
    assert!(bucket.spent().list <= 3, "the head is on the first page");
    let inspection = vault.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
    assert_eq!(inspection.users[0].stores[0].commits, 2_501);
}

#[tokio::test]
async fn a_handle_that_was_left_behind_lists_and_reads_side_by_side() {
    let bucket = Bucket::new();
    let writer = roomy(&bucket.create().await, "alice").await;
    ok(&writer, create("/memories/first", "")).await;
    let again = bucket.again();
    let reader = roomy(&again.open().await, "alice").await;
    for i in 0..200 {
        ok(&writer, create(&format!("/memories/{i}"), "")).await;
    }
    again.spent();
    assert_eq!(reader.memories().await.unwrap().len(), 201);
    let spent = again.spent();
    assert_eq!((spent.list, spent.get), (1, 201), "each commit once, and the number after the last");
}
