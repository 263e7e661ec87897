//! Blocks of history: what they save, and that they are not believed.

use memoseal_core::{Depth, Error, HistoryQuery, MaintainOptions, Store, Version, state::VersionId};
use memoseal_testkit::{Op, errors};
use object_store::{ObjectStoreExt, memory::InMemory, path::Path};

use crate::{forge::*, redaction::opened, support::*};

async fn findings(bucket: &Bucket) -> Vec<String> {
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    inspection.findings.into_iter().map(|finding| finding.problem).collect()
}

async fn blocks(bucket: &Bucket) -> Vec<(Path, Vec<u8>)> {
    opened::objects(bucket).await.into_iter().filter(|(path, _)| path.as_ref().contains("/hist/")).collect()
}

/// A log of `n` commits that change one memory again and again, without blocks and checkpoints.
async fn long(n: u64) -> Bucket {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/first", "1")).await;
    let mut forger = Forger::of(&bucket).await.anew();
    forger.named(&bucket, Some("default"), vec![writes("created", 1, None, "/n", "1")]).await;
    for seq in 2..=n {
        let previous = format!("{}.0", seq - 1);
        forger.commit(&bucket, vec![writes("modified", 1, Some(&previous), "/n", &format!("{seq}"))]).await;
    }
    bucket
}

/// The same, with all blocks.
async fn maintained(n: u64) -> (Bucket, Store) {
    let bucket = long(n).await;
    let store = roomy(&bucket.open().await, "alice").await;
    let done = store.maintain(&MaintainOptions::default()).await.unwrap();
    assert_eq!(done.blocks, n / 256);
    bucket.counting.reset();
    (bucket, store)
}

async fn audit(store: &Store) -> Result<Vec<Version>, Error> {
    let mut query = HistoryQuery::default();
    (query.audit, query.limit) = (true, 1_000);
    let mut versions = Vec::new();
    loop {
        let page = store.history(&query).await?;
        versions.extend(page.versions);
        query.before = page.next;
        if query.before.is_none() {
            return Ok(versions);
        }
    }
}

fn check(versions: &[Version], n: u64) {
    assert_eq!(versions.len() as u64, n);
    for (version, seq) in versions.iter().zip((1..=n).rev()) {
        assert_eq!(version.id, VersionId { seq, index: 0 });
        assert_eq!(version.at_ms, 1_800_000_000_000 + seq as i64);
        assert_eq!((version.previous.map(|id| id.seq), &version.path), ((seq > 1).then(|| seq - 1), &None));
    }
}

#[tokio::test]
async fn who_did_what_in_100_000_commits_is_a_few_hundred_requests() {
    const N: u64 = 100_000;
    let bucket = long(N).await;
    // They are made by the format alone, as the commits are.
    Forger::blocks(&bucket, N).await;
    let store = roomy(&bucket.open().await, "alice").await;
    bucket.counting.reset();
    check(&audit(&store).await.unwrap(), N);
    let spent = bucket.spent();
    let (blocks, tail, pages) = (N / 256, N % 256, N / 1_000);
    assert_eq!(spent.total(), spent.get, "{spent:?}");
    assert!(spent.get <= blocks + tail + pages + 4, "{spent:?}");
    // The history of one memory, all of whose versions lie far back.
    let mut query = HistoryQuery::default();
    query.path = Some(memoseal_core::path::MemoryPath::parse("/memories/n").unwrap());
    query.before = Some(VersionId { seq: 100, index: 1 });
    query.limit = 5;
    let page = store.history(&query).await.unwrap();
    assert_eq!(page.versions.iter().map(|version| version.id.seq).collect::<Vec<_>>(), [100, 99, 98, 97, 96]);
    assert!(page.versions.iter().all(|version| version.path.is_some()));
    let spent = bucket.spent();
    assert!(spent.get <= 12, "{spent:?}");
}

#[tokio::test]
async fn the_walk_to_an_older_version_of_a_memory_skips_by_blocks() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    ok(&store, create("/memories/n", "0")).await;
    ok(&store, create("/memories/other", "")).await;
    for i in 0..1_300 {
        ok(&store, replace("/memories/n", &format!("{i}"), &format!("{}", i + 1))).await;
    }
    store.settle().await;
    bucket.spent();
    let mut query = HistoryQuery::default();
    query.path = Some(memoseal_core::path::MemoryPath::parse("/memories/n").unwrap());
    // No version of that memory, so that its place is found by walking there.
    query.before = Some(VersionId { seq: 2, index: 0 });
    let page = store.history(&query).await.unwrap();
    assert_eq!(page.versions.iter().map(|version| version.id.seq).collect::<Vec<_>>(), [1]);
    let spent = bucket.spent();
    assert!(spent.get <= 22 + 3 * 5 + 4, "{spent:?}");
    for audit in [false, true] {
        (query.audit, query.before, query.limit) = (audit, None, 1_000);
        bucket.spent();
        let page = store.history(&query).await.unwrap();
        assert_eq!(page.versions.len(), 1_000);
        let spent = bucket.spent();
        assert!(spent.get <= if audit { 22 + 3 * 5 + 4 } else { 1_001 }, "{audit}: {spent:?}");
    }
}

#[tokio::test]
async fn the_commit_that_fills_a_block_has_it_written_and_a_warm_writer_reads_nothing_for_it() {
    let bucket = Bucket::new();
    let store = roomy(&bucket.create().await, "alice").await;
    for i in 0..600 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
    }
    store.settle().await;
    let spent = bucket.spent();
    assert!(spent.get < 32, "what it wrote itself it knows; checkpoints look at the head: {spent:?}");
    let ours = blocks(&bucket).await;
    assert_eq!(ours.len(), 2);
    assert_eq!(findings(&bucket).await, [""; 0]);
    // Whoever writes them, they are the same.
    for (path, _) in &ours {
        bucket.memory.delete(path).await.unwrap();
    }
    let again = bucket.again();
    let other = roomy(&again.open().await, "alice").await;
    assert_eq!(other.maintain(&MaintainOptions::default()).await.unwrap().blocks, 2);
    assert_eq!(blocks(&bucket).await, ours);
    assert_eq!(other.maintain(&MaintainOptions::default()).await.unwrap().blocks, 0);
    // One that opened in the midst of a block reads what it does not know.
    let midst = Bucket::new();
    let store = roomy(&midst.create().await, "alice").await;
    for i in 0..200 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
    }
    store.settle().await;
    let store = roomy(&midst.open().await, "alice").await;
    for i in 200..256 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
    }
    store.settle().await;
    assert_eq!(blocks(&midst).await.len(), 1);
    assert_eq!(findings(&midst).await, [""; 0]);
}

#[tokio::test]
async fn a_block_that_was_not_written_is_written_by_whoever_misses_it() {
    let bucket = Bucket::new();
    bucket.create().await;
    bucket.faults.on(Op::PutCreate).path_contains("/hist/").always().fail_before(errors::permission_denied());
    let store = roomy(&bucket.open().await, "alice").await;
    for i in 0..600 {
        ok(&store, create(&format!("/memories/{i}"), "")).await;
    }
    store.settle().await;
    assert!(blocks(&bucket).await.is_empty());
    let inspection = bucket.open().await.inspect(Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "a process may end at any time: {:?}", inspection.findings);
    assert_eq!(inspection.users[0].stores[0].missing_blocks, 2);
    // Whoever only reads leaves it so.
    let reader = bucket.again().open().await.user("alice").store("default").read_only(true).open().await.unwrap();
    assert_eq!(audit(&reader).await.unwrap().len(), 600);
    reader.settle().await;
    assert!(blocks(&bucket).await.is_empty());
    let client = bucket.again();
    let reader = roomy(&client.open().await, "alice").await;
    assert_eq!(audit(&reader).await.unwrap().len(), 600);
    reader.settle().await;
    assert_eq!(blocks(&bucket).await.len(), 2);
    assert_eq!(findings(&bucket).await, [""; 0]);
    client.spent();
    assert_eq!(audit(&reader).await.unwrap().len(), 600);
    assert!(client.spent().get <= 2 + 600 % 256 + 3);
}

#[tokio::test]
async fn a_block_whose_writing_is_cut_short_anywhere_is_there_whole_or_not_at_all() {
    for landed in [false, true] {
        for again in [false, true] {
            let bucket = Bucket::new();
            bucket.create().await;
            let rule = bucket.faults.on(Op::PutCreate).path_contains("/hist/");
            let rule = if again { rule } else { rule.always() };
            if landed {
                rule.land_then_fail(errors::timeout())
            } else {
                rule.fail_before(errors::timeout())
            };
            let store = roomy(&bucket.open().await, "alice").await;
            for i in 0..256 {
                ok(&store, create(&format!("/memories/{i}"), "")).await;
            }
            // Where every answer is lost, the process ends before it has one.
            if again || landed {
                store.settle().await;
            }
            assert_eq!(blocks(&bucket).await.len(), usize::from(landed || again), "{landed} {again}");
            assert_eq!(findings(&bucket).await, [""; 0]);
            let next = bucket.again();
            let store = roomy(&next.open().await, "alice").await;
            store.maintain(&MaintainOptions::default()).await.unwrap();
            assert_eq!(blocks(&bucket).await.len(), 1);
            assert_eq!(findings(&bucket).await, [""; 0]);
        }
    }
}

#[tokio::test]
async fn expiry_reads_a_block_in_place_of_256_commits() {
    let bucket = long(2_000).await;
    let store = roomy(&bucket.open().await, "alice").await;
    // By a handle that is not asked to do anything about it.
    let other = roomy(&bucket.again().open().await, "alice").await;
    other.set_retention(memoseal_core::state::Retention::Days(0)).await.unwrap();
    let mut only_blocks = MaintainOptions::default();
    only_blocks.expire = false;
    store.maintain(&only_blocks).await.unwrap();
    // Stripping reads what it overwrites; finding out what expires does not.
    bucket.faults.on(Op::PutOverwrite).path_contains("/log/").always().fail_before(errors::permission_denied());
    bucket.spent();
    store.maintain(&MaintainOptions::default()).await.unwrap_err();
    let commits = bucket.spent();
    assert!(commits.get <= 16 + 8 + 2 * 256 + 40, "{commits:?}");
}

/// What happens to history with this in place of a block: it is told all the same, and an inspection finds one thing.
async fn is_harmless(bucket: &Bucket, n: u64, path: &Path, instead: &[u8], what: &str) {
    let was = bucket.memory.get(path).await.unwrap().bytes().await.unwrap();
    bucket.memory.put(path, instead.to_vec().into()).await.unwrap();
    let store = roomy(&bucket.open().await, "alice").await;
    check(&audit(&store).await.unwrap(), n);
    store.settle().await;
    let found = findings(bucket).await;
    assert_eq!(found.len(), 1, "{what}: {found:?}");
    assert!(found[0].contains("of the history"), "{what}: {found:?}");
    assert_eq!(bucket.memory.get(path).await.unwrap().bytes().await.unwrap(), instead, "nothing writes over it");
    bucket.memory.put(path, was.into()).await.unwrap();
}

#[tokio::test]
async fn a_block_that_is_not_what_the_log_says_is_passed_over_and_found() {
    const N: u64 = 520;
    let (bucket, _store) = maintained(N).await;
    let all = blocks(&bucket).await;
    let [(newer, second), (older, first)] = all.as_slice() else { panic!() };
    is_harmless(&bucket, N, older, second, "another block").await;
    is_harmless(&bucket, N, newer, first, "another block").await;
    for cut in [0, 14, 15, 16, first.len() / 2, first.len() - 1] {
        is_harmless(&bucket, N, older, &first[..cut], "cut short").await;
    }
    is_harmless(&bucket, N, older, &[first.as_slice(), b"\0"].concat(), "grown").await;
    for at in (0..first.len()).step_by(first.len() / 12).chain([0, 7, 8, 10, 11, 14]) {
        let mut changed = first.clone();
        changed[at] ^= 1 << (at % 8);
        is_harmless(&bucket, N, older, &changed, &format!("byte {at}")).await;
    }
    // Of a store whose history is another, under the same keys: a copy of the vault that lived on by itself.
    let other = Bucket::over(std::sync::Arc::new(InMemory::new()));
    for (path, bytes) in opened::objects(&bucket).await {
        let seq = path.as_ref().split("/log/").nth(1).map(|_| path.as_ref()[path.as_ref().len() - 3..].to_owned());
        if path.as_ref().ends_with(".checkpoint") {
            continue;
        }
        let is_early = seq.is_none_or(|seq| 0xfff - u64::from_str_radix(&seq, 16).unwrap() < 400);
        if is_early && !path.as_ref().contains("/hist/") {
            other.memory.put(&path, bytes.into()).await.unwrap();
        }
    }
    let mut forger = Forger::of(&other).await;
    for seq in 400..=N {
        let previous = format!("{}.0", seq - 1);
        forger.commit(&other, vec![writes("modified", 1, Some(&previous), "/m", "other")]).await;
    }
    roomy(&other.open().await, "alice").await.maintain(&MaintainOptions::default()).await.unwrap();
    let theirs = blocks(&other).await;
    assert!(theirs[0].0 == *newer && theirs[0].1 != *second && theirs[1].1 == *first);
    is_harmless(&bucket, N, newer, &theirs[0].1, "a history that parted from ours").await;
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn blocks_that_belong_to_no_commits_are_found() {
    let (bucket, _store) = maintained(300).await;
    let (path, bytes) = blocks(&bucket).await.remove(0);
    let name = path.as_ref();
    let other = |old: &str, new: &str| Path::from(name.replace(old, new));
    let strays = [
        other("fffffffffffffffe.fffffffffffffffe", "fffffffffffffffe.fffffffffffffffd"),
        other("/fffffffffffffffe", "/fffffffffffffffd"),
        Path::from(format!("{name}.old")),
        Path::from(format!("{name}/x")),
        Path::from(name.rsplit_once('/').unwrap().0.to_owned() + "/2"),
    ];
    for stray in strays {
        bucket.memory.put(&stray, bytes.clone().into()).await.unwrap();
        assert_eq!(findings(&bucket).await.len(), 1, "{stray}");
        assert_eq!(tree(&bucket.open().await, "alice").await.len(), 1, "{stray}");
        bucket.memory.delete(&stray).await.unwrap();
    }
    assert_eq!(findings(&bucket).await, [""; 0]);
}

#[tokio::test]
async fn many_blocks_are_on_no_page_of_the_logs_listing() {
    let (bucket, _store) = maintained(1_100).await;
    let vault = bucket.open().await;
    bucket.counting.reset();
    roomy(&vault, "alice").await;
    let listed = bucket.counting.ops().into_iter().filter(|(op, _)| *op == Op::List);
    assert!(listed.clone().count() == 2 && listed.clone().all(|(_, path)| !path.contains("/hist")), "{listed:?}");
}
