//! Redactions beside checkpoints, other redactions and writers.

use memoseal_testkit::{Op, errors};

use super::*;

#[tokio::test]
async fn a_checkpoint_that_was_on_its_way_does_not_keep_what_was_redacted() {
    let (bucket, _vault, store) = with_a_secret().await;
    put(&store, "/memories/swordfish", "1").await;
    let slow = bucket.again();
    let writer = roomy(&slow.open().await, "alice").await;
    let gate = slow.faults.on(Op::PutCreate).path_contains(".checkpoint").hold();
    for n in 0..40 {
        put(&writer, "/memories/n", &format!("{n}")).await;
    }
    gate.reached().await;
    ok(&store, delete("/memories/swordfish")).await;
    // Whoever redacts gets no checkpoint written, so that none supersedes the one that is on its way.
    let checkpoints = bucket.faults.on(Op::PutCreate).path_contains(".checkpoint").always();
    checkpoints.fail_before(memoseal_testkit::errors::permission_denied());
    store.redact(&ids(&["1.0", "2.0", "5.0"])).await.unwrap();
    store.settle().await;
    gate.release();
    writer.settle().await;
    assert!(!holds(&everything(&bucket).await, "swordfish"), "its writer has read the log afterwards");
    bucket.faults.clear();
    maintain(&store).await;
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn a_checkpoint_left_behind_by_a_writer_that_died_goes_with_the_next_maintenance() {
    let (bucket, _vault, store) = with_a_secret().await;
    put(&store, "/memories/swordfish", "1").await;
    for n in 0..40 {
        put(&store, "/memories/n", &format!("{n}")).await;
    }
    store.settle().await;
    let old = paths(&bucket).await.into_iter().find(|path| path.as_ref().ends_with(".checkpoint")).unwrap();
    let left = bytes(&bucket, &old).await;
    ok(&store, delete("/memories/swordfish")).await;
    store.redact(&ids(&["1.0", "2.0", "5.0"])).await.unwrap();
    bucket.memory.put(&old, left.into()).await.unwrap();
    assert!(holds(&everything(&bucket).await, "swordfish"));
    maintain(&store).await;
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn two_that_redact_what_shares_a_content_remove_it_between_them() {
    for _ in 0..20 {
        let (bucket, _vault, here) = with_a_secret().await;
        let there = roomy(&bucket.again().open().await, "alice").await;
        let (one, two) = (ids(&["1.0"]), ids(&["2.0"]));
        let (one, two) = tokio::join!(here.redact(&one), there.redact(&two));
        let kept = [one.unwrap().still_shared_by, two.unwrap().still_shared_by].concat();
        assert_eq!(kept.len(), 1, "the one that came first was told of the other");
        maintain(&here).await;
        assert!(!holds(&everything(&bucket).await, "swordfish"));
        assert_eq!(findings(&bucket).await, [""; 0]);
        check_tree(&bucket, &CLEAN).await;
    }
}

/// A commit of two changes, both replaced since.
async fn two_in_one() -> (Bucket, Store) {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    let turn = ["a", "b"].map(|name| create(&format!("/memories/{name}"), &format!("text of {name}\n"))).to_vec();
    assert!(store.execute_turn(turn).await.iter().all(Result::is_ok));
    put(&store, "/memories/a", "new\n").await;
    put(&store, "/memories/b", "new\n").await;
    (bucket, store)
}

#[tokio::test]
async fn a_strip_takes_out_what_another_removed_while_it_read() {
    let (bucket, store) = two_in_one().await;
    let slow = bucket.again();
    let other = roomy(&slow.open().await, "alice").await;
    // The first time it is read to find out what it holds, the second time to be stripped.
    let gate = slow.faults.on(Op::Get).path_is(commit(&bucket, 1).await).nth(2).hold_answer();
    let one = ids(&["1.0"]);
    let (slow, ()) = tokio::join!(other.redact(&one), async {
        gate.reached().await;
        store.redact(&ids(&["1.1"])).await.unwrap();
        gate.release();
    });
    assert!(slow.unwrap().unfinished.is_none());
    assert!(!holds(&everything(&bucket).await, "text of"));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn two_that_strip_one_commit_at_once_leave_it_to_maintenance_what_came_back() {
    let (bucket, store) = two_in_one().await;
    let slow = bucket.again();
    let other = roomy(&slow.open().await, "alice").await;
    let gate = slow.faults.on(Op::PutOverwrite).path_contains("/log/").hold();
    let one = ids(&["1.0"]);
    let (slow, ()) = tokio::join!(other.redact(&one), async {
        gate.reached().await;
        store.redact(&ids(&["1.1"])).await.unwrap();
        assert!(!holds(&everything(&bucket).await, "text of"));
        gate.release();
    });
    assert!(slow.unwrap().unfinished.is_none());
    assert!(holds(&everything(&bucket).await, "text of b"), "carried back by the slower one");
    maintain(&store).await;
    assert!(!holds(&everything(&bucket).await, "text of"));
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn writers_beside_redactions_lose_nothing() {
    let (bucket, vault, store) = with_a_secret().await;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let vault = vault.clone();
            tokio::spawn(async move {
                let store = roomy(&vault, "alice").await;
                for n in 0..25 {
                    put(&store, &format!("/memories/w{writer}"), &format!("{n}")).await;
                }
            })
        })
        .collect();
    for version in ["1.0", "2.0"] {
        store.redact(&ids(&[version])).await.unwrap();
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    maintain(&store).await;
    assert!(!holds(&everything(&bucket).await, "swordfish"));
    assert_eq!(findings(&bucket).await, [""; 0]);
    let mut expected: Vec<_> = CLEAN.to_vec();
    expected.extend([("/memories/w0", "24"), ("/memories/w1", "24"), ("/memories/w2", "24"), ("/memories/w3", "24")]);
    check_tree(&bucket, &expected).await;
}

#[tokio::test]
async fn a_view_is_not_answered_from_the_midst_of_anothers_way_to_the_head() {
    let bucket = Bucket::new();
    let writer = roomy(&bucket.create().await, "alice").await;
    put(&writer, "/memories/z", "z").await;
    put(&writer, "/memories/a", "old").await;
    let client = bucket.again();
    let reader = roomy(&client.open().await, "alice").await;
    // A view that has found nothing new still waits for a content.
    let content = client.faults.on(Op::Get).path(|path| path.as_ref().ends_with("/ffe")).hold();
    let view = tokio::spawn({
        let reader = reader.clone();
        async move { reader.execute_turn(vec![view("/memories/z"), view("/memories")]).await }
    });
    content.reached().await;
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    // Meanwhile `a` becomes `b`, another `a` comes, and what said that the first one moved is removed.
    ok(&writer, rename("/memories/a", "/memories/b")).await;
    put(&writer, "/memories/a", "new").await;
    ok(&writer, replace("/memories/b", "old", "newer")).await;
    writer.redact(&ids(&["3.0"])).await.unwrap();
    // Another task of the reader is on its way to the head, and has met no more than the first of that.
    let way = client.faults.on(Op::Get).path(|path| path.as_ref().ends_with("/ffa")).hold();
    let other = tokio::spawn({
        let reader = reader.clone();
        async move { reader.memories().await.unwrap().len() }
    });
    way.reached().await;
    assert_eq!(reader.seq(), 4);
    content.release();
    let answers = view.await.unwrap();
    let listing = format!("{:?}", answers[1]);
    assert!(listing.contains("/memories/a") && listing.contains("/memories/b"), "{listing}");
    way.release();
    assert_eq!(other.await.unwrap(), 3);
}

/// A reader whose other task has met the first of three commits, after which the state is like none that ever was: what
/// said that one memory moved from `a` to `b` was removed. `ask` is held at its own look at the head until then, and the
/// task goes on once it has been answered with nothing new.
async fn from_the_midst<T: Send + 'static>(
    ask: impl AsyncFnOnce(&Store) -> T,
    client: &Bucket,
    reader: &Store,
    writer: &Store,
) -> T {
    // The answer to the look at the head is found, and comes late.
    let head = client.faults.on(Op::Get).path(|path| path.as_ref().ends_with("/ffc")).hold_answer();
    let (answer, ()) = tokio::join!(ask(reader), async {
        head.reached().await;
        ok(writer, rename("/memories/a", "/memories/b")).await;
        put(writer, "/memories/a", "new").await;
        ok(writer, replace("/memories/b", "old", "newer")).await;
        writer.redact(&ids(&["3.0"])).await.unwrap();
        let way = client.faults.on(Op::Get).path(|path| path.as_ref().ends_with("/ffb")).hold();
        let other = tokio::spawn({
            let reader = reader.clone();
            async move { reader.memories().await.unwrap().len() }
        });
        way.reached().await;
        assert_eq!(reader.seq(), 3);
        head.release();
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        way.release();
        assert_eq!(other.await.unwrap(), 3);
    });
    answer
}

async fn before_the_midst() -> (Bucket, Store, Store) {
    let bucket = Bucket::new();
    let writer = roomy(&bucket.create().await, "alice").await;
    put(&writer, "/memories/z", "z").await;
    put(&writer, "/memories/a", "old").await;
    let client = bucket.again();
    let reader = roomy(&client.open().await, "alice").await;
    (client, reader, writer)
}

#[tokio::test]
async fn no_history_is_told_from_the_midst_of_anothers_way_to_the_head() {
    let (client, reader, writer) = before_the_midst().await;
    let mut query = HistoryQuery::default();
    query.path = Some(MemoryPath::parse("/memories/a").unwrap());
    let page = from_the_midst(async |store| store.history(&query).await, &client, &reader, &writer).await.unwrap();
    let found: Vec<_> = page.versions.iter().map(|version| version.id).collect();
    assert_eq!(found, ids(&["4.0"]), "what stands there, not what has moved away");
}

#[tokio::test]
async fn no_redaction_is_refused_or_foretold_from_the_midst_of_anothers_way_to_the_head() {
    // The version before the move was what stood there. It is not any more.
    let (client, reader, writer) = before_the_midst().await;
    let versions = ids(&["2.0"]);
    let preview = from_the_midst(async |store| store.preview_redaction(&versions).await, &client, &reader, &writer);
    assert_eq!(preview.await.unwrap().versions, versions);
    let (client, reader, writer) = before_the_midst().await;
    let redacted = from_the_midst(async |store| store.redact(&versions).await, &client, &reader, &writer).await;
    assert_eq!(redacted.unwrap().seq, Some(7));
}

#[tokio::test]
async fn no_restore_is_refused_from_the_midst_of_anothers_way_to_the_head() {
    let (client, reader, writer) = before_the_midst().await;
    let undo = Restore { path: Some("/memories/a".into()), ..Default::default() };
    let foretold = from_the_midst(async |store| store.preview_restore(undo).await, &client, &reader, &writer).await;
    let told = foretold.unwrap_err().to_string();
    assert!(told.contains("4.0 is the first"), "{told}");
}

#[tokio::test]
async fn a_handle_that_is_behind_does_not_read_what_was_redacted_and_is_not_stripped_yet() {
    // Found by the simulation: the strip fails, and another handle has not seen the redaction.
    let (bucket, vault, store) = with_a_secret().await;
    let (behind, also) = (roomy(&vault, "alice").await, roomy(&vault, "alice").await);
    bucket.faults.on(Op::PutOverwrite).always().fail_before(errors::timeout());
    let redacted = store.redact(&ids(&["1.0", "2.0"])).await.unwrap();
    assert!(redacted.unfinished.is_some() && holds(&everything(&bucket).await, "swordfish"));
    assert!(matches!(behind.read_version(id("1.0")).await, Err(Error::NotFound { .. })));
    assert!(also.version(id("2.0")).await.unwrap().redacted.is_some());
}
